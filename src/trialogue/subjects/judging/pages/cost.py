"""Sentence on what a judge will cost."""

from trialogue.judges.asking import Cost
from trialogue.render.numbers import count


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
