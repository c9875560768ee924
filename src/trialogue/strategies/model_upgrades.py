"""Kinds of models more accurate than the current one, each with the command that trains it and its measured accuracy.

Numbers are those of five folds by dialogue on INSPIRED dev and test (``benchmarks/STRATEGIES.md``, ``ENCODERS.md``), so a
model trained on other data may gain more or less.
"""

from dataclasses import dataclass

TRAIN_COMMAND = "trialogue strategies train --data inspired --out FOLDER --model"
ENCODER_COMMAND = "trialogue strategies encoder get"


@dataclass(frozen=True)
class ModelTier:
    """A kind of model, from the simplest to the best."""

    kind: str
    """Its name; ``bundled`` is the one that comes with Trialogue."""
    accuracy: str
    """Share of unseen sentences of INSPIRED that it labels right, 13 strategies."""
    needs: str
    """Requirements beyond Trialogue itself; "" for none."""


TIERS = (
    ModelTier("bundled", ".73", ""),
    ModelTier("tfidf", ".75", ""),
    ModelTier("encoder", ".77", f"an encoder: {ENCODER_COMMAND}"),
    ModelTier("ensemble", ".80", f"an encoder: {ENCODER_COMMAND}; and torch, to train: trialogue[neural]"),
)


def upgrade_commands(kind: str) -> str | None:
    """Commands that train better models than one of that kind, one a line, with the gain as a comment of the shell.

    None if no better kind is known, or the kind is not.

    >>> print(upgrade_commands("tfidf").splitlines()[0].partition("--model ")[2].partition(";")[0])
    encoder  # accuracy .77 on unseen INSPIRED dialogues with 13 strategies, instead of .75
    >>> upgrade_commands("ensemble") is None
    True
    """
    tiers = {tier.kind: place for place, tier in enumerate(TIERS)}
    tiers["finetuned"] = tiers["encoder"]  # fine-tuned ones were right as often (ENCODERS.md)
    if kind not in tiers or tiers[kind] + 1 == len(TIERS):
        return None
    current, better = TIERS[tiers[kind]], TIERS[tiers[kind] + 1 :]
    return "\n".join(_command_line(tier, current) for tier in better)


def _command_line(tier: ModelTier, current: ModelTier) -> str:
    needs = f"; needs {tier.needs}" if tier.needs else ""
    return (
        f"{TRAIN_COMMAND} {tier.kind}  # accuracy {tier.accuracy} on unseen INSPIRED dialogues with 13 strategies, "
        f"instead of {current.accuracy}{needs}"
    )
