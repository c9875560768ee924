"""Write the reference pages that come from cards: metrics, corpora, formats. Run by ``make docs``."""

from pathlib import Path

from trialogue.datasets import corpus_names, format_names, get_corpus, get_format
from trialogue.metrics import get_card, metric_names
from trialogue.records import Card
from trialogue.records.card import FAILED_TEXTS

REFERENCE = Path(__file__).parent / "reference"
FAMILIES = {
    "text": "Text",
    "recommendation": "Recommendation",
    "dialogue": "Dialogue",
    "alignment": "Behavior alignment",
    "simulation": "Simulation",
}


def metrics_page() -> str:
    cards = [get_card(name) for name in metric_names()]
    parts = [
        "# Metrics\n",
        "Every metric has a card; this page is made from the cards. A name such as `distinct(n=2)@ratio` says metric, "
        "parameters and variant; two variants of a metric are two measures and never share a column.\n",
    ]
    for family, heading in FAMILIES.items():
        members = [card for card in cards if card.family == family]
        if members:
            parts.append(f"## {heading}\n")
            parts.extend(map(card_section, members))
    return "\n".join(parts)


def card_section(card: Card) -> str:
    low = "unbounded" if card.low is None else f"{card.low:g}"
    high = "unbounded" if card.high is None else f"{card.high:g}"
    lines = [
        f"### {card.title} (`{card.name}`)\n",
        f"{card.summary}\n",
        f"Unit: {card.unit}. Range: {low} to {high}. Better: {card.better}. One value a {card.level}. "
        f"Needs: {', '.join(card.needs) or 'text only'}. "
        f"{FAILED_TEXTS[card.failure_policy]} "
        f"Languages: {card.text.in_words if card.text is not None else 'any'}.\n",
    ]
    lines += [f"- Parameter `{key}`: {text}" for key, text in card.parameters.items()]
    lines.append("")
    for key, variant in card.variants.items():
        default = " (default)" if key == card.default else ""
        lines.append(f"`@{key}`{default}\n: {variant.summary} *Source:* {variant.source}\n")
    lines += [f"- Caveat: {text}" for text in card.caveats]
    if card.extra:
        lines.append(f"\nInstall with `pip install 'trialogue[{card.extra}]'`.")
    if card.citation:
        lines.append(f"\nCite: {card.citation}")
    return "\n".join(lines) + "\n"


def corpora_page() -> str:
    parts = [
        "# Corpora\n",
        "Trialogue redistributes no corpus. `trialogue data get NAME` fetches one from its publisher, at a pinned "
        "revision.\n",
    ]
    for name in corpus_names():
        source = get_corpus(name).source
        counts = ", ".join(f"{count:,} {what}" for what, count in source.counts.items())
        parts.append(f"## {source.title} (`{name}`)\n\n{source.summary}\n")
        parts.append(f"- From: <{source.homepage}>, revision {source.revision}\n- Licence: {source.licence}")
        parts.append(f"- Cite: {source.citation}")
        if counts:
            parts.append(f"- Holds: {counts}")
        parts.extend(f"- Known defect: {defect}" for defect in source.defects)
        parts.append("")
    return "\n".join(parts)


def formats_page() -> str:
    rows = [f"| `{name}` | {get_format(name).summary} |" for name in format_names()]
    return "\n".join(
        [
            "# Formats\n",
            "Recognised by content; `--format NAME` overrides.\n",
            "| name | what it is |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def main() -> None:
    REFERENCE.mkdir(exist_ok=True)
    for name, text in (("metrics", metrics_page()), ("corpora", corpora_page()), ("formats", formats_page())):
        (REFERENCE / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
