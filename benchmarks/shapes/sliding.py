"""Klotski-like sliding puzzle: pieces slide on a small board until the big one reaches the exit.

Source: SlidingPuzzles.tla in tlaplus/Examples.
"""

from dataclasses import dataclass
from enum import IntEnum

from tidegate import Model, Record, array, integer, number

WIDTH, HEIGHT = 4, 5
# Each piece: width, height, first column, first row.
PIECES = [
    (2, 2, 1, 0),
    (1, 2, 0, 0),
    (1, 2, 3, 0),
    (1, 2, 0, 2),
    (2, 1, 1, 2),
    (1, 1, 1, 3),
    (1, 1, 2, 3),
    (1, 2, 3, 2),
]


class Direction(IntEnum):
    NORTH = 0
    SOUTH = 1
    EAST = 2
    WEST = 3

    @property
    def delta(self) -> tuple[int, int]:
        return {
            Direction.NORTH: (0, -1),
            Direction.SOUTH: (0, 1),
            Direction.EAST: (1, 0),
            Direction.WEST: (-1, 0),
        }[self]


@dataclass(frozen=True)
class Bounds:
    pieces: int = number(4, 1, len(PIECES), "pieces on the board", main=True)


class Position(Record):
    x: int = integer(0, WIDTH - 1, "column")
    y: int = integer(0, HEIGHT - 1, "row")


class State(Record):
    piece: list[Position] = array(lambda k: k.pieces, Position, by="piece")


model = Model(Bounds, State, participants={"piece": lambda k: k.pieces})


@model.initial
def start(s: State, k: Bounds):
    for i, (_, _, x, y) in enumerate(PIECES[: k.pieces]):
        s.piece[i].x = x
        s.piece[i].y = y
    yield


def cells(s: State, i: int) -> set[tuple[int, int]]:
    """The cells that a piece covers."""
    width, height, *_ = PIECES[i]
    at = s.piece[i]
    return {(at.x + dx, at.y + dy) for dx in range(width) for dy in range(height)}


@model.action("piece", direction=lambda k: list(Direction))
def slide(s: State, k: Bounds, piece: int, direction: Direction) -> bool:
    """A piece slides by one cell."""
    dx, dy = direction.delta
    moved = {(x + dx, y + dy) for x, y in cells(s, piece)}
    if any(not (0 <= x < WIDTH and 0 <= y < HEIGHT) for x, y in moved):
        return False
    for other in range(k.pieces):
        if other != piece and moved & cells(s, other):
            return False
    s.piece[piece].x += dx
    s.piece[piece].y += dy
    return True


@model.invariant("Pieces do not overlap.")
def apart(s: State, k: Bounds) -> bool:
    return all(cells(s, a).isdisjoint(cells(s, b)) for a in range(k.pieces) for b in range(a))


@model.sometimes("The big piece reaches the exit.")
def solved(s: State, k: Bounds) -> bool:
    return (s.piece[0].x, s.piece[0].y) == (1, 3)
