"""Plain text on a judge: what it will cost, what to label next, and its votes on pairs of dialogues."""

from collections.abc import Iterator, Sequence

from trialogue.judges.asking import Cost
from trialogue.judges.pair_judge import PairTally
from trialogue.render.document import Column, Sentences, Table
from trialogue.render.media.terminal import parts_text
from trialogue.render.numbers import count
from trialogue.stats.correction.means import LabelNeed

UNCORRECTED = (
    "These are votes of a model, not of people: they show what the model prefers, and no label corrects its error."
)
NEXT = "trialogue evaluate ranks systems by these votes if they are given together with the dialogues."


def cost_text(judge: str, cost: Cost) -> str:
    """One line on requests, tokens and price of a judge."""
    longest = "any number of" if cost.most_completion_tokens is None else f"at most {cost.most_completion_tokens:,}"
    text = (
        f"{judge}: {count(cost.requests, 'request')} ({cost.cached:,} answers are in the cache), about "
        f"{cost.prompt_tokens:,} prompt tokens and {longest} answer tokens"
    )
    if cost.least is None:
        return f"{text}. The price is unknown: give it as the option price."
    if cost.most is None:
        return f"{text}: at least {cost.least:.2f} {cost.currency}."
    return f"{text}: {cost.least:.2f} to {cost.most:.2f} {cost.currency}."


def plan_text(needs: Sequence[LabelNeed], width: float, *, is_pilot: bool) -> str:
    """Text on the labels each system needs for a target interval width.

    Args:
        needs: needs of each system.
        width: width of the interval, from end to end.
        is_pilot: nothing is known of the judge's errors yet.
    """
    what = (
        f"differences with a total width of {width:g}" if len(needs) > 1 else f"a mean with a total width of {width:g}"
    )
    lines = [f"For intervals of {what}:"]
    if is_pilot:
        lines = ["The judge's errors are still unknown. Label these first, then plan again:"]
    for need in needs:
        if need.needed is None:
            lines.append(f"  {need.system}: even all {need.judged} labels are too few; more dialogues are needed.")
        else:
            more = max(need.needed - need.labels, 0)
            have = f", {need.labels} exist" if need.labels else ""
            lines.append(f"  {need.system}: {count(more, 'more label' if have else 'label')} of {need.judged}{have}.")
    total = sum(max((need.judged if need.needed is None else need.needed) - need.labels, 0) for need in needs)
    lines.append(f"In all: {count(total, 'label')}.")
    return "\n".join(lines)


def pairs_text(tallies: Sequence[PairTally], *, matched: bool, width: int | None = None) -> str:
    """Render votes by pair of systems, and how often the order decided.

    Args:
        tallies: votes by judge, aspect and pair of systems.
        matched: whether the users of each pair wanted the same.
        width: columns of the terminal; its own by default.
    """
    votes = Table(
        "Votes by pair of systems",
        tallies,
        [
            Column("Judge", lambda row: row.judge),
            Column("Aspect", lambda row: row.aspect),
            Column("A", lambda row: row.a),
            Column("B", lambda row: row.b),
            Column("A better", lambda row: row.a_better),
            Column("B better", lambda row: row.b_better),
            Column("Tie", lambda row: row.ties),
            Column("Missing", lambda row: row.missing),
            Column("Decided by order", lambda row: row.contradictory),
        ],
    )
    return parts_text([Sentences(list(_sentences(tallies, matched=matched))), votes, Sentences([NEXT])], width=width)


def _sentences(tallies: Sequence[PairTally], *, matched: bool) -> Iterator[str]:
    yield UNCORRECTED
    if matched:
        yield "The users of each pair had the same need."
    else:
        yield "No two systems share a need, so dialogues were paired at random."
    decided = sum(each.contradictory for each in tallies)
    if decided:
        voted = sum(each.a_better + each.b_better + each.ties for each in tallies)
        first = sum(each.first_won for each in tallies)
        yield (
            f"In {decided} of {count(voted, 'vote')} the order decided, which counts as a tie: the dialogue shown first won "
            f"{first} of them in both orders."
        )
