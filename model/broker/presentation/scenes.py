"""How the broker family shows its states and steps, and the legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....core.fields import NONE
from ....core.scene import Detail, Entry, Message, Participant, Promise, Scene, View
from ..bounds import ACKS_ALL, ZOOKEEPER, Constants
from ..leadership import leads
from ..messages import (
    DELAYED_FETCH,
    DIVERGING,
    EPOCH_REQUEST,
    FETCH,
    FETCH_RESPONSE,
    IDLE,
    LIST_OFFSETS,
    NOTHING,
    ORPHANED,
    REQUEST,
)
from ..rules import explained
from ..state import BrokerState
from .events import event
from .pictures import (
    ACKED,
    CLIENTS,
    CONTROLLER,
    Announcement,
    Answer,
    Broker,
    Clients,
    Partition,
    Proposal,
    announced,
    broker,
    cached,
    partition_of,
    proposal,
)
from .propagation import (
    REFUSALS,
    alter_partition,
    clients,
    controller,
    isr_changes,
    requests,
    unapplied,
)
from .view import RESTARTED, in_flight, leadership, log, role, waiting


def scene(s: BrokerState, k: Constants) -> Scene:
    """Return the picture of a state."""
    partition = s.partition
    role_text, isr = leadership(s)
    participants: list[Participant] = [
        Partition(
            CONTROLLER,
            role_text,
            (*isr, *controller(s, k)),
            alive=not s.controller.down,
            epoch=partition.epoch,
            leader=partition.leader,
            isr=partition.isr,
            elr=partition.elr,
            replicas=partition.replicas,
            cached=s.controller.isr,
            kraft=k.kraft,
            known=frozenset(epoch for epoch, sent in enumerate(s.leader_and_isr) if sent.known),
            unapplied=frozenset((s.leader_and_isr[epoch].leader, epoch) for epoch in unapplied(s)),
        )
    ]
    participants += [_participant(s, k, number) for number in range(k.replicas)]
    metadata = clients(s, k) if k.isr_propagation == ZOOKEEPER else {}
    written = f"{s.written} of {k.records} written"
    lines = tuple(metadata.values())
    participants.append(Clients(CLIENTS, written, lines, quiet=not metadata, metadata=metadata))
    return Scene(
        tuple(participants),
        (*_requests(s, k), *_proposals(s), *_announcements(s, k)),
        (*_read(s, k), *_acked(s, k)),
    )


def _participant(s: BrokerState, k: Constants, number: int) -> Broker:
    replica = s.replica[number]
    details = []
    starts = enumerate(replica.epoch_cache)
    cache = tuple((epoch, start) for epoch, start in starts if start != NONE)
    if k.hw_checkpoint:
        details.append(Detail(f"HW on disk: {replica.checkpoint}", about="checkpoint"))
    if k.rules.epoch_cache:
        details.append(Detail(f"epoch cache: {cached(cache)}", about="epoch cache"))
    if s.late_fetch[number].leader != NONE:
        late = s.late_fetch[number]
        line = f"its fetch at {late.offset} is still at broker {late.leader}"
        details.append(Detail(line, about="late fetch"))
    details += isr_changes(s, k, number)
    delayed = waiting(s, number)
    details += [Detail(f"in purgatory: {request}", about="purgatory") for request in delayed]
    return Broker(
        name=broker(number),
        role=role(s, number),
        details=tuple(details),
        alive=bool(replica.alive),
        epoch=replica.epoch if replica.leader != NONE else None,
        leads=replica.epoch if replica.leader == number else None,
        log=log(replica),
        isr=replica.isr if leads(s, number) else 0,
        replica=number,
        follows=replica.leader if replica.alive and not leads(s, number) else NONE,
        truncating=bool(replica.truncating),
        fenced=_is_fenced(s, k, number),
        remote_leos=tuple(replica.remote_leo),
        cache=cache,
        proposed=replica.proposed,
        rules=k.rules,
    )


def _is_fenced(s: BrokerState, k: Constants, follower: int) -> bool:
    """Whether the broker that a follower follows refuses a request of the follower's epoch."""
    leader, epoch = s.replica[follower].leader, s.replica[follower].epoch
    if leader == NONE:
        return False
    if s.message[follower].kind == EPOCH_REQUEST:
        return not k.rules.may_serve_epoch_request(s, k, leader, epoch)
    return not k.rules.may_serve_fetch(s, k, leader, epoch)


def _requests(s: BrokerState, k: Constants) -> list[Answer]:
    """Return the messages in flight between followers and leaders."""
    messages = []
    for follower in range(k.replicas):
        message = s.message[follower]
        kind, leader = message.kind, s.replica[follower].leader
        if kind in (IDLE, DELAYED_FETCH):
            continue
        text = in_flight(s, k, follower)
        asks = kind in (FETCH, LIST_OFFSETS, EPOCH_REQUEST)
        ends = (follower, leader) if asks else (leader, follower)
        names = broker(ends[0]), broker(ends[1])
        messages.append(
            Answer(f"{follower}", *names, text, kind=kind, of=message.epoch, end=message.end_offset)
        )
    return messages


def _proposals(s: BrokerState) -> list[Proposal]:
    """Return the messages in flight between leaders and the controller."""
    proposals = []
    for number, message in enumerate(s.alter_partition):
        if message.kind != NOTHING:
            asks = message.kind in (REQUEST, ORPHANED)
            ends = (broker(number), CONTROLLER) if asks else (CONTROLLER, broker(number))
            text = alter_partition(s, number)
            why = REFUSALS.get(message.kind, "")
            outdated = requests(s, number)
            proposals.append(
                Proposal(proposal(number), *ends, text, refusal=why, outdated=outdated)
            )
    return proposals


