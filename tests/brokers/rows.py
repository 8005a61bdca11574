"""Bugs of docs/catalogue.md that real brokers show: on which release, and which one diverges."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A bug on real brokers.

    Parameters
    ----------
    page
        Its page in docs/catalogue/.
    release
        What has the bug; the trace is the shortest one under that release's rules, or those of
        `protocol`.
    left_by, left_at
        A release that fixes it, and the step at which that release diverges from the trace; empty
        and 0 where the repair is outside what is replayed.
    gone
        The acknowledged record that is lost, if one is.
    """

    page: str
    release: str
    violated: str
    bounds: str
    left_by: str = ""
    left_at: int = 0
    protocol: str = ""
    gone: str = "m0"

    @property
    def check(self):
        """The arguments that find the trace."""
        protocol = self.protocol or f"kafka-{self.release}-zookeeper"
        bounds = [part for bound in self.bounds.split() for part in ("-b", bound)]
        # The high watermark waits for who was caught up a moment ago since 0.10.2.
        waits = [] if self.release.startswith("0.9.") else ["-b", "hw_waits"]
        return ["check", protocol, *bounds, *waits, "-p", self.violated]


ROWS = (
    Row(
        "kip-101-loss", "0.10.2.2", "NoCommittedRecordLost", "records=1 crashes=2 elections=1",
        "0.11.0.3", 10,
    ),
    Row(
        "kip-101-divergence", "0.10.2.2", "LogMatching", "records=2 crashes=2 elections=1",
        "0.11.0.3", 11,
    ),
    Row(
        "kip-101-for-ever", "0.10.2.2", "Converges", "records=2 crashes=2 elections=1",
        "0.11.0.3", 11,
    ),
    Row(
        "kip-101-page-cache", "0.10.2.2", "LogMatching",
        "records=2 crashes=0 power_losses=1 elections=2 bounce_noticed",
    ),
    Row(
        "kip-101-limits", "1.1.1", "NoCommittedRecordLost",
        "records=1 crashes=1 elections=1 unclean_election",
    ),
    Row(
        "kip-101-limits-divergence", "1.1.1", "LogMatching",
        "records=2 crashes=1 elections=1 unclean_election", "2.0.1", 9,
    ),
    Row(
        "kafka-2960", "0.9.0.1", "NoAckedRecordLost", "records=2 crashes=0 elections=2 moves",
        "0.10.2.2", 7,
    ),
    Row(
        "kafka-7414", "0.10.2.2", "NoBrokerExits", "records=1 crashes=2 elections=1",
        "2.0.1", 13,
    ),
    Row(
        "kafka-7235", "2.0.1", "NoCommittedRecordLost",
        "records=1 crashes=0 elections=0 power_losses=1",
    ),
    Row(
        "kafka-6361", "1.1.1", "LogMatching", "records=3 crashes=0 elections=2 moves", "2.0.0", 10
    ),
    Row(
        "kafka-6361-for-ever", "1.1.1", "Converges", "records=3 crashes=0 elections=2 moves",
        "2.0.0", 10,
    ),
    Row(
        "kafka-7164", "1.1.1", "LogMatching", "replicas=3 records=2 crashes=0 elections=2 moves",
        "2.6.0", 8,
    ),
    Row(
        "kafka-7128", "2.0.0", "NoAckedRecordLost",
        "replicas=3 records=1 crashes=0 elections=2 moves", "2.0.1", 11,
    ),
    Row(
        "kafka-7395-fetch", "2.0.1", "NoAckedRecordLost", "records=1 crashes=0 elections=3 moves",
        "2.6.0", 13,
    ),
    Row(
        "kafka-7395-truncation", "2.0.1", "NoAckedRecordLost",
        "records=1 crashes=0 elections=3 moves", "2.6.0", 13,
        protocol="kip-320~may_serve_epoch_request = serve_anyone",
    ),
    Row(
        "kafka-7415", "2.0.0", "NoAckedRecordLost", "records=2 crashes=0 elections=3 moves",
        "2.0.1", 9,
    ),
    Row("kafka-10706", "2.6.0", "Stuck", "records=2 elections=3 crashes=0 moves"),
    Row(
        "kafka-10706-for-ever", "2.6.0", "TruncationTerminates",
        "records=2 elections=3 crashes=0 moves",
    ),
    Row(
        "kafka-2334", "2.0.1", "ListedOffsetsMonotonic", "records=1 crashes=0 elections=1 moves",
        "2.6.0", 8,
    ),
    Row(
        "kafka-13141", "2.8.0", "NoCommittedRecordLost", "records=2 crashes=2 elections=2",
        "2.8.1", 8, gone="m1",
    ),
    Row(
        "kip-903", "3.4.1", "NoCommittedRecordLost",
        "isr_propagation=kraft power_losses=1 records=1 crashes=0 moves",
        protocol="kip-595~may_still_be_members = whatever_it_was",
    ),
    Row(
        "last-replica-standing", "4.4.0", "NoAckedRecordLost",
        "replicas=2 records=1 min_isr=2 power_losses=1 crashes=1 elections=2 hw_needs_min_isr "
        "isr_propagation=kraft", protocol="kip-595",
    ),
    Row(
        "removed-replica", "4.4.0", "NoCommittedRecordLost",
        "replicas=3 records=1 crashes=1 elections=2 min_isr=2 elr reassignments=2 spare_broker "
        "isr_propagation=records",
        protocol="kip-595-reset~removed_are_eligible = stay_eligible",
    ),
    Row(
        "kafka-5634", "0.11.0.0", "NoFetcherFails", "records=2 crashes=0 elections=0 deletions=1",
        "0.11.0.3", 7,
    ),
    Row(
        "kafka-9491", "2.4.0", "NoFetcherFails",
        "replicas=3 records=2 crashes=0 elections=1 moves deletions=1", "2.4.1", 12,
    ),
    Row(
        "kafka-9491-for-ever", "2.4.0", "HwReachesLogEnd",
        "records=1 crashes=0 elections=1 moves deletions=1", "2.4.1", 8,
    ),
    Row(
        "kafka-12996", "2.8.0", "NoFetcherFails",
        "records=2 crashes=0 elections=2 moves deletions=1", "2.8.1", 11,
    ),
    Row(
        "remote-leos", "2.6.0", "NoAckedRecordLost",
        "replicas=3 records=1 elections=3 crashes=0 moves",
    ),
)  # fmt: skip
