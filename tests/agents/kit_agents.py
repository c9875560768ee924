"""DialogueKit agents, for the real DialogueKit and for the one that stands in; imported where one of them is."""

import threading
import time

from dialoguekit.core import AnnotatedUtterance, Intent, SlotValueAnnotation, Utterance  # type: ignore[import-not-found]
from dialoguekit.core.dialogue_act import DialogueAct  # type: ignore[import-not-found]
from dialoguekit.participant import Agent, DialogueParticipant  # type: ignore[import-not-found]


class Talker(Agent):  # type: ignore[misc, unused-ignore]
    """Welcomes in a burst, counts the dialogue's utterances, and leaves when it is asked to."""

    def __init__(self, id: str, word: str = "heard") -> None:  # noqa: A002
        super().__init__(id)
        self.word = word

    def say(self, text: str, intent: str, *slots: SlotValueAnnotation) -> None:
        acts = [DialogueAct(Intent(intent), list(slots))]
        utterance = AnnotatedUtterance(text, participant=DialogueParticipant.AGENT, dialogue_acts=acts)
        self._dialogue_connector.register_agent_utterance(utterance)

    def welcome(self) -> None:
        self.say("Welcome!", "GREET")
        self.say("What do you like?", "ELICIT", SlotValueAnnotation("GENRE"))

    def receive_utterance(self, utterance: Utterance) -> None:
        if utterance.text == "crash":
            raise RuntimeError("out of films")
        if utterance.text == "hang":
            time.sleep(1)
        if utterance.text == "bye":
            self.goodbye()
            return
        count = len(self._dialogue_connector.dialogue_history.utterances)
        self.say(f"{utterance.text}, {self.word} {count}", "REVEAL", SlotValueAnnotation("TITLE", "Heat", 0, 4))

    def goodbye(self) -> None:
        self.say("Goodbye.", self.stop_intent.label)


class Later(Talker):
    """Answers from another thread, after a moment; says nothing first."""

    def welcome(self) -> None:
        pass

    def receive_utterance(self, utterance: Utterance) -> None:
        threading.Timer(0.03, super().receive_utterance, [utterance]).start()


class Mute(Talker):
    """Never answers; leaves, through its connector, when it is asked to."""

    def welcome(self) -> None:
        pass

    def receive_utterance(self, utterance: Utterance) -> None:
        if utterance.text == "bye":
            self._dialogue_connector.close()
