"""Draw the house from its imports: ``python docs/house.py OUT.svg [ROOT]``. Floors are those that import-linter checks.

A box is a room or a subject, with its folders and its number of modules; a line is an import of one by another, thicker with
more importing modules. Nothing is drawn by hand, so the picture cannot differ from the code.
"""

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

Rooms = dict[str, list[str]]
SUBJECTS = "subjects"


def floors_of(root: Path) -> list[list[str]]:
    """The rooms, floor by floor from the top, as pyproject.toml declares them; the subjects on floors of their own."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = {each["containers"][0]: each["layers"] for each in settings["contracts"] if "containers" in each}
    subjects = layers.get(f"trialogue.{SUBJECTS}", [])
    floors = [each for layer in layers["trialogue"] for each in (subjects if layer == SUBJECTS else [layer])]
    return [[name.strip() for name in floor.split("|")] for floor in floors]


def room_of(module: Sequence[str]) -> str:
    """The room of a module, or the subject."""
    return module[1] if module[0] == SUBJECTS and len(module) > 1 else module[0]


def rooms_of(source: Path) -> Rooms:
    """Dotted modules by room, the package's own face left out."""
    rooms: Rooms = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        if parts[0] not in ("__init__", "__main__"):
            rooms.setdefault(room_of(parts), []).append(".".join(parts))
    return rooms


def imports_of(source: Path) -> Counter[tuple[str, str]]:
    """How many modules of one room import another room."""
    counted: Counter[tuple[str, str]] = Counter()
    for path in source.rglob("*.py"):
        room = room_of(path.relative_to(source).with_suffix("").parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
        others = {room_of(name.split(".")[1:]) for name in names if name.startswith("trialogue.")} - {room}
        counted.update((room, other) for other in others)
    return counted


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"


def folders(modules: list[str]) -> int:
    """How many folders a room has."""
    depth = 2 if any(module.startswith(f"{SUBJECTS}.") for module in modules) else 1
    return len({module.split(".")[depth] for module in modules if module.count(".") > depth})


def draw(root: Path, out: Path) -> None:
    """The picture, as SVG or PNG by the suffix."""
    source = root / "src" / "trialogue"
    floors, rooms, imports = floors_of(root), rooms_of(source), imports_of(source)
    figure, axes = plt.subplots(figsize=(13, 0.85 * len(floors) + 0.4))
    width, height, step = 2.3, 0.62, 1.0
    places: dict[str, tuple[float, float]] = {}
    for level, names in enumerate(floors):
        y = (len(floors) - 1 - level) * step
        for index, name in enumerate(names):
            places[name] = ((index - (len(names) - 1) / 2) * (width + 0.5), y)
    for (room, other), modules in sorted(imports.items()):
        if room in places and other in places:
            (x, y), (u, v) = places[room], places[other]
            axes.plot(
                [x, u],
                [y - height / 2, v + height / 2],
                color="#4c78a8",
                alpha=0.25,
                linewidth=0.4 + modules**0.5 / 3,
                zorder=1,
            )
    for name, (x, y) in places.items():
        box = FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            "round,pad=0.02",
            facecolor="#f4f6fa",
            edgecolor="#33415c",
            zorder=2,
        )
        axes.add_patch(box)
        modules = rooms.get(name, [])
        parts = [
            _count(len(modules) or 1, "module"),
            *([_count(inside, "folder")] if (inside := folders(modules)) else []),
        ]
        axes.text(x, y + 0.1, name, ha="center", va="center", fontsize=10, weight="bold", zorder=3)
        axes.text(x, y - 0.15, ", ".join(parts), ha="center", va="center", fontsize=7, zorder=3)
    reach = max(abs(x) for x, _ in places.values()) + width
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-0.6, (len(floors) - 1) * step + 0.6)
    axes.axis("off")
    plt.rcParams["svg.hashsalt"] = "house"
    figure.savefig(out, bbox_inches="tight", metadata={"Date": None} if out.suffix == ".svg" else None, dpi=150)


if __name__ == "__main__":
    draw(Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent.parent, Path(sys.argv[1]))
