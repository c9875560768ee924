"""How the shares of endings and failures are described."""

from trialogue.metrics.dialogue.endings import FAILED
from trialogue.records import Fault


def test_the_variants_of_failures_say_who_caused_them() -> None:
    assert [FAILED.variants[fault.value].summary for fault in Fault] == [
        "Failures caused by the system.",
        "Failures caused by the simulated user.",
        "Failures caused by a judge.",
        "Failures caused by no party to the dialogue (rate limits, lost processes, the machine).",
        "Failures whose cause is unknown.",
    ]
