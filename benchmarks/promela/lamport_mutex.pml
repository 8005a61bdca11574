/* Lamport's mutual exclusion among N processes, as examples/lamport_mutex.py has it.
   A state with a clock beyond CLOCK is not entered; TLC and Tidegate enter it and turn round. */
#define RELEASE 0
#define ACKNOWLEDGEMENT 1
#define REQUEST 1  /* plus the clock of the request */
#define TO(receiver) channel[_pid * N + (receiver)]
#define FROM(sender) channel[(sender) * N + _pid]

chan channel[N * N] = [4] of { byte };
byte critical;  /* how many are in the critical section */

inline broadcast(message)
{
$n    if
$n    :: $n != _pid -> TO($n)!message; assert(len(TO($n)) <= 3)
$n    :: else
$n    fi;
    skip
}

/* Whether our own request goes before that of another. */
#define BEATS(n) \
    (n == _pid || request[n] == 0 || request[_pid] < request[n] \
     || (request[_pid] == request[n] && _pid < n))

active [N] proctype Process()
{
    byte clock = 1;
    byte request[N];
    byte acknowledged;  /* one bit for each process */
    bool inside;
    do
    :: d_step { request[_pid] == 0 ->
        request[_pid] = clock; acknowledged = 1 << _pid; broadcast(REQUEST + clock) }
    :: d_step {
        (!inside && acknowledged == (1 << N) - 1
$n            && BEATS($n)
        ) -> inside = true; critical++; assert(critical <= 1) }
    :: d_step { inside ->
        inside = false; critical--; request[_pid] = 0; acknowledged = 0; broadcast(RELEASE) }
$n    :: d_step { FROM($n)?RELEASE -> request[$n] = 0 }
$n    :: d_step { FROM($n)?ACKNOWLEDGEMENT -> acknowledged = acknowledged | (1 << $n) }
$n$c    :: d_step { clock < CLOCK && $c < CLOCK && FROM($n)?[eval(REQUEST + $c)] ->
$n$c        FROM($n)?eval(REQUEST + $c);
$n$c        request[$n] = $c; clock = (clock > $c -> clock : $c) + 1;
$n$c        TO($n)!ACKNOWLEDGEMENT; assert(len(TO($n)) <= 3) }
    od
}
