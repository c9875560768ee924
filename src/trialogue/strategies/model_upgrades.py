"""Recommend a better model than the current one, with the command that trains it and its measured accuracy.

Numbers are those of five folds by dialogue on INSPIRED dev and test (``benchmarks/STRATEGIES.md``, ``ENCODERS.md``), so a
model trained on other data may gain more or less.
"""

from dataclasses import dataclass

TRAIN = "trialogue strategies train --data inspired --out FOLDER --model"
GET = "trialogue strategies encoder get"


@dataclass(frozen=True)
class Step:
    """A kind of model, from the simplest to the best."""

    kind: str
    """Its name; ``bundled`` is the one that comes with Trialogue."""
    accuracy: str
    """Share of unseen sentences of INSPIRED that it labels right, 13 strategies."""
    needs: str
    """Requirements beyond Trialogue itself."""


STEPS = (
    Step("bundled", ".73", ""),
    Step("tfidf", ".75", ""),
    Step("encoder", ".77", f"an encoder: {GET}"),
    Step("ensemble", ".80", f"an encoder: {GET}; and torch, to train: trialogue[neural]"),
)


def better_than(kind: str) -> str | None:
    """The commands that train better models than one of that kind, one a line; None: none is known.

    >>> print(better_than("tfidf").partition("--model ")[2].partition(";")[0])
    encoder (accuracy .77 on unseen INSPIRED dialogues with 13 strategies, instead of .75
    >>> better_than("ensemble") is None
    True
    """
    known = {step.kind: place for place, step in enumerate(STEPS)}
    known["finetuned"] = known["encoder"]
    if kind not in known or known[kind] + 1 == len(STEPS):
        return None
    own, above = STEPS[known[kind]], STEPS[known[kind] + 1 :]
    return "\n".join(_step_text(step, own) for step in above)


def _step_text(step: Step, own: Step) -> str:
    needs = f"; needs {step.needs}" if step.needs else ""
    return (
        f"{TRAIN} {step.kind} (accuracy {step.accuracy} on unseen INSPIRED dialogues with 13 strategies, instead of "
        f"{own.accuracy}{needs})"
    )
