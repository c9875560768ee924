"""Whether a language is complete is reported line by line; a new one begins with every text."""

from gettext import GNUTranslations
from pathlib import Path

import pytest

from trialogue.errors import DataError, UsageError
from trialogue.study import translations
from trialogue.study.translations import (
    compile_catalog,
    languages,
    new_catalog,
    path_of,
    problems_of,
    read_catalog,
    used_texts,
)

TEXTS = {"Yes": "", "Hello %(name)s": "", "%(n)s day": "%(n)s days"}
HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
WHOLE = (
    'msgid "Yes"\nmsgstr "Oui"',
    'msgid "Hello %(name)s"\nmsgstr "Bonjour %(name)s"',
    'msgid "%(n)s day"\nmsgid_plural "%(n)s days"\nmsgstr[0] "%(n)s jour"\nmsgstr[1] "%(n)s jours"',
)


def catalog(path: Path, *blocks: str) -> Path:
    """A catalog of some entries."""
    path.write_text("\n\n".join([HEADER.strip(), *blocks]) + "\n", encoding="utf-8")
    return path


def test_every_language_that_comes_with_it_is_complete() -> None:
    assert languages()
    for name in languages():
        assert problems_of(read_catalog(path_of(name)), path_of(name), used_texts()) == []


def test_a_complete_catalog_is_compiled_and_read_by_python(tmp_path: Path) -> None:
    path = catalog(tmp_path / "django.po", *WHOLE)
    found = read_catalog(path)
    with compile_catalog(found, path).open("rb") as file:
        said = GNUTranslations(file)
    assert said.gettext("Hello %(name)s") == "Bonjour %(name)s"
    assert [said.ngettext("%(n)s day", "%(n)s days", count) for count in (1, 2)] == ["%(n)s jour", "%(n)s jours"]
    assert problems_of(found, path, TEXTS) == []
    (tmp_path / "django.mo").write_bytes(b"another")
    assert "--compile" in str(problems_of(found, path, TEXTS)[0])


@pytest.mark.parametrize(
    ("block", "complaint"),
    [
        ('msgid "Yes"\nmsgstr ""', "needs 1 translated form"),
        ('#, fuzzy\nmsgid "Yes"\nmsgstr "Oui"', "fuzzy"),
        ('msgid "Hello %(name)s"\nmsgstr "Bonjour"', r"lacks %\(name\)s"),
        ('msgid "Hello %(name)s"\nmsgstr "Bonjour %(name)s %(nom)s"', r"has no placeholder %\(nom\)s"),
        ('msgid "%(n)s day"\nmsgid_plural "%(n)s days"\nmsgstr[0] "%(n)s jour"', "needs 2 translated forms"),
        ('msgid "No"\nmsgstr "Non"', "no page uses this text"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(tmp_path: Path, block: str, complaint: str) -> None:
    first = block.splitlines()[1 if block.startswith("#") else 0]
    others = [each for each in WHOLE if each.splitlines()[0] != first]
    path = catalog(tmp_path / "django.po", block, *others)
    found = problems_of(read_catalog(path), path, TEXTS)
    with pytest.raises(AssertionError, match=complaint):
        assert not found, "\n".join(map(str, found))
    assert found[0].line == 4


def test_a_text_without_an_entry_and_a_line_that_is_none_are_reported(tmp_path: Path) -> None:
    path = catalog(tmp_path / "django.po", *WHOLE[1:])
    found = problems_of(read_catalog(path), path, TEXTS)
    assert ["no entry for 'Yes'" in str(each) for each in found] == [True]
    with pytest.raises(DataError, match=r"no text in quotes"):
        read_catalog(catalog(tmp_path / "django.po", "msgid Yes"))


def test_a_new_language_begins_with_every_text_and_is_not_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(translations, "LOCALE", tmp_path)
    path = new_catalog("fr")
    assert {entry.msgid for entry in read_catalog(path)} == set(used_texts())
    assert len(problems_of(read_catalog(path), path, used_texts())) == len(used_texts())
    with pytest.raises(UsageError, match="already exists"):
        new_catalog("fr")
    with pytest.raises(UsageError, match="not a language code"):
        new_catalog("../fr")
    assert translations.main(["fr", "--compile"]) == 1
    assert "problems" in capsys.readouterr().out
