"""Surviving mutants of what the option ``deletions`` brings, and why they survive."""

from __future__ import annotations

_NO_DEFAULT = (
    "violates NoFetcherFails, which is not checked by default, at records=2 elections=0 crashes=0 "
    "deletions=1 in 8 or 9 steps"
)
_NEVER_BELOW = "with this protocol's other rules no high watermark is below its log start"

SURVIVORS = {
    "may_delete = up_to_log_end": _NO_DEFAULT,
    "DeleteRecords: not k.rules.may_delete(s, k, leader, offset)": _NO_DEFAULT,
    "hw: DeleteRecords: not k.rules.may_delete(s, k, leader, offset)": (
        "the rule is always true in this protocol; no additional state"
    ),
    "follows_log_start = ignore_log_start": (
        "a follower keeps records that count as deleted; no property fails"
    ),
    "raises_hw = never_raised": (
        "violates HwReachesLogEnd, which is not checked by default, at records=1 elections=1 "
        "crashes=0 moves deletions=1 in 20 steps"
    ),
    "raises_hw = unless_starting_over": (
        "violates HwReachesLogEnd, which is not checked by default, at records=1 elections=1 "
        "crashes=0 moves deletions=1 in 20 steps"
    ),
    "finds_low_hw = begin_at_log_start": _NEVER_BELOW,
    "diverges_below_start = epochs_first": (
        "the follower truncates by a diverging epoch, and its next fetch is out of range; its "
        "fetcher fails only with the older rule of KAFKA-14704 as well: kafka-2.8.0-zookeeper"
    ),
    "DeleteRecords: not leads(s, leader)": (
        "a follower deletes below its own high watermark, as with its own retention; no property "
        "fails"
    ),
    "DeleteRecords: offset <= s.replica[leader].start": (
        "the log start goes back to where no record is left; violates Stuck, which is not checked "
        "by default, at records=2 elections=0 crashes=0 deletions=2 in 5 steps"
    ),
    "DeleteRecords: offset > s.replica[leader].leo": (
        "a high watermark is within its log, and the rule may_delete refuses what is above it"
    ),
    "SendFetch: s.replica[follower].failed": (
        "no fetcher fails with the rules of this protocol; no additional state"
    ),
    "HandleLateFetch: late.offset < s.replica[leader].start": (
        "the remote LEO of a follower that has crashed is set below the log start: it neither "
        "joins the ISR by that nor moves the high watermark"
    ),
    "LosePower: kept < s.replica[broker].start": (
        "an empty log begins below what was deleted; no property fails"
    ),
}
"""By name, for every protocol; by protocol and name if the reason holds for that one only."""
