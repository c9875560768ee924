"""The page: answer first, everything escaped, nothing loaded, nothing hidden."""

import csv
import itertools
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.render.made import ALL, HOSTILE, hostile, nine, one, satisfaction, two, undefined
from tests.render.test_compact_letters import without
from trialogue.findings import Findings, League, Section, Statement
from trialogue.findings.records import Noted, Values, columns
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.subjects.evaluation.pages.write import render_html, write_report

VOID = {"meta", "link", "wbr", "br", "img", "input"}


class Outline(HTMLParser):
    """Tags, attributes and text of a page; says what is not closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text.append(data)

    @property
    def words(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.text))


@pytest.fixture(scope="module", params=ALL)
def made(request: pytest.FixtureRequest) -> tuple[Findings, str]:
    findings = ALL[request.param]()
    return findings, render_html(findings)


def test_every_tag_is_closed_and_every_id_is_there_once(made: tuple[Findings, str]) -> None:
    outline = Outline(made[1])
    assert outline.open == []
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in outline.tags:
        target = attributes.get("href") or ""
        assert not target.startswith("#") or target[1:] in ids


def test_nothing_is_loaded_and_nothing_runs(made: tuple[Findings, str]) -> None:
    outline = Outline(made[1])
    tags = {tag for tag, _ in outline.tags}
    assert not tags & {"script", "img", "iframe", "object", "embed", "form", "base", "video", "audio"}
    for tag, attributes in outline.tags:
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("href", "src", "xlink:href"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), tag
    assert "url(" not in made[1]
    assert "@import" not in made[1]
    assert "default-src 'none'" in made[1]


def test_headings_go_down_one_level_at_a_time_from_a_single_first_one(made: tuple[Findings, str]) -> None:
    levels = [int(tag[1]) for tag, _ in Outline(made[1]).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_the_answer_comes_before_everything_but_the_title(made: tuple[Findings, str]) -> None:
    findings, page = made
    words = Outline(page).words
    assert words.index(re.sub(r"\s+", " ", findings.answer[0].text)) < words.index("Provenance")
    assert page.index('class="answer') < page.index("<table")


def test_every_scrolling_region_can_be_focused_and_has_a_name_of_its_own(made: tuple[Findings, str]) -> None:
    regions = [attributes for _, attributes in Outline(made[1]).tags if attributes.get("role") == "region"]
    assert all(region.get("tabindex") == "0" for region in regions)
    labels = [region.get("aria-label") for region in regions]
    assert len(labels) == len(set(labels))


@pytest.mark.parametrize("make", [nine, hostile], ids=["nine", "hostile"])
def test_the_same_findings_give_the_same_page(make: Callable[[], Findings]) -> None:
    assert render_html(make()) == render_html(make())


def test_names_and_texts_cannot_break_out() -> None:
    page = render_html(hostile())
    page.encode()  # no lone surrogate is left
    assert "<script" not in page
    assert "<img" not in page
    assert "<style>*" not in page
    assert "\x1b" not in page
    assert "\x00" not in page
    words = Outline(page).words
    assert HOSTILE[0] in words
    assert "{{ 7 * 7 }}" in words


def test_two_systems_are_set_head_to_head() -> None:
    words = Outline(render_html(two())).words
    assert "Head to head" in words
    assert "with_reranker is better" in words
    assert "p < .001" in words
    assert "League table" not in words


def test_one_system_has_nothing_to_compare() -> None:
    words = Outline(render_html(one())).words
    assert "there is nothing to compare" in words
    assert "do not differ significantly on that measure" not in words
    assert "Which differences are significant" not in words


def test_undefined_values_are_dashes_whose_notes_say_why() -> None:
    page = render_html(undefined())
    assert re.search(
        r'title="no dialogue of this system mentions an item"><b>—<wbr></b><sup class="note"><a href="#', page
    )
    assert "Undefined: no dialogue of this system mentions an item." in page


def test_variants_are_shown_side_by_side_with_their_flips() -> None:
    findings = nine()
    words = Outline(render_html(findings)).words
    assert f"{len(findings.sensitivity[0].flips)} pairs change places" in words
    assert "Does the formula matter?" in words
    assert "Does the formula matter?" not in Outline(render_html(two())).words


def test_a_card_says_what_its_metric_is_and_with_what_it_cannot_be_compared() -> None:
    words = Outline(render_html(nine())).words
    for text in (
        "Before you quote it",
        "Other formulas, not comparable",
        "@per_response",
        "Li et al. (2016)",
        "Signature",
    ):
        assert text in words


def test_mentioned_items_are_marked_in_dialogues() -> None:
    assert '<mark title="Heat (1995)">Heat (1995)</mark>' in render_html(nine())


def test_where_it_comes_from_is_reported() -> None:
    findings = nine()
    words = Outline(render_html(findings)).words
    assert findings.manifest.data_hash in words
    assert "9b" * 32 in words
    assert "seed 7" in words


def test_findings_without_measures_make_a_page_too() -> None:
    bare = nine().model_copy(
        update={"leagues": (), "votes": None, "sensitivity": (), "examples": (), "primary": None, "warnings": ()}
    )
    assert "Provenance" in Outline(render_html(bare)).words


def only(league: League) -> Findings:
    return nine().model_copy(update={"leagues": (league,), "votes": None, "sensitivity": (), "examples": ()})


def test_a_pair_that_was_not_compared_says_why() -> None:
    page = render_html(only(without({frozenset("AD"), frozenset("BD"), frozenset("CD")})))
    words = Outline(page).words
    assert (
        "— (the systems have different numbers of replies (120 and 300), on which counts of distinct items depend)"
        in words
    )
    assert "Not compared with every system; for example: the systems have different numbers of replies" in words
    assert page.count('<td class="words">not compared</td>') == 3
    assert "2 of 3" in words  # pairs distinguished: A and B from C; D was compared with nobody
    assert "Empty cells: not compared" in words


def test_rank_ranges_of_votes_are_distinguished_from_those_of_comparisons() -> None:
    words = Outline(render_html(nine())).words
    assert "consistent with the corrected comparisons, for all systems of a measure simultaneously" in words
    assert re.search(r"Under Votes, ranks are those in 95% of resamples, for each system individually", words)
    assert "Under Votes" not in Outline(render_html(undefined())).words


@pytest.mark.parametrize(("systems", "matrix", "tables"), [(30, True, 1), (31, False, 1), (61, False, 0)])
def test_many_systems_have_no_matrix_and_very_many_no_table_of_pairs(systems: int, matrix: bool, tables: int) -> None:
    wanted = satisfaction({f"system_{place:02d}": (9, 0.9 if place % 2 else 0.1) for place in range(systems)})
    page = render_html(only(wanted).model_copy(update={"systems": ()}))
    assert ("figure-pairs-human-satisfaction" in page) == matrix
    assert page.count("<summary>Every pair on") == tables
    assert ("The file pairs.csv next to this page lists all of them." in page) != matrix


def test_two_hundred_systems_without_comparisons_make_a_page_of_a_readable_size() -> None:
    first = nine().leagues[0].standings[0]
    standings = tuple(first.model_copy(update={"system": f"system_{place:03d}"}) for place in range(200))
    bare = nine().leagues[0].model_copy(update={"standings": standings, "contrasts": (), "values": {}})
    page = render_html(only(bare))
    assert "The systems were not compared in pairs." in page
    assert len(page) < 2_000_000


def test_means_of_dialogues_that_differ_from_the_pooled_value_are_explained() -> None:
    said = "pool a system's dialogues"
    findings = two()
    assert said not in Outline(render_html(findings)).words  # made so that value and mean agree
    league = findings.leagues[0]
    values = {system: (*found, 1.0, 1.0) for system, found in league.values.items()}
    pooled = league.model_copy(update={"values": values})
    assert said in Outline(render_html(findings.model_copy(update={"leagues": (pooled,)}))).words


def test_a_table_of_a_section_has_another_name_than_the_section() -> None:
    """Two landmarks of one name do not differ significantly by those who hear them."""
    section = Section(title="Do the three agree?", sentences=("No.",), columns=columns("A", "B"), rows=(("a", "b"),))
    page = render_html(nine().model_copy(update={"sections": (section,)}))
    assert 'aria-label="Do the three agree?, table"' in page
    assert page.count("Do the three agree?</h2>") == 1


def test_sentences_by_system_are_a_list_and_all_others_look_alike() -> None:
    section = Section(title="Mixes", sentences=("baseline: 0.2 [-0.1, 0.3].", "with_reranker: 0.4.", "Far apart."))
    page = render_html(two().model_copy(update={"sections": (section,)}))
    (items,) = re.findall(r'<ul class="by-system">(.*?)</ul>', page, flags=re.DOTALL)
    assert items.count("<li>") == 2
    assert "0.2 [−0.1,\xa00.3]." in items
    assert '<p class="said">Far apart.</p>' in page


def test_cells_of_several_lines_and_words_stand_left_and_numbers_right() -> None:
    gain = Estimate(value=0.5, interval=Interval(low=-0.2, high=1.2, method=""))
    rows = (("advice", Noted(value=Estimate(value=0.7), note="7 of 10"), gain, "too few"),)
    section = Section(
        title="T", sentences=(), columns=columns("", "aria", "Gain", "Order"), rows=rows, page="figures/t.svg"
    )
    page = render_html(nine().model_copy(update={"sections": (section,)}))
    assert '<td class="words">0.700<span class="more">7 of 10</span></td>' in page
    assert '<td class="number">0.5 [−0.2,\xa01.2]</td>' in page
    assert '<td class="words">too few</td>' in page
    assert '<th scope="col"></th>' not in page  # an empty corner heads nothing
    assert 'As a picture<span class="unseen">: T</span>' in page  # a link that says where it goes


def test_cells_are_written_by_their_kind_and_files_hold_them_unrounded(tmp_path: Path) -> None:
    undefined = Estimate(value=None, why=Reason.of(ReasonCode.NO_DATA))
    where = Estimate(value=0.51234, interval=Interval(low=0.4, high=0.6, method=""))
    shares, p_values = columns("Share", values=Values.SHARES), columns("p", values=Values.P_VALUES)
    section = Section(
        title="T",
        sentences=(),
        file="kinds",
        columns=(*columns("Name", "Value"), *shares, *p_values, *columns("n")),
        rows=(("a", where, 0.001, 0.0004, 1234), ("b", undefined, 0.5, None, 1)),
    )
    found = nine().model_copy(update={"sections": (section,)})
    page = render_html(found)
    for cell in ("0.51 [0.40,\xa00.60]", "&lt; 1%", "&lt; .001", "1,234", "50%"):
        assert f">{cell}</td>" in page
    write_report(found, tmp_path)
    with (tmp_path / "kinds.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0].values()) == ["a", "0.51234", "0.4", "0.6", "0.001", "0.0004", "1234"]
    assert list(rows[1].values()) == ["b", "", "", "", "0.5", "", "1"]


def test_columns_of_systems_named_like_others_are_all_in_the_file(tmp_path: Path) -> None:
    """A system may have the name of the first column, of an end of an interval, or of another one but for case."""
    estimates = [Estimate(value=n, interval=Interval(low=n - 1, high=n + 1, method="")) for n in range(10, 60, 10)]
    heads = columns("Strategy", "strategy", "a", "a, low", "A", "")
    section = Section(title="T", sentences=(), file="kinds", columns=heads, rows=(("x", *estimates),))
    write_report(nine().model_copy(update={"sections": (section,)}), tmp_path)
    with (tmp_path / "kinds.csv").open(encoding="utf-8", newline="") as file:
        names, row = csv.reader(file)
    assert len({name.casefold() for name in names}) == len(names) == 1 + 5 * 3
    assert row == ["x", *(str(end) for n in range(10, 60, 10) for end in (float(n), float(n - 1), float(n + 1)))]


def test_a_name_from_right_to_left_turns_no_sentence_around() -> None:
    page = render_html(
        two().model_copy(update={"answer": (Statement(text="\u0645\u0648\u0635 \u0628 is best: 0.5 [0.4, 0.6]."),)})
    )
    assert '<p class="answer">\u2068\u0645\u0648\u0635 \u0628\u2069 is best: 0.5 [0.4,\xa00.6].</p>' in page
