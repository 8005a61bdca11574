/* A bounded buffer with one wait set, as examples/bounded_buffer.py has it without notify_all.
   Producers are processes 0 to P - 1, consumers the C others, and N is their sum. */

byte count;
int waiting;  /* one bit for each sleeper */

#define AWAKE(t) (!(waiting & (1 << (t))))

active [P] proctype Producer()
{
    do
    :: d_step { AWAKE(_pid) && count < CAP && !waiting -> count++; assert(count <= CAP) }
    :: d_step { AWAKE(_pid) && count == CAP -> waiting = waiting | (1 << _pid) }
$n    :: d_step { AWAKE(_pid) && count < CAP && !AWAKE($n) ->
$n        count++; waiting = waiting & ~(1 << $n); assert(count <= CAP) }
    od
}

active [C] proctype Consumer()
{
    do
    :: d_step { AWAKE(_pid) && count > 0 && !waiting -> count-- }
    :: d_step { AWAKE(_pid) && count == 0 -> waiting = waiting | (1 << _pid) }
$n    :: d_step { AWAKE(_pid) && count > 0 && !AWAKE($n) ->
$n        count--; waiting = waiting & ~(1 << $n) }
    od
}
