"""What a model says about fairness: of one action, and of several together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...core.errors import about, misused
from ...core.sources import original_of
from ...core.spec import Action, Fairness, JointFairness

_REPAIR = "write model.fairness(Fairness.WEAK, first, second), or model.fairness(Fairness.WEAK)"


class Fair:
    """The actions of a model, and the fairness that it declares of several together."""

    def __init__(self) -> None:
        self._actions: dict[str, Action] = {}
        self._fair_by_default: set[str] = set()
        self._together: list[JointFairness] = []

    def fairness(
        self,
        fairness: Fairness,
        /,
        *actions: Callable[..., bool],
        fair_per: Sequence[str] = (),
    ) -> None:
        r"""Declare the fairness of several actions together: WF or SF of their disjunction.

        ``model.fairness(Fairness.WEAK, take, release)`` is WF_vars(take \/ release), and
        ``model.fairness(Fairness.WEAK)``, which names none, WF_vars(Next).  An action that it is
        about has then no fairness of its own, unless its decorator declares one.

        Parameters
        ----------
        fairness
            Weak or strong.
        actions
            Two actions of the model or more; none for all of them.
        fair_per
            Parameters that each of them has: the fairness is for each choice of these.

        Raises
        ------
        ModelError
            If these are not actions of the model, or lack such a parameter, or their fairness
            together is declared already.
        """
        if fairness not in (Fairness.WEAK, Fairness.STRONG):
            raise misused(
                f"model.fairness got {fairness!r}; it takes Fairness.WEAK or Fairness.STRONG, then "
                f"actions: {_REPAIR}"
            )
        if isinstance(fair_per, str):
            raise misused(
                f"fair_per of model.fairness is {fair_per!r}; it must be a tuple of names, such as "
                '("client",)'
            )
        names = tuple(dict.fromkeys(self._name_of(action) for action in actions))
        if len(names) == 1:
            raise about(
                actions[0],
                f"model.fairness names one action, {names[0]}; declare its fairness where it is "
                "declared, @model.action(..., fairness=...), or name another one",
            )
        joint = JointFairness(fairness, names or None, tuple(fair_per))
        for other in self._together:
            if (other.named, other.fair_per) == (joint.named, joint.fair_per):
                raise misused(
                    f"model.fairness is declared twice for {joint.named}: {other.owed}, and "
                    f"{joint.owed}; strong implies weak, so leave one of them out"
                )
        self._together.append(joint)

    def _name_of(self, function: Any, caller: str = "model.fairness") -> str:
        """Return the name of the action that a function is."""
        for name, action in self._actions.items():
            if original_of(action.apply) is function:
                return name
        known = ", ".join(action.apply.__name__ for action in self._actions.values())
        what = getattr(function, "__name__", repr(function))
        raise about(
            function,
            f"{caller} names {what}, which is not an action of this model; it has "
            f"{known or 'none'}, and they are declared before it",
        )

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions that are declared so far, each with the fairness that it has by itself."""
        made = []
        for action in self._actions.values():
            together = [joint for joint in self._together if joint.includes(action)]
            for joint in together:
                if missing := [one for one in joint.fair_per if one not in action.parameters]:
                    there = ", ".join(action.parameters) or "none"
                    raise about(
                        action.apply,
                        f"model.fairness of {joint.named}: fair_per names {missing[0]}, but the "
                        f"parameters of {action.name} are {there}",
                    )
            by_default = action.name in self._fair_by_default
            none = together and by_default
            made.append(replace(action, fairness=Fairness.NONE) if none else action)
        return tuple(made)
