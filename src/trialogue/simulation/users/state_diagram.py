"""Draw an interaction model as a state machine (Figure 5 of Zhang and Balog, KDD 2020), with the counts of a corpus.

SVG written without a library: the same model gives the same bytes. States are on a circle in a fixed order. The width of an
arrow is its transition's share of all transitions; the number on it is its share of the transitions from its state. The
tooltip of an arrow gives both states, share and count.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin, sqrt
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from trialogue.errors import UnknownNameError
from trialogue.records.kinds.acts import CIR6_STATES, MIXED
from trialogue.simulation.actions import QRFA_RELEASED, Qrfa
from trialogue.simulation.users.course import class_transitions, group_counts
from trialogue.simulation.users.interaction import END, Counts, InteractionModel

Level = Literal["coarse", "classes", "fine"]
LEVELS = ("coarse", "classes", "fine")
Point = tuple[float, float]

MAX_INSIDE = 10  # states whose names fit into their circles
CURVE = 0.16  # of an arrow, as a share of its length
INK, FILL, LINE = "#1b2733", "#eef3f7", "#2f6690"


@dataclass(frozen=True)
class _Canvas:
    """Sizes in pixels, by how many states there are."""

    size: float
    node: float
    margin: float
    names_inside: bool
    label_threshold: float
    """Shares below this have no number in the drawing."""

    @classmethod
    def for_states(cls, states: int) -> "_Canvas":
        if states <= MAX_INSIDE:
            return cls(size=720, node=36, margin=102, names_inside=True, label_threshold=0.045)
        return cls(size=960, node=11, margin=135, names_inside=False, label_threshold=0.195)

    def place(self, number: int, count: int) -> Point:
        angle = 2 * pi * number / count - pi / 2
        radius = self.size / 2 - self.margin
        return self.size / 2 + radius * cos(angle), self.size / 2 + radius * sin(angle)

    def angle_of(self, at: Point) -> float:
        """The angle at which a place lies, seen from the middle."""
        return atan2(at[1] - self.size / 2, at[0] - self.size / 2)


def to_svg(
    model: InteractionModel,
    *,
    level: Level = "coarse",
    qrfa: Qrfa = QRFA_RELEASED,
    counts: Mapping[tuple[str, str], int] | None = None,
) -> str:
    """Draw the chain of user actions as an SVG document.

    Args:
        model: model with its counts.
        level: ``coarse``: the actions of the space (CIR6's six, and mixed initiative); ``classes`` of QRFA, of users and
            agents; ``fine``: all user labels.
        qrfa: classes of labels.
        counts: counts of transitions; None: those of the level.

    Raises:
        UnknownNameError: there is no such level.
    """
    counts = transitions(model, level=level, qrfa=qrfa) if counts is None else counts
    states = _in_order({state for pair in counts for state in pair}, model.space.states)
    canvas = _Canvas.for_states(len(states))
    at = {state: canvas.place(number, len(states)) for number, state in enumerate(states)}
    totals = Counter[str]()
    for (state, _), count in counts.items():
        totals[state] += count
    most = max(counts.values(), default=1)
    rare_first = sorted(counts.items(), key=lambda pair: (pair[1], pair[0]))
    arrows = [_arrow(canvas, at, pair, count, count / totals[pair[0]], most) for pair, count in rare_first]
    nodes = [_node(canvas, at[state], _state_label(state)) for state in states]
    return _document(
        canvas, f"State transitions of users: {model.name} ({model.dialogues} dialogues)", [*arrows, *nodes]
    )


def transitions(
    model: InteractionModel, *, level: Level = "coarse", qrfa: Qrfa = QRFA_RELEASED
) -> dict[tuple[str, str], int]:
    """Counts of transitions between states of user actions, or classes of users and agents, ``END`` included.

    Raises:
        UnknownNameError: there is no such level.
    """
    if level not in LEVELS:
        raise UnknownNameError("level of a drawing", level, LEVELS)
    if level == "classes":
        counts = class_transitions(model, qrfa)
    else:
        states = model.space.states if level == "coarse" else {}
        counts = group_counts(model.chain, {label: states.get(label, label) for label in model.labels})
    return flatten(counts)


def flatten(counts: Counts) -> dict[tuple[str, str], int]:
    """Counts by pair of states."""
    return {(first, last): count for first, following in counts.items() for last, count in following.items()}


def _in_order(states: set[str], coarse: Mapping[str, str]) -> list[str]:
    """Order of states: CIR6's, grouped by action, then unknown ones by name, the end last."""
    known = [*CIR6_STATES, MIXED]

    def place(state: str) -> tuple[bool, int, str]:
        action = coarse.get(state, state)
        return state == END, known.index(action) if action in known else len(known), state

    return sorted(states, key=place)


def _state_label(state: str) -> str:
    return "end" if state == END else state


def _arrow(canvas: _Canvas, at: Mapping[str, Point], pair: tuple[str, str], count: int, share: float, most: int) -> str:
    """A bent arrow with its share beside it; one from a state to itself is a loop on the outside."""
    start, end = at[pair[0]], at[pair[1]]
    path, label = _loop(canvas, start) if start == end else _curve(canvas, start, end)
    often = sqrt(count / most)
    words = escape(f"{_state_label(pair[0])} → {_state_label(pair[1])}: {share:.3f} ({count})")
    number = f'<text x="{label[0]:.1f}" y="{label[1]:.1f}" class="share">{share:.2f}</text>'
    return (
        f'<g><title>{words}</title><path d="{path}" fill="none" stroke="{LINE}" stroke-width="{0.5 + 5 * often:.2f}" '
        f'stroke-opacity="{0.25 + 0.7 * often:.2f}" marker-end="url(#head)"/>'
        f"{number if share >= canvas.label_threshold else ''}</g>"
    )


def _curve(canvas: _Canvas, start: Point, end: Point) -> tuple[str, Point]:
    (x0, y0), (x1, y1) = start, end
    cx, cy = (x0 + x1) / 2 - CURVE * (y1 - y0), (y0 + y1) / 2 + CURVE * (x1 - x0)
    a, b = _move_towards(start, (cx, cy), canvas.node), _move_towards(end, (cx, cy), canvas.node + 7)
    t = 0.36  # a third of the way, so that the two directions between a pair of states do not share a spot
    x = (1 - t) ** 2 * a[0] + 2 * t * (1 - t) * cx + t * t * b[0]
    y = (1 - t) ** 2 * a[1] + 2 * t * (1 - t) * cy + t * t * b[1]
    return f"M{a[0]:.1f},{a[1]:.1f} Q{cx:.1f},{cy:.1f} {b[0]:.1f},{b[1]:.1f}", (x, y + 3)


def _loop(canvas: _Canvas, at: Point) -> tuple[str, Point]:
    angle, far = canvas.angle_of(at), canvas.node + 60 if canvas.names_inside else canvas.node + 34
    inside = 0 if canvas.names_inside else pi  # names outside leave the inside to loops
    points = [
        (at[0] + reach * cos(angle + inside + turn), at[1] + reach * sin(angle + inside + turn))
        for turn, reach in ((-0.5, canvas.node), (-0.7, far), (0.7, far), (0.5, canvas.node + 7))
    ]
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = points
    out = 0.25 * canvas.node + 0.75 * far
    label = (at[0] + out * cos(angle + inside), at[1] + out * sin(angle + inside) + 3)
    return f"M{ax:.1f},{ay:.1f} C{bx:.1f},{by:.1f} {cx:.1f},{cy:.1f} {dx:.1f},{dy:.1f}", label


def _move_towards(start: Point, end: Point, far: float) -> Point:
    length = hypot(end[0] - start[0], end[1] - start[1])
    return start[0] + far * (end[0] - start[0]) / length, start[1] + far * (end[1] - start[1]) / length


def _node(canvas: _Canvas, at: Point, name: str) -> str:
    circle = f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{canvas.node:.0f}" fill="{FILL}" stroke="{INK}"/>'
    if canvas.names_inside:
        size = 12 if len(name) < 10 else 9
        return (
            f'{circle}<text x="{at[0]:.1f}" y="{at[1] + 4:.1f}" class="state" font-size="{size}">{escape(name)}</text>'
        )
    turn = canvas.angle_of(at)
    x, y = at[0] + (canvas.node + 5) * cos(turn), at[1] + (canvas.node + 5) * sin(turn) + 4
    anchor = "start" if cos(turn) > 0.25 else "end" if cos(turn) < -0.25 else "middle"
    y += (-6 if sin(turn) < 0 else 6) if anchor == "middle" else 0
    return f'{circle}<text x="{x:.1f}" y="{y:.1f}" fill="{INK}" font-size="12" text-anchor="{anchor}">{escape(name)}</text>'


def _document(canvas: _Canvas, title: str, parts: list[str]) -> str:
    size, middle = f"{canvas.size:.0f}", f"{canvas.size / 2:.0f}"
    height = f"{canvas.size + 44:.0f}"
    note = "Number: transition probability. Width: frequency."
    if canvas.label_threshold:
        note += f" Probabilities below {canvas.label_threshold + 0.005:.2f} are not shown."
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {height}" role="img" '
        f'font-family="system-ui, sans-serif" aria-label={quoteattr(title)}>',
        f"<title>{escape(title)}</title>",
        f"<style>.state{{fill:{INK};text-anchor:middle}}.share{{fill:{INK};font-size:10px;text-anchor:middle;"
        "paint-order:stroke;stroke:#fff;stroke-width:3px}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{LINE}"/></marker></defs>',
        f'<rect width="{size}" height="{height}" fill="#fff"/>',
        *parts,
        f'<text x="{middle}" y="{canvas.size + 12:.0f}" class="state" font-size="14">{escape(title)}</text>',
        f'<text x="{middle}" y="{canvas.size + 31:.0f}" class="state" font-size="11" fill-opacity=".7">{note}</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
