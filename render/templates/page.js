"use strict";
// Shows one step at a time; the page is complete without it.
(() => {
  const steps = [...document.querySelectorAll("article.step")];
  const rows = [...document.querySelectorAll("svg .row")];
  const diagram = document.querySelector(".diagram");
  const where = document.getElementById("where");
  const back = document.getElementById("back");
  const on = document.getElementById("on");
  const last = steps.length - 1;
  let now = last;

  function show(step, link) {
    now = Math.min(Math.max(step, 0), last);
    steps.forEach((section, index) => { section.hidden = index !== now; });
    rows.forEach((row, index) => { row.classList.toggle("chosen", index === now); });
    where.textContent = `step ${now} of ${last}`;
    back.disabled = now === 0;
    on.disabled = now === last;
    if (link) history.replaceState(null, "", `#step=${now}`);
    const row = rows[now].firstElementChild;
    // A wide diagram is shown smaller than it is drawn.
    const scale = row.getScreenCTM().d;
    const top = scale * Number(row.getAttribute("y"));
    const height = scale * Number(row.getAttribute("height"));
    const head = diagram.querySelector(".head").clientHeight;
    if (top < diagram.scrollTop) diagram.scrollTop = top;
    const bottom = top + height + head;
    if (bottom > diagram.scrollTop + diagram.clientHeight) {
      diagram.scrollTop = bottom - diagram.clientHeight;
    }
    const sign = diagram.querySelector(`.sign[data-step="${now}"]`);
    if (sign) {
      const box = sign.getBoundingClientRect();
      const frame = diagram.getBoundingClientRect();
      if (box.left < frame.left + 60) diagram.scrollLeft -= frame.left + 60 - box.left;
      if (box.right > frame.right - 90) diagram.scrollLeft += box.right - frame.right + 90;
    }
  }

  function linked() {
    const found = /^#step=(\d{1,6})$/.exec(location.hash);
    return found ? Number(found[1]) : null;
  }

  // The numbers of the rows stay in sight while the lanes are scrolled sideways.
  diagram.addEventListener("scroll", () => {
    diagram.style.setProperty("--scrolled", `${diagram.scrollLeft / rows[0].getScreenCTM().d}px`);
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    show(now + by, true);
  });
  document.querySelector("svg.body").addEventListener("click", (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const height = Number(rows[0].firstElementChild.getAttribute("height"));
    show(Math.floor((event.clientY - box.top) / height), true);
  });
  back.addEventListener("click", () => show(now - 1, true));
  on.addEventListener("click", () => show(now + 1, true));
  window.addEventListener("hashchange", () => {
    const step = linked();
    if (step !== null) show(step, false);
  });
  window.addEventListener("beforeprint", () => steps.forEach((s) => { s.hidden = false; }));
  window.addEventListener("afterprint", () => show(now, false));
  document.documentElement.classList.add("stepping");
  show(linked() ?? last, false);
})();
