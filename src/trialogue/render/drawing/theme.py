"""Colors by role, for light and dark pages; a system has the same color in every figure.

Every color has a contrast of at least 3 to its page (text: 4.5), and those of systems are distinguishable with
deuteranopia or protanopia. Color never carries information alone: rows have names, significant differences a dot, and lines
and dots of several series in one place have marks of their own (``marks.series_marks``), so that grey copies say the same.
"""

from collections.abc import Sequence

LIGHT = {
    "paper": "#ffffff",
    "panel": "#f5f6f8",
    "ink": "#1a1f26",
    "muted": "#57606b",
    "line": "#d9dee4",
    "accent": "#0b5394",
    "better": "#1565b8",
    "worse": "#b8560b",
    "s0": "#0b4a94",
    "s1": "#c4760a",
    "s2": "#1d5c2b",
    "s3": "#d9479f",
    "s4": "#0a7f95",
    "s5": "#6a6410",
    "s6": "#5a3fd0",
    "s7": "#b06d42",
    "s8": "#76818b",
    "s9": "#b23455",
}
DARK = {
    "paper": "#14171b",
    "panel": "#1d2127",
    "ink": "#e7eaee",
    "muted": "#a3acb7",
    "line": "#343b44",
    "accent": "#84bdf7",
    "better": "#6fb1f5",
    "worse": "#f0a055",
    "s0": "#7db0f5",
    "s1": "#e0a65c",
    "s2": "#a5e3b4",
    "s3": "#e25bb5",
    "s4": "#4fd8e0",
    "s5": "#e8cc45",
    "s6": "#a57bf2",
    "s7": "#cf7a3a",
    "s8": "#a3adb5",
    "s9": "#e0707a",
}
SERIES = 10  # distinguishable colors; with more systems, all are drawn in one color


def system_colors(systems: Sequence[str]) -> dict[str, str]:
    """Color role (such as ``"s3"``) of each system in alphabetical order, independent of results.

    With more systems than colors all are the accent: a color that stands for two systems would mislead.
    """
    names = sorted(set(systems))
    return {name: f"s{index}" if len(names) <= SERIES else "accent" for index, name in enumerate(names)}


def css_variables(palette: dict[str, str]) -> str:
    """Format a palette as CSS custom properties."""
    return " ".join(f"--{role}: {color};" for role, color in palette.items())
