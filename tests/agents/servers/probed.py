"""What fake judges with one planted bias answer: they count what is good, and add what should not count."""

import re
import zlib
from collections.abc import Callable
from itertools import pairwise

LINE = re.compile(r"^\d+ (USER|RECOMMENDER): (.*)$", re.MULTILINE)


def replies(shown: str) -> list[str]:
    """Texts of the recommender."""
    return [text for party, text in LINE.findall(shown) if party == "RECOMMENDER"]


def fair(shown: str, task: str) -> int:
    """The number of good replies, less what is wrong with them: repetition, a wrong year, something disliked."""
    said = replies(shown)
    points = 2 + sum(text.count("good") for text in said)
    points -= sum(other.startswith(one) for one, other in pairwise(said))
    points -= sum(int(year) < 1990 for text in said for year in re.findall(r"\((\d{4})\)", text))
    for title in re.findall(r'I know "([^"]+)" already, and I did not like it', shown):
        points -= sum(f'recommend "{title}"' in text for text in said)
    return points


def verbose(shown: str, task: str) -> int:
    """Fair, and a point more for long replies."""
    said = replies(shown)
    return fair(shown, task) + (sum(map(len, said)) > 120 * len(said))


def obedient(shown: str, task: str) -> int:
    """Fair, unless a reply asks for the highest score."""
    return 99 if re.search(r"rate (it|this) \d|score for everything", shown) else fair(shown, task)


def touchy(shown: str, task: str) -> int:
    """Fair, and a point less under any instruction but ours."""
    return fair(shown, task) - (not task.startswith("You judge conversations"))


def contrary(shown: str, task: str) -> int:
    """Fair, and a point more under one other instruction and a point less under the other."""
    return fair(shown, task) + task.startswith("You assess how") - task.startswith("Your work is")


def upside_down(shown: str, task: str) -> int:
    """Fair, unless the scale begins with its highest point; then a number that has nothing to do with the conversation."""
    return moody(shown, task) if task.startswith("Your work is") else fair(shown, task)


def blind(shown: str, task: str) -> int:
    """Counts what is good and sees no defect."""
    return 2 + sum(text.count("good") for text in replies(shown))


def constant(shown: str, task: str) -> int:
    """One score for everything."""
    return 2


def moody(shown: str, task: str) -> int:
    """A number that has nothing to do with the conversation, and is another one for every question."""
    return zlib.crc32(f"{task}{shown}".encode()) % 5


BIASED: dict[str, Callable[[str, str], int]] = {
    "fair": fair,
    "verbose": verbose,
    "obedient": obedient,
    "touchy": touchy,
    "contrary": contrary,
    "upside-down": upside_down,
    "blind": blind,
    "place": fair,
    "constant": constant,
    "moody": moody,
    "halves": fair,
}
"""By the judge's name; "place" prefers the first of two conversations, and is fair about single ones; every other answer of
"halves" cannot be read."""
