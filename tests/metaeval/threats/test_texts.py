"""Every threat has texts, and the documentation holds them."""

from pathlib import Path

from trialogue.metaeval.threats import ThreatCode
from trialogue.metaeval.threats.texts import TEXTS, catalogue_rows

PAGE = Path(__file__).parents[3] / "docs" / "design" / "validity.md"


def test_every_threat_has_texts() -> None:
    assert set(TEXTS) == set(ThreatCode)


def test_the_page_on_validity_holds_the_catalogue() -> None:
    page = PAGE.read_text(encoding="utf-8")
    missing = [code for code, *texts in catalogue_rows() if f"| `{code}` | {' | '.join(texts)} |" not in page]
    assert missing == []


def test_no_two_threats_say_the_same() -> None:
    titles = [text.title for text in TEXTS.values()]
    assert len(set(titles)) == len(titles)
