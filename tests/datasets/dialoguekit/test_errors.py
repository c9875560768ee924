"""Exceptions in files of DialogueKit and UserSimCRS are charged to who raised them, and to nobody where that is unknown."""

import json
from pathlib import Path

import pytest

from trialogue.datasets.dialoguekit.format import read_dialoguekit
from trialogue.datasets.dialoguekit.parsing import ending_of_error
from trialogue.metrics import conversations_of, get_metrics, measure
from trialogue.records import Ending

TRACE = (
    'Traceback (most recent call last):\n  File "/x/dialoguekit/connector/dialogue_connector.py", line 80, in start\n'
)


def raised(*files: str, last: str) -> dict[str, str]:
    """An exception with a traceback through some files, the innermost last."""
    frames = "".join(f'  File "{file}", line 429, in call\n    ...\n' for file in files)
    return {"error_type": last.partition(":")[0], "trace": f"{TRACE}{frames}{last}"}


AGENT, USER = "/x/usersimcrs/sample_agents/moviebot_agent.py", "/agents/x/usersimcrs/simulator/agenda_based/agenda.py"
LIBRARY = "/x/site-packages/requests/adapters.py"


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        ({"error_type": "IndexError", "trace": "pop from an empty deque"}, Ending.USER_ERROR),
        (raised(USER, last="KeyError: 'GENRE'"), Ending.USER_ERROR),
        (raised("/x/usersimcrs/nlu/llm_dialogue_act_extractor.py", last="ValueError: x"), Ending.USER_ERROR),
        (raised("/x/dialoguekit/nlu/nlu.py", last="KeyError: 'x'"), Ending.USER_ERROR),
        (raised(AGENT, LIBRARY, last="KeyError: 'message'"), Ending.AGENT_ERROR),
        (raised("/x/dialoguekit/participant/agent.py", last="TypeError: x"), Ending.AGENT_ERROR),
        (raised(AGENT, LIBRARY, last="requests.exceptions.ReadTimeout: Read timed out."), Ending.AGENT_TIMEOUT),
        (raised(AGENT, last="JSONDecodeError: Expecting value: line 1 column 1"), Ending.AGENT_INVALID_REPLY),
        (raised(AGENT, last="HTTPError: 429 Client Error: Too Many Requests"), Ending.RATE_LIMITED),
        (raised(USER, last="OSError: [Errno 28] No space left on device"), Ending.HARNESS_ERROR),
        ({"error_type": "ConnectionError", "trace": "Max retries exceeded with url: /"}, Ending.AGENT_UNREACHABLE),
        ({"error_type": "ConnectionError", "trace": "Failed to connect to Ollama."}, Ending.USER_ERROR),
        ({"error_type": "HTTPError", "trace": "500 Server Error for url: http://localhost:5001"}, Ending.AGENT_ERROR),
        ({"error_type": "KeyError", "trace": "'GENRE'"}, Ending.UNKNOWN_FAILURE),
        ("something", Ending.UNKNOWN_FAILURE),
        (True, Ending.UNKNOWN_FAILURE),
        (["a", "b"], Ending.UNKNOWN_FAILURE),
    ],
)
def test_an_exception_is_charged_to_who_raised_it(error: object, ending: Ending) -> None:
    assert ending_of_error(error)[0] is ending  # type: ignore[arg-type]


def test_a_traceback_as_a_list_of_lines_reads_like_one_text() -> None:
    whole = raised(USER, last="KeyError: 'x'")
    lines = whole["trace"].splitlines(keepends=True)
    assert ending_of_error({"error_type": "KeyError", "trace": list(lines)}) == ending_of_error({**whole})


def test_a_file_in_which_every_dialogue_carries_an_exception_has_failures_of_one(tmp_path: Path) -> None:
    """The issue's file: 100 of 100 dialogues crashed, and version 1 said 0.00."""
    error = {"error_type": "IndexError", "trace": "pop from an empty deque"}
    said = [{"participant": "AGENT", "utterance": "Hello", "dialogue_acts": []}]
    entries = [
        {"conversation ID": f"c{number}", "conversation": said, "agent": {"id": "bot"}, "metadata": {"error": error}}
        for number in range(100)
    ]
    path = tmp_path / "crashed.json"
    path.write_text(json.dumps(entries))
    dialogues = read_dialoguekit(path)
    metrics = get_metrics(["failures", "failures@agent", "failures@user"])
    values = {each.measure: each.value for each in measure(conversations_of(dialogues), metrics)}
    assert values == {"failures@all|v2": 1.0, "failures@agent|v2": 0.0, "failures@user|v2": 1.0}
