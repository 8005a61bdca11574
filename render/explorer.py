"""The explorer in the terminal: widgets around an exploration, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.console import Group
from rich.markup import escape
from rich.table import Table
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer, Header, OptionList, Static
from textual.widgets.option_list import Option

from ..checker.explore import Disabled, Exploration
from ..core.behavior import Behavior
from ..core.errors import one_line
from ..core.spec import Step
from .console import Text
from .narrative import narrate
from .summary import count


class Steps(OptionList):
    """A list of steps, whose Enter is handled before the key that follows it.

    Textual sends a message that an option is selected.  A key that follows at once would overtake
    it, and a jump would begin in the state before the step.
    """

    def __init__(self, name: str, chosen: Callable[[int], None]) -> None:
        super().__init__(id=name)
        self._chosen = chosen

    def action_select(self) -> None:
        """Choose the highlighted step, which a click highlights, too."""
        if self.highlighted is not None:
            self._chosen(self.highlighted)


class Explorer(App[None]):
    """Choose among the enabled steps, see why others are not enabled, go back, jump, save.

    Parameters
    ----------
    exploration
        The states to step through.
    save
        Saves the behavior so far and says where.
    most
        A jump explores at most this many states.
    """

    CSS = """
    #left { width: 3fr; }
    #right { width: 2fr; }
    #state, #detail { border: round $primary; padding: 0 1; }
    #state { height: 2fr; }
    #detail { height: 1fr; }
    OptionList { border: round $primary; }
    #enabled { height: 1fr; }
    #disabled { height: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("b", "back", "Back"),
        ("i", "begin", "Next initial state"),
        ("v", "jump", "Jump to a violation"),
        ("s", "save", "Save as a trace"),
        ("tab", "app.focus_next", "Other list"),
        ("q", "quit", "Quit"),
    ]

    def __init__(self, exploration: Exploration, save: Callable[[], str], most: int) -> None:
        super().__init__()
        self.exploration = exploration
        self.save_behavior = save
        self.most = most
        self.title = one_line(exploration.system.heading)
        self.enabled_steps: list[Step] = []
        self.disabled_steps: list[Disabled] = []

    def compose(self) -> ComposeResult:
        """Lay out the state, what a step would do, and the two lists."""
        yield Header(icon="")
        with Horizontal():
            with Vertical(id="left"):
                with VerticalScroll(id="state"):
                    yield Static(id="shown")
                with VerticalScroll(id="detail"):
                    yield Static(id="why")
            with Vertical(id="right"):
                yield Steps("enabled", self.take)
                yield Steps("disabled", lambda _: self.bell())
        yield Footer()

    def on_mount(self) -> None:
        """Show the initial state."""
        self.query_one("#state").border_title = "State"
        self.query_one("#detail").border_title = "What the step would do, or why it is not enabled"
        self._show()
        self.query_one("#enabled").focus()

    def take(self, number: int) -> None:
        """Take an enabled step."""
        self.exploration.take(self.enabled_steps[number])
        self._show()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Say what the highlighted step would do, or which guard refuses it."""
        number = event.option_list.highlighted
        if number != event.option_index:  # The list is another one since, after a step.
            return
        if event.option_list.id == "enabled":
            self._preview(self.enabled_steps[number])
        else:
            disabled = self.disabled_steps[number]
            reason = f"{disabled.step} is not enabled. Its guard refuses it:\n{disabled.why}"
            self._tell(Text(reason))

    async def action_back(self) -> None:
        """Undo the last step."""
        if self.exploration.back():
            self._show()
        else:
            self.notify("this is the initial state", severity="warning")

    def action_begin(self) -> None:
        """Begin anew in the next initial state, after the last one in the first."""
        initial = len(self.exploration.initial_states)
        if initial == 1:
            self.notify("there is one initial state", severity="warning")
            return
        self.exploration.begin((self.exploration.start + 1) % initial)
        self._show()

    def action_jump(self) -> None:
        """Jump to the nearest violation."""
        said = self.exploration.jump(self.most)
        self._show()
        self._say(said)

    def action_save(self) -> None:
        """Save the behavior so far."""
        self._say(self.save_behavior())

    def _show(self) -> None:
        """Show the present state and what can be done in it."""
        self.enabled_steps = self.exploration.enabled()
        self.disabled_steps = self.exploration.disabled()
        self.sub_title = self._where()
        self.query_one("#shown", Static).update(self._state())
        self._fill("enabled", [str(step) for step in self.enabled_steps], "Enabled: Enter takes")
        self._fill(
            "disabled", [str(disabled.step) for disabled in self.disabled_steps], "Not enabled"
        )
        if not self.enabled_steps:
            self._tell(Text("No step is enabled here."))

    def _where(self) -> str:
        """Return how far the behavior is, and in which of several initial states it begins."""
        steps = count(len(self.exploration.trace.steps), "step")
        initial = len(self.exploration.initial_states)
        if initial == 1:
            return steps
        return f"{steps} from initial state {self.exploration.start + 1:,} of {initial:,}"

    def _fill(self, name: str, lines: list[str], title: str) -> None:
        """Put steps into a list."""
        listed = self.query_one(f"#{name}", OptionList)
        listed.border_title = f"{title} ({len(lines)})"
        listed.clear_options()
        listed.add_options([Option(Text(line)) for line in lines])
        if lines and name == "enabled":
            listed.highlighted = 0

    def _state(self) -> Group:
        """Return the present state, a column per participant, with what it violates."""
        exploration = self.exploration
        with exploration.system.noting() as failed:
            [scene] = exploration.system.scenes([exploration.state])
        table = Table(box=None, padding=(0, 2, 0, 0))
        for name in scene.columns:
            table.add_column(name, overflow="fold")
        table.add_row(*(Text(text) for text in scene.columns.values()))
        parts: list[Table | Text] = [table, *map(Text, failed), Text()]
        for prop in exploration.violated():
            text = exploration.system.explain(prop, exploration.state)
            parts.append(Text.assemble((f"VIOLATED {prop.name}: ", "bold red"), text, "\n"))
        lines = [f"{number}. {step}" for number, step in enumerate(exploration.trace.steps, 1)]
        parts.append(Text("\n".join(["Steps so far, latest first:", *reversed(lines)])))
        return Group(*parts)

    def _preview(self, step: Step) -> None:
        """Say what a step would do, and which guards let it."""
        trace = self.exploration.peek(step)
        if trace is None:
            return
        moment = narrate(Behavior(self.exploration.system, trace)).moments[1]
        lines = [moment.event.sentence]
        lines += [f"- {change.who}: {change.text}" for change in moment.changes]
        lines += ["Enabled, since", *(f"- {reason}" for reason in moment.reasons)]
        self._tell(Text("\n".join(lines)))

    def _say(self, line: str) -> None:
        """Show a line for a moment; Textual would read markup in it."""
        self.notify(escape(one_line(line)))

    def _tell(self, text: Text) -> None:
        self.query_one("#why", Static).update(text)