def _announcements(s: BrokerState, k: Constants) -> list[Announcement]:
    """Return each LeaderAndIsr that a live broker may still apply."""
    return [
        Announcement(
            announced(number, epoch),
            CONTROLLER,
            broker(number),
            f"e{epoch}: {'no leader' if sent.leader == NONE else f'{sent.leader} leads'}",
            quiet=True,
            epoch=epoch,
            continues=number != sent.leader != NONE
            and not k.rules.has_new_leader(s, k, number, epoch),
        )
        for epoch, sent in enumerate(s.leader_and_isr)
        if epoch <= s.partition.epoch and (sent.leader != NONE or sent.isr or k.change_records)
        for number in range(k.replicas)
        if s.replica[number].alive and s.replica[number].epoch < epoch
    ]


def _read(s: BrokerState, k: Constants) -> list[Promise]:
    """Return what consumers have read, or may have read."""
    stale = k.isr_propagation == ZOOKEEPER and k.track_read
    consumed = [
        Promise(
            CLIENTS,
            f"m{entry.record}",
            f"read in e{entry.epoch}",
            f"a consumer reads m{entry.record} at offset {offset}",
        )
        for offset, entry in enumerate(s.aux_read)
        if stale and entry.record != NONE
    ]
    return consumed + [
        Promise(
            CLIENTS,
            f"m{entry.record}",
            f"committed in e{entry.epoch}",
            f"m{entry.record} is committed at offset {offset}: consumers "
            + ("may read it" if stale else "read it"),
        )
        for offset, entry in enumerate(s.aux_committed)
        if entry.record != NONE
    ]


def _acked(s: BrokerState, k: Constants) -> list[Promise]:
    """Return the records that were acknowledged to their producers."""
    acks = "all" if k.acks == ACKS_ALL else k.acks
    return [
        Promise(
            CLIENTS,
            f"m{record}",
            ACKED,
            f"m{record} is acknowledged to its producer (acks={acks})",
        )
        for record, entry in enumerate(s.aux_acked)
        if entry.epoch != NONE
    ]


def legend(scenes: Sequence[Scene]) -> tuple[str, ...]:
    """Return the legend of roles, records and messages, with examples from a behavior."""
    brokers = [
        (who, partition_of(scene))
        for scene in reversed(scenes)
        for who in scene.participants
        if isinstance(who, Broker)
    ]
    messages = [message for scene in scenes for message in scene.messages]
    record = next(_entries(scenes), Entry("m0", 1))
    leading = next((who for who, _ in brokers if who.leads is not None), None)
    leads, epoch = (leading.role, leading.leads) if leading else ("leads e1 isr {0,2}", 1)
    is_stale = any(who.leads not in (None, partition.epoch) for who, partition in brokers)
    texts = [
        f"m0, m1, … are records in the order in which producers wrote them; {record} is "
        f"{record.name}, written in leader epoch {record.epoch}. Offsets are counted "
        "separately.",
        f"“{leads}” is a broker that believes it leads leader epoch "
        f"{epoch} with the replicas in braces in sync."
        + (" “(stale)” marks a former leader." if is_stale else ""),
    ]
    if follower := next((who for who, _ in brokers if who.follows != NONE), None):
        texts.append(
            f"“{follower.role}” is one that follows broker {follower.follows} in epoch "
            f"{follower.epoch}."
        )
    if any(who.role == RESTARTED for who, _ in brokers):
        texts.append(
            f"“{RESTARTED}” is one that waits for LeaderAndIsr, or for the metadata with KRaft."
        )
    if any(who.follows != NONE and who.truncating for who, _ in brokers):
        texts.append(
            "“truncating” is a follower that must first send OffsetsForLeaderEpoch to its leader "
            "and truncate its log by the answer; only then it fetches."
        )
    if any(partition.elr for _, partition in brokers):
        texts.append(
            "“elr” are the eligible leader replicas: they are not in the ISR, and one may lead if "
            "no member of the ISR is alive (KIP-966)."
        )
    rules = brokers[0][0].rules
    if rules.epoch_cache:
        dropped = map(explained, (rules.assign_epoch, rules.truncates_cache))
        # What drops entries, and which, so that one verb serves both.
        drops = ", ".join(filter(None, dropped)).replace(":", " drops", 1).replace(":", "")
        texts.append(
            "An epoch cache (leader-epoch-checkpoint) has the start offset of each leader epoch "
            f"that its broker knows, on disk.{drops and f' {drops[0].upper()}{drops[1:]}.'}"
        )
    return (*texts, *_messages(messages))


def _messages(messages: Sequence[Message]) -> Iterator[str]:
    """Yield how to read messages, with examples among these."""
    answers = [message for message in messages if isinstance(message, Answer)]
    responses = [answer.text for answer in answers if answer.kind == FETCH_RESPONSE]
    if responses:
        yield f"“{max(responses, key=len)}” is a fetch response with the leader's high watermark."
    if diverging := next((answer.text for answer in answers if answer.kind == DIVERGING), ""):
        yield (
            f"“{diverging}” is a fetch response without records: the leader's log "
            "diverges from the follower's there (KIP-595)."
        )


def _entries(scenes: Sequence[Scene]) -> Iterator[Entry]:
    """Yield the records in logs."""
    return (e for s in scenes for who in s.participants if who.log for e in who.log.entries)


VIEW = View(scene, event, legend)
