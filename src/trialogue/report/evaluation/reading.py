"""What was read, in lines for the first screen and the terminal: how many units people rated, and what was not read."""

from collections.abc import Collection, Iterator

from trialogue.findings import Findings
from trialogue.findings.wording import list_names
from trialogue.records import Rated, Reading
from trialogue.report.evaluation.compared import compared_lines
from trialogue.report.numbers import count

MAX_SYSTEMS = 6  # whose rated shares are listed one by one
MAX_NAMES = 8  # of columns that were not read
SHORT_OF = "may hold people's judgements"


def reading_lines(findings: Findings) -> list[str]:
    """Lines on what was read, most important first; [] for older files, which do not say."""
    sliced = () if findings.log is None else findings.log.fields
    return [*_rated_shares(findings.reading), *compared_lines(findings), *_unread(findings.reading, sliced)]


def sample_line(findings: Findings) -> str:
    """How much was read: systems, dialogues, replies and people."""
    dialogues = (
        findings.dialogues if findings.dialogues is not None else sum(each.dialogues for each in findings.systems)
    )
    parts = [
        count(len(findings.systems), "system"),
        count(dialogues, "dialogue"),
        count(sum(each.replies for each in findings.systems), "reply", "replies"),
        *([count(findings.people, "person", "people")] if findings.people else []),
    ]
    return f"Read: {', '.join(parts)}."


def _rated_shares(reading: Reading) -> Iterator[str]:
    shares = {name: each for name, each in reading.rated.items() if each.units}
    total, units = sum(each.rated for each in shares.values()), sum(each.units for each in shares.values())
    if not total:
        return
    what = "dialogues" if all(each.is_of_dialogues for each in shares.values()) else "replies"
    if total == units:
        yield f"Rated: all {units:,} {what}."
    elif len(shares) > MAX_SYSTEMS:
        yield f"Rated: {total:,} of {units:,} {what} ({_lowest(shares)})."
    else:
        yield f"Rated: {', '.join(f'{name} {each.rated:,} of {each.units:,}' for name, each in shares.items())} {what}."


def _lowest(shares: dict[str, Rated]) -> str:
    name = min(shares, key=lambda each: (shares[each].rated / shares[each].units, each))
    return f"fewest of {name}: {shares[name].rated:,} of {shares[name].units:,}"


def _unread(reading: Reading, sliced: Collection[str]) -> Iterator[str]:
    judging = list(dict.fromkeys(reading.may_be_feedback))
    if judging:
        yield f"Not read, but {SHORT_OF}: {list_names(judging)}."
    names = list(
        dict.fromkeys(name for each in reading.unread for name in each.names if name not in (*judging, *sliced))
    )
    if names:
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        yield f"Not read: {', '.join(names[:MAX_NAMES])}{more}."
