from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.simulation.users.interaction import uniform_interaction
from trialogue.simulation.users.usersimcrs import read_action_space

NEW = """
name: my_schema
required_intents:
  INTENT_START: DISCLOSE.NON-DISCLOSE
  INTENT_STOP: COMPLETE
  INTENT_ITEM_CONSUMED: NOTE.YES
  INTENT_LIKE: NOTE.LIKE
  INTENT_DISLIKE: NOTE.DISLIKE
  INTENT_DISCLOSE: DISCLOSE
  INTENT_YES: YES
  INTENT_NO: NO
user_intents:
  DISCLOSE: {expected_agent_intents: [INQUIRE.ELICIT, REVEAL], preference_contingent: POSITIVE}
  REVEAL.REFINE: {expected_agent_intents: [REVEAL]}
  COMPLETE: {expected_agent_intents: [END]}
  YES:
  NO: {expected_agent_intents: INQUIRE.*}
agent_set_retrieval: [REVEAL, REVEAL.SIMILAR]
"""

OLD = """
name: CIR6
user_intents:
  - DISCLOSE
  - [DISCLOSE.NON-DISCLOSE, NOTE.NOTE-END]
agent_intents: [INQUIRE.ELICIT, REVEAL.LIST, SHOW]
expected_responses:
  DISCLOSE: [INQUIRE.ELICIT, REVEAL.LIST, SHOW]
  DISCLOSE.NON-DISCLOSE: [INQUIRE.*]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "model.yaml"
    path.write_text(text)
    return path


def test_the_present_form_is_read_with_bare_yes_and_no_as_words(tmp_path: Path) -> None:
    space = read_action_space(written(tmp_path, NEW))
    assert space.name == "my_schema"
    assert space.labels == ("DISCLOSE", "REVEAL.REFINE", "COMPLETE", "YES", "NO")
    assert (space.roles.opening, space.roles.complete, space.roles.unseen) == (
        "DISCLOSE.NON-DISCLOSE",
        "COMPLETE",
        "NO",
    )
    assert space.accepts("DISCLOSE", "REVEAL")
    assert not space.accepts("YES", "END")
    assert space.accepts("NO", "INQUIRE.ELICIT")
    assert space.informs == {"DISCLOSE", "REVEAL.REFINE"}
    assert space.shows == {"REVEAL", "REVEAL.SIMILAR"}
    assert space.states["REVEAL.REFINE"] == "Reveal"


def test_the_old_form_is_read_with_nested_lists_and_wildcards(tmp_path: Path) -> None:
    space = read_action_space(written(tmp_path, OLD))
    assert space.labels == ("DISCLOSE", "DISCLOSE.NON-DISCLOSE", "NOTE.NOTE-END")
    assert space.accepts("DISCLOSE.NON-DISCLOSE", "INQUIRE.ELICIT")
    assert space.acceptable["NOTE.NOTE-END"] == frozenset()
    assert (space.roles.opening, space.roles.like, space.roles.dislike) == (
        "DISCLOSE.NON-DISCLOSE",
        "NOTE.NOTE-END",
        None,
    )
    assert uniform_interaction(space, name="x").opening_label == "DISCLOSE.NON-DISCLOSE"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1", "this is not YAML"),
        ("- DISCLOSE", "this file contains a list"),
        ("name: empty\ndescription: stub", "does not state what follows"),
        (NEW.replace("  INTENT_STOP: COMPLETE\n", ""), "INTENT_STOP is missing"),
        (NEW.replace("expected_agent_intents: [END]", "expected_agent_intents: {END: 1}"), "is not a list"),
        (OLD.replace("expected_responses:", "expected_responses: x\nrest:"), "is not a mapping"),
    ],
)
def test_files_that_are_no_model_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_action_space(written(tmp_path, text))
