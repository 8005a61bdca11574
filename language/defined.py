"""Functions of Python on whole numbers and lists, written in the language of models.

A rule that calls ``math.gcd`` is lowered as if it called the function here, which gives the same
number, and raises where Python raises.
"""

from __future__ import annotations

from typing import Any


def power(base: int, exponent: int) -> int:
    """Return a power; Python has a fraction where the exponent is negative."""
    if exponent < 0:
        raise ValueError
    result = 1
    for _ in range(exponent):
        result *= base
    return result


def power_modulo(base: int, exponent: int, modulus: int) -> int:
    """Return the remainder of a power."""
    if exponent < 0:
        raise ValueError
    result = 1 % modulus
    for _ in range(exponent):
        result = result * base % modulus
    return result


def gcd(*values: int) -> int:
    """Return the greatest number that divides all values."""
    result = 0
    for value in values:
        other = abs(value)
        while other:
            result, other = other, result % other
    return result


def lcm(*values: int) -> int:
    """Return the least number that all values divide."""
    result = 1
    for value in values:
        if value == 0:
            return 0
        one, other = result, abs(value)
        while other:
            one, other = other, one % other
        result = result // one * abs(value)
    return result


def isqrt(value: int) -> int:
    """Return the square root, rounded down."""
    if value < 0:
        raise ValueError
    low, high = 0, 1
    while high * high <= value:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if middle * middle <= value:
            low = middle
        else:
            high = middle
    return low


def factorial(value: int) -> int:
    """Return the product of the numbers up to a value."""
    if value < 0:
        raise ValueError
    result = 1
    for number in range(2, value + 1):
        result *= number
    return result


def perm(count: int, chosen: int) -> int:
    """Return how many sequences of some of so many things there are."""
    if count < 0 or chosen < 0:
        raise ValueError
    result = 1
    for number in range(chosen):
        result *= max(count - number, 0)
    return result


def comb(count: int, chosen: int) -> int:
    """Return how many sets of some of so many things there are."""
    if count < 0 or chosen < 0:
        raise ValueError
    result = 1
    for number in range(chosen):
        result = result * max(count - number, 0) // (number + 1)
    return result


def permuted(values: list[Any], number: int) -> tuple[Any, ...]:
    """Return the order of values that ``itertools.permutations`` gives after so many others."""
    rest = list(values)
    result = []
    orders = factorial(len(values))
    while rest:
        orders //= len(rest)
        result.append(rest.pop(number // orders))
        number %= orders
    return tuple(result)
