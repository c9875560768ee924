"""Text of a labelling plan: what to label next."""

from collections.abc import Sequence

from trialogue.render.numbers import count
from trialogue.stats.correction.means import LabelNeed


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
