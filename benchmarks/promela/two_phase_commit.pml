/* Two-phase commit among N resource managers, as examples/two_phase_commit.py has it. */
#define WORKING 0
#define PREPARED 1
#define COMMITTED 2
#define ABORTED 3

byte manager[N];
bool knows_prepared[N];  /* what the transaction manager was told */
bool sent_prepared[N];
bool decided, sent_commit, sent_abort;

/* No manager is in a state: asserted whenever one commits, of aborting, and the reverse. */
inline nobody(phase)
{
    assert(true
$n        && manager[$n] != phase
    )
}

active [N] proctype Manager()
{
    do
    :: d_step { manager[_pid] == WORKING -> manager[_pid] = PREPARED; sent_prepared[_pid] = true }
    :: d_step { manager[_pid] == WORKING -> manager[_pid] = ABORTED; nobody(COMMITTED) }
    :: d_step { !decided && sent_prepared[_pid] -> knows_prepared[_pid] = true }
    :: d_step { sent_commit -> manager[_pid] = COMMITTED; nobody(ABORTED) }
    :: d_step { sent_abort -> manager[_pid] = ABORTED; nobody(COMMITTED) }
    od
}

active proctype TransactionManager()
{
    do
    :: d_step { !decided -> decided = true; sent_abort = true }
    :: d_step {
        (!decided
$n            && knows_prepared[$n]
        ) -> decided = true; sent_commit = true
    }
    od
}
