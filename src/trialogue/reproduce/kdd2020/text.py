"""Render both tables as text in the paper's form, published values above ours."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from trialogue.records import JsonValue
from trialogue.records.files.opening import write_text
from trialogue.reproduce.kdd2020.cells import TABLES_FILE, Cell, Order, Reproduction
from trialogue.reproduce.kdd2020.paper_values import (
    DIGITS,
    DS_KL,
    LITERAL,
    METHODS,
    REAL,
    REASONS,
    SHAPE,
    SYSTEMS,
    TABLES,
    TURNS,
    TURNS_BY_SOURCE,
    USERS,
    WHY_REPLAY,
    published_value,
)
from trialogue.reproduce.kdd2020.realism import render_realism

LETTERS = (*SYSTEMS, SHAPE)
WIDTH, FIRST = 24, 21
TUNED_MARK = "†"
MARKS = {"exact": " =", "agrees": " ~", "differs": " ≠", None: ""}


def write_tables(found: Reproduction, folder: Path) -> Path:
    """Write ``tables.json`` and ``tables.txt`` into a folder; returns the path of the latter."""
    write_text(folder / TABLES_FILE, json.dumps(found.to_json(), ensure_ascii=False, indent=1) + "\n")
    write_text(folder / "tables.txt", render_tables(found) + "\n")
    return folder / "tables.txt"


def render_tables(found: Reproduction) -> str:
    """Text of the tables, the rankings, and what could not be reproduced, with reasons."""
    return "\n".join(
        [
            "Zhang and Balog (KDD 2020), Tables 4 to 7: published, and reproduced with 95% intervals.",
            (
                f"{found.settings.get('n', '?')} simulated dialogues per cell (the paper: A 25, B and C 100); A, "
                "B, C replayed, C' a live recommender with the structure of C."
            ),
            _users(found),
            "= the published number, ~ within the sampling error of both, ≠ different.",
            *_tuning_lines(found),
            *_tables(found),
            "",
            (
                "Rankings of the systems (Table 5), and the share of resamples of people and dialogues in which "
                "they hold:"
            ),
            *_orders(found),
            "",
            *_difference_lines(found),
            "",
            render_realism(),
        ]
    )


def _options(found: Reproduction) -> dict[str, JsonValue]:
    """Options of the users that were asked for."""
    options = found.settings.get("options")
    return dict(options) if isinstance(options, Mapping) else {}


def _users(found: Reproduction) -> str:
    given = _options(found)
    source = given.pop("as", "")
    changed = ", ".join(f"{name}: {value}" for name, value in given.items())
    return USERS[str(source)] + (f"\nOptions of the users that were changed: {changed}." if changed else "")


def _tables(found: Reproduction) -> Iterator[str]:
    for title, names in TABLES.items():
        yield f"\n{title}"
        for name in names:
            yield f"\n{name:<{FIRST}}" + "".join(f"{letter:<{WIDTH}}" for letter in LETTERS).rstrip()
            for method in (REAL, *METHODS):
                if name == DS_KL and method == REAL:
                    continue
                printed = [published_value(name, method, letter) for letter in LETTERS]
                cells = [found.cell(name, method, letter) for letter in LETTERS]
                yield _line(f"{method}", [_number(value, name) for value in printed])
                yield _line("  here", [_cell_text(cell) for cell in cells])


def _line(head: str, cells: list[str]) -> str:
    return (f"{head:<{FIRST}}" + "".join(f"{cell:<{WIDTH}}" for cell in cells)).rstrip()


def _number(value: float | None, name: str) -> str:
    return "" if value is None else f"{value:.{DIGITS[name]}f}"


def _cell_text(cell: Cell | None) -> str:
    if cell is None:
        return ""
    if cell.value is None:
        return "undefined"
    value = _number(cell.value, cell.measure)
    if cell.low is not None and cell.high is not None:
        value += f" [{_number(cell.low, cell.measure)}, {_number(cell.high, cell.measure)}]"
    return value + MARKS[cell.verdict] + (TUNED_MARK if cell.tuned else "")


def _tuning_lines(found: Reproduction) -> Iterator[str]:
    """Legend of the tuning mark, one line per choice."""
    reasons = dict.fromkeys(cell.tuned for cell in found.cells if cell.tuned)
    yield from (f"{TUNED_MARK} no evidence: {reason}." for reason in reasons)


def _orders(found: Reproduction) -> Iterator[str]:
    for order in found.orders:
        yield f"{order.measure:<14}{order.method:<13}{_order_text(found, order)}"


def _order_text(found: Reproduction, order: Order) -> str:
    cells = [found.cell(order.measure, order.method, letter) for letter in order.here.split()]
    here = " ".join(f"{cell.letter} ({_number(cell.value, cell.measure)})" for cell in cells if cell is not None)
    paper = " ".join(
        f"{letter} ({_number(published_value(order.measure, order.method, letter), order.measure)})"
        for letter in order.published.split()
    )
    return f"published {paper}, holds in {_share(order.published_share)}; here {here}, in {_share(order.share)}"


def _share(share: float | None) -> str:
    return "a share unknown" if share is None else f"{share:.0%}"


def _difference_lines(found: Reproduction) -> Iterator[str]:
    real = [cell for cell in found.cells if cell.method == REAL and cell.measure != LITERAL]
    exact = sum(cell.verdict == "exact" for cell in real)
    fitted = sum(bool(cell.tuned) for cell in real if cell.verdict == "exact")
    yield (
        f"Real users: {exact} of {len(real)} cells equal the published numbers to the last digit, {fitted} of them (Reward) "
        "by a fitted choice."
    )
    yield "The systems themselves:"
    yield from (f"  {letter}: {why}" for letter, why in WHY_REPLAY.items())
    yield "Simulated rows that differ from the paper, and known reasons:"
    turns = TURNS_BY_SOURCE.get(str(_options(found).get("as")), REASONS[TURNS])
    for name, why in {**REASONS, TURNS: turns}.items():
        cells = [cell for cell in found.cells if cell.measure == name and cell.verdict == "differs"]
        if name == DS_KL:
            yield f"  {name}: not comparable. {why}"
        elif cells:
            yield f"  {name} ({', '.join(f'{cell.method} {cell.letter}' for cell in cells)}): {why}"
    others = [order for order in found.orders if order.method != REAL and order.here != order.published]
    if others:
        named = ", ".join(f"{order.measure} {order.method}" for order in others)
        yield f"  Rankings of the systems that differ from the published ones: {named}."
