"""``trialogue metrics``: list and describe metrics."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from trialogue.records import Card


def metrics(
    name: Annotated[str | None, typer.Argument(help="Name of the metric whose card is printed.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print cards as JSON.")] = False,
) -> None:
    """List all metrics, or print a metric's card: formulas, range, direction, caveats, sources."""
    from trialogue.metrics import get_card, metric_names

    cards = [get_card(one) for one in ([name.split("(")[0].split("@")[0]] if name else metric_names())]
    if as_json:
        typer.echo(json.dumps([card.to_json() for card in cards], indent=1, ensure_ascii=False))
    elif name:
        typer.echo(_card(cards[0]))
    else:
        width = max(len(card.name) for card in cards)
        for card in cards:
            typer.echo(f"{card.name:<{width}}  {card.title}: {', '.join('@' + v for v in card.variants)}")


def _card(card: "Card") -> str:
    from trialogue.records.card import FAILED_TEXTS

    low, high = ("-inf" if card.low is None else f"{card.low:g}"), ("inf" if card.high is None else f"{card.high:g}")
    lines = [
        f"{card.title} ({card.name}), version {card.version}",
        f"  {card.summary}",
        f"  unit: {card.unit}; range {low} to {high}; better: {card.better}; level: {card.level}",
        f"  needs: {', '.join(card.needs) or 'nothing but text'}",
        f"  failures: {FAILED_TEXTS[card.failure_policy]}",
        f"  languages: {card.text.languages_text if card.text is not None else 'any'}",
    ]
    lines += [f"  parameter {key}: {text}" for key, text in card.parameters.items()]
    for key, variant in card.variants.items():
        default = " (default)" if key == card.default else ""
        version = f", version {variant.version}" if variant.version else ""
        lines += [f"  @{key}{default}{version}: {variant.summary}", f"      {variant.source}"]
        lines += [f"      languages: {variant.text.languages_text}"] if variant.text is not None else []
    lines += _validity(card.name)
    lines += [f"  caveat: {text}" for text in card.caveats]
    if card.extra:
        lines.append(f"  install with: pip install 'trialogue[{card.extra}]'")
    if card.citation:
        lines.append(f"  {card.citation}")
    return "\n".join(lines)


def _validity(name: str) -> list[str]:
    """Measured agreement with people of a metric's variants."""
    from trialogue.findings.agreement.validity import bundled_validity, validity_lines

    lines = []
    for each in bundled_validity():
        if each.measure.partition("(")[0].partition("@")[0] == name:
            first, *rest = validity_lines(each)
            lines += [f"  {each.measure.partition('|')[0]} {first}", *(f"      {line}" for line in rest)]
    return lines
