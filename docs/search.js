// Pages that people look something up on come before those that say how it came about.
const RANKS = [
  [/^docs\/(command-line|library|glossary|engines|gate|eventually|examples|first-|changed-kafka)/, 40],
  [/^docs\/(reference|model|real-brokers|traces|explain|diff|ci|spark|querying|not-modelled)/, 25],
  [/^(CHANGELOG|CONTRIBUTING|SECURITY|docs\/adr\/|docs\/catalogue\/|docs\/findings\/|benchmarks\/)/, -40],
];
var Scorer = {
  score: ([page, , , , score]) =>
    score + RANKS.reduce((sum, [pages, rank]) => sum + (pages.test(page) ? rank : 0), 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
