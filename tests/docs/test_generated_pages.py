"""Pages that come from the code are kept in the repository, and are those that the code gives."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_kept_pages_are_those_of_the_generator(generate: ModuleType) -> None:
    stale = [
        name
        for name, page in generate.PAGES.items()
        if (DOCS / name).read_text(encoding="utf-8") != page().rstrip() + "\n"
    ]
    assert stale == [], "run: python docs/generate.py"


def test_every_public_name_metric_corpus_and_format_is_on_its_page(generate: ModuleType) -> None:
    api = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    assert [
        name for name in set(generate.trialogue.__all__) - {"__version__"} if f"### `trialogue.{name}`\n" not in api
    ] == []
    for page, names in (
        ("metrics", generate.metric_names()),
        ("corpora", generate.corpus_names()),
        ("formats", generate.format_names()),
    ):
        text = (DOCS / "reference" / f"{page}.md").read_text(encoding="utf-8")
        assert [name for name in names if f"`{name}`" not in text] == []
