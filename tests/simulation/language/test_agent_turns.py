import pytest

from tests.simulation.made import agent, films, turn
from trialogue.catalogue import TitleLinker
from trialogue.errors import UnknownNameError
from trialogue.records import Mention, Utterance
from trialogue.simulation.actions import KDD2020, ActionSpace
from trialogue.simulation.language.agent_turns import AgentTurnParser
from trialogue.simulation.language.nlu import Example, RetrievalClassifier
from trialogue.simulation.language.nlu_linear import LinearClassifier

READS = RetrievalClassifier([Example("How about something?", "List"), Example("What do you like?", "Elicit")])
LINKER = TitleLinker(films())


def listening(
    source: str = "text", *, space: ActionSpace = KDD2020, linker: TitleLinker | None = LINKER
) -> AgentTurnParser:
    return AgentTurnParser(READS, films(), space, linker=linker, source=source)  # type: ignore[arg-type]


def test_each_message_of_a_burst_has_a_label_and_its_items() -> None:
    heard = listening().hear(turn(agent("How about Heat (1995)?"), agent("What do you like?")))
    assert [(message.label, message.items) for message in heard] == [("List", ("heat-1995",)), ("Elicit", ())]
    assert listening().hear(turn(ends=True)) == ()


def test_declared_acts_count_only_for_users_who_go_by_them() -> None:
    said = turn(agent("How about something?", "Similar"))
    assert listening("text").hear(said)[0].label == "List"
    assert listening("declared").hear(said)[0].label == "Similar"


@pytest.mark.parametrize(
    ("declared", "label"),
    [("REVEAL.SIMILAR", "Similar"), ("INQUIRE.ELICIT", "Elicit"), ("CANT-HELP", "Fail"), ("made up", "List")],
)
def test_declared_acts_of_another_naming_are_translated_and_unknown_ones_are_read(declared: str, label: str) -> None:
    assert listening("declared").hear(turn(agent("How about something?", declared)))[0].label == label


def test_labels_of_the_users_own_space_are_taken_as_declared() -> None:
    space = ActionSpace(name="own", acceptable={"ASK": frozenset({"REVEAL.*"})})
    heard = listening("declared", space=space).hear(turn(agent("How about something?", "REVEAL.SIMILAR")))
    assert heard[0].label == "REVEAL.SIMILAR"
    assert space.accepts("ASK", heard[0].label)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("There is Heat. Have you seen it?", True),
        ("How about Heat? Do you know it?", True),
        ('There is a movie named "Heat". Have you watched it?', True),
        ("What genre do you like?", False),
        ("It came out in 1995.", False),
    ],
)
def test_questions_whether_an_item_is_known_are_noticed(text: str, asks: bool) -> None:
    assert listening().hear(turn(agent(text)))[0].asks_if_known is asks


def test_items_that_an_agent_names_itself_need_no_linker() -> None:
    said = agent("Try this.", items=["heat-1995", "nowhere-1900"])
    assert listening(linker=None).hear(turn(said))[0].items == ("heat-1995",)
    titled = Utterance(speaker="system", text="Try this.", mentions=(Mention(title="The Piano (1993)"),))
    assert listening(linker=None).hear(turn(titled))[0].items == ("the-piano-1993",)
    assert listening(linker=None).hear(turn(agent("Try Heat (1995).")))[0].items == ()


def test_a_linear_model_reads_a_sentence_the_same_whatever_it_names() -> None:
    examples = [Example("How about Heat?", "List", bare="How about §?"), Example("What is it like?", "Elicit")]
    linear = LinearClassifier(examples)
    ears = AgentTurnParser(linear, films(), KDD2020, linker=LINKER)
    for text in ("How about Heat (1995)?", "How about What We Do in the Shadows (2014)?"):
        assert ears.hear(turn(agent(text)))[0].label == "List"
    assert len(linear._memory) == 1
    named = Utterance(speaker="system", text="How about XY?", mentions=(Mention(title="Nowhere", start=10, end=12),))
    assert ears.hear(turn(named))[0].label == "List"
    assert len(linear._memory) == 1


def test_the_same_text_with_and_without_named_items_is_not_confused() -> None:
    ears = listening()
    text = "Try Heat (1995)."
    assert ears.hear(turn(agent(text)))[0].items == ("heat-1995",)
    assert ears.hear(turn(agent(text, items=[])))[0].items == ()
    assert ears.hear(turn(agent(text)))[0].items == ("heat-1995",)


def test_titles_are_looked_for_in_the_beginning_of_a_megabyte() -> None:
    ears = listening()
    said = turn(agent("How about Heat (1995)? " + "blah " * 250_000))
    assert ears.hear(said)[0].items == ("heat-1995",)


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialogue.simulation.language.agent_turns.REMEMBERED", 2)
    ears = listening()
    for text in ("Heat (1995)?", "Alien (1979)?", "Ran (1985)?", "Heat (1995)?"):
        assert ears.hear(turn(agent(text)))[0].items
    assert len(ears._contents) <= 2


def test_an_unknown_source_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="declared"):
        listening("guessed")
