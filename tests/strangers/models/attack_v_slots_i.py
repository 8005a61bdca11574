"""object with slots reached through a dataclass field"""

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    top: int = number(4, 1, 9, "the highest count")


class State(Record):
    x: int = integer(0, 20, "the count")
    y: int = integer(0, 9, "the last answer")


model = Model(Bounds, State, deadlock=False)


@dataclass
class Book:
    pages: list


@dataclass(frozen=True)
class Shelf:
    book: Book


SHELF = Shelf(Book([]))


def ticket(n: int) -> int:
    match SHELF:
        case Shelf(book=Book(pages=pages)):
            if n not in pages:
                pages.append(n)
            return len(pages)
    return 0


@model.action("worker")
def step(s: State, k: Bounds) -> bool:
    """Count one step."""
    if s.x >= k.top:
        return False
    s.y = min(ticket((s.x * 3) % 5), 9)
    s.x += 1
    return True


@model.invariant("The count stays in its range.")
def bounded(s: State, k: Bounds) -> bool:
    return s.x <= k.top

# expect: refused 38
