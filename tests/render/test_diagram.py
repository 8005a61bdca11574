"""The space-time diagram: texts find room, and what must be seen is drawn."""

from itertools import combinations

import pytest

from tidegate.render.diagram import LINE, WIDE, Box, Room, Spot, diagram, wrapped


def box(text):
    """Return the room that a drawn text takes, a little less than was reckoned with."""
    width = WIDE * len(text.text)
    left = text.x - {"start": 0, "middle": width / 2, "end": width}[text.anchor]
    return Box(left, text.y - LINE + 3, left + width, text.y + 1)


def test_texts_do_not_lie_on_each_other(told):
    drawn = diagram(told)
    texts = sorted((it for it in drawn.texts if it.kind != "cross"), key=lambda it: it.y)
    for one, other in combinations(texts, 2):
        if other.y - one.y < LINE:
            assert box(one).shared(box(other)) < 40, (one, other)


def test_no_word_of_a_note_is_cut_off(told):
    assert not [it for it in diagram(told).texts if it.kind == "note" and "…" in it.text]


def test_texts_stay_within_the_diagram(told):
    drawn = diagram(told)
    for text in drawn.texts:
        assert box(text).right <= drawn.width + 20
        assert box(text).left >= 100


def test_it_says_why_a_message_was_dropped(loss):
    said = " ".join(it.text for it in diagram(loss).texts if it.kind == "label lost")
    assert said == "dropped: broker 1 crashed"


def test_messages_that_arrive_together_have_heads_apart(told):
    ends = [
        (it.x2, it.y2, it.x1 < it.x2) for it in diagram(told).lines if it.head and it.y1 < it.y2
    ]
    assert len(ends) == len(set(ends))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("leads e0 isr {0}", ["leads e0 isr {0}"]),
        ("HW 1 · leads e0 isr {0}", ["HW 1 · leads e0", "isr {0}"]),
        ("word " * 30, ["word word word word", "word word word word", "word word word …"]),
    ],
)
def test_a_text_is_broken_between_words(text, lines):
    assert wrapped(text) == lines


def test_a_text_goes_where_there_is_room():
    room = Room(400, 0, [200])
    spots = [Spot(10, 50), Spot(10, 80)]
    assert room.put(spots, ["one"]) == spots[0]
    assert room.put(spots, ["two"]) == spots[1]
    assert room.put([Spot(190, 150), Spot(390, 150), Spot(210, 150)], ["three"]).x == 210
