/* Chandy and Misra's N philosophers, as examples/dining_philosophers.py has them.
   Fork n lies between the philosophers n - 1 and n; philosopher N - 1 holds the forks N - 1
   and 0 at first.  The last value of an initializer goes for the rest of its array. */
#define LOOP 0
#define EAT 1
#define THINK 2

bool before[N] = { true, false };  /* whether philosopher n - 1 holds fork n, and not n */
bool clean[N];
byte pc[N];
bool fed[N];  /* whether it is not hungry */

#define NEXT ((_pid + 1) % N)
#define PREVIOUS ((_pid + N - 1) % N)
#define HAS_LEFT (!before[_pid])
#define HAS_RIGHT (before[NEXT])

active [N] proctype Philosopher()
{
    do
    :: d_step { pc[_pid] == LOOP ->
        if
        :: fed[_pid] -> pc[_pid] = THINK
        :: !fed[_pid] && HAS_LEFT && HAS_RIGHT && clean[_pid] && clean[NEXT] ->
            pc[_pid] = EAT;
            assert(pc[PREVIOUS] != EAT && pc[NEXT] != EAT)
        :: else
        fi;
        if
        :: HAS_LEFT && !clean[_pid] -> before[_pid] = true; clean[_pid] = true
        :: !(HAS_LEFT && !clean[_pid]) && HAS_RIGHT && !clean[NEXT] ->
            before[NEXT] = false; clean[NEXT] = true
        :: else
        fi
    }
    :: d_step { pc[_pid] == EAT ->
        fed[_pid] = true; clean[_pid] = false; clean[NEXT] = false; pc[_pid] = LOOP }
    :: d_step { pc[_pid] == THINK -> fed[_pid] = false; pc[_pid] = LOOP }
    od
}
