"""Hybrid users: an agenda-based user decides the act, a language model words it if the wording preserves the act.

The user's acts are then known, as the agenda's are. A wording that fails the gate is replaced by the template's words,
and the message records why.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from trialogue.agents.base import Turn
from trialogue.agents.llm.prompt import chat_of
from trialogue.catalogue import OTHER_TITLES, Catalogue
from trialogue.errors import UsageError
from trialogue.llm.machine_text import is_machine_text
from trialogue.llm.usage import Usage, combine_usage
from trialogue.records import Mention, Need, SlotValue, Utterance
from trialogue.simulation.actions import ActionSpace
from trialogue.simulation.language.agent_turns import LabelledMessage
from trialogue.simulation.language.nlu import MASK, Example, mask_mentions
from trialogue.simulation.language.nlu_linear import LinearClassifier
from trialogue.simulation.language.phrases import OPENING, Linker, Phrasebook, stance
from trialogue.simulation.llm.options import LlmUserOptions, LocalUserOptions
from trialogue.simulation.llm.prompts import fill_in
from trialogue.simulation.llm.user import FLIPPED, OWN_NAME, CutAnswer, ModelQueries
from trialogue.simulation.llm.users import LlmUsers
from trialogue.simulation.source import WORDING, Wording
from trialogue.simulation.users.kinds import load_users
from trialogue.simulation.users.population import AskingUsers, UserModel, Users
from trialogue.simulation.users.user import AgendaUser, Stop
from trialogue.simulation.users.world import World
from trialogue.transport.retry import RetryPolicy

LONGEST = 4  # times the words of the template, and eight more: what is longer says more
MORE_WORDS = 8
SURE = 0.5
"""Probability from which an act counts as recognised. Of 1,107 messages of KDD 2020's users, 59% are recognised as the
CIR6 action they are annotated as, and 3.8% of those of another action pass (by words alone, before the other checks)."""
PLACE = re.compile(r"\{[^{}]*\}")


class ActGate:
    """Checks that a wording preserves a message's act; shared by all users of a model and catalogue."""

    def __init__(self, phrasebook: Phrasebook, space: ActionSpace, catalogue: Catalogue, linker: Linker) -> None:
        """Learn the acts from the users' phrases."""
        self._linker, self._states = linker, space.states
        values = {
            value
            for name in catalogue.attributes
            if name != OTHER_TITLES and len(catalogue.values_of(name)) <= 200
            for value in catalogue.values_of(name)
        }
        self._values = {
            value.casefold(): re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE) for value in values
        }
        examples = [
            Example(PLACE.sub(MASK, phrase.text), self._state(label))
            for label in phrasebook.phrases
            if label != OPENING
            for phrase in phrasebook.phrases_of(label)
        ]
        self._acts = LinearClassifier(examples, context=False, unknown_below=SURE) if examples else None

    def judge(self, said: Utterance, wording: str) -> Wording:
        """Accept or reject a wording of a message."""
        if is_machine_text(wording):
            return Wording.OTHER_ACT
        names = [slot.value for act in said.acts or () for slot in act.slots if slot.value]
        if any(not _holds(wording, name) for name in names):
            return Wording.LOST_VALUE
        mentions = self._linker.find(wording)
        ours = {mention.item_id for mention in (*(said.mentions or ()), *self._linker.find(said.text))}
        if any(mention.item_id not in ours for mention in mentions) or any(
            self._new_values(said.text, wording, mentions)
        ):
            return Wording.NEW_VALUE
        if len(wording.split()) > LONGEST * len(said.text.split()) + MORE_WORDS:
            return Wording.TOO_LONG
        if stance(mask_mentions(wording, mentions)) != stance(mask_mentions(said.text, self._linker.find(said.text))):
            return Wording.OTHER_STANCE
        if ("?" in wording) != ("?" in said.text):
            return Wording.QUESTION
        return self._act(said, wording, mentions)

    def _act(self, said: Utterance, wording: str, mentions: Sequence[Mention]) -> Wording:
        """Whether the wording is recognised as the act; otherwise rejected, because a repeated template does less harm
        than a wrong act."""
        own = next((act.intent for act in said.acts or ()), None)
        if self._acts is None or own is None:
            return Wording.MODEL
        heard = self._acts.read(self.bare(wording, mentions)).label
        return Wording.MODEL if heard == self._state(own) else Wording.OTHER_ACT

    def bare(self, wording: str, mentions: Sequence[Mention]) -> str:
        """A wording with titles and attribute values replaced by ``MASK``, as in the phrases."""
        text = mask_mentions(wording, mentions)
        for value, pattern in self._values.items():
            if value in text.casefold():
                text = pattern.sub(MASK, text)
        return text

    def _new_values(self, text: str, wording: str, mentions: Sequence[Mention]) -> Iterator[str]:
        """Values of attributes that stand in a wording outside of titles, and not in the text."""
        bare = mask_mentions(wording, mentions)
        for value, pattern in self._values.items():
            if pattern.search(bare) and not pattern.search(text):
                yield value

    def _state(self, label: str) -> str:
        return self._states.get(label, label)


def _holds(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


class WordedUser:
    """Agenda-based user whose messages are worded by a model."""

    def __init__(
        self, user: AgendaUser, asking: ModelQueries, gate: ActGate, instruction: str, message: str, role: str
    ) -> None:
        """``instruction`` is the system message; ``message`` has placeholders for the dialogue and the text to word."""
        self._user, self._asking, self._gate = user, asking, gate
        self._instruction, self._message, self._role = instruction, message, role

    @property
    def need(self) -> Need | None:
        """The user's need."""
        return self._user.need

    def labels(self, turn: Turn) -> list[LabelledMessage]:
        """Act label of each message of a turn, from its words alone."""
        return self._user.labels(turn)

    def start(self, greeting: Turn | None = None) -> Utterance | Stop:
        """The agenda's opening, worded."""
        return self._reword(self._user.start(greeting), greeting)

    def answer(self, turn: Turn) -> Utterance | Stop:
        """The agenda's next act, worded."""
        return self._reword(self._user.answer(turn), turn)

    def resume(self, history: Sequence[Utterance]) -> None:
        """Continue a dialogue from a history."""
        self._user.resume(history)

    def _reword(self, said: Utterance | Stop, turn: Turn | None) -> Utterance | Stop:
        if isinstance(said, Stop):
            return said
        before = " ".join(each.text for each in turn.utterances) if turn is not None else "(nothing yet)"
        values = {"transcript": before, "message": said.text}
        request = Utterance(speaker="system", text=fill_in(self._message, values))
        messages = chat_of(self._instruction, [request], role=self._role, roles=FLIPPED)
        try:
            answer, is_cut = self._asking.ask(messages), False
        except CutAnswer as cut:  # the template's words stand; unlike other users, this one has them
            answer, is_cut = cut.text, True
        wording = OWN_NAME.sub("", answer, count=1).strip().strip('"“”').strip()
        result = self._gate.judge(said, wording) if wording else Wording.LOST_VALUE
        result = Wording.CUT if is_cut else result
        self._asking.note(WORDING, result.value)
        if result is not Wording.MODEL:
            # Why the model stopped is said of its wording, which nobody reads: the message that is sent is whole.
            account = {name: value for name, value in self._asking.take_account().items() if name != "finish_reason"}
            return said.model_copy(update={"meta": {**account, "rejected": wording}})
        acts = tuple(
            act.model_copy(update={"slots": tuple(_place_slot(slot, wording) for slot in act.slots)})
            for act in said.acts or ()
        )
        mentions = tuple(_move_mention(mention, wording) for mention in said.mentions or ())
        return said.model_copy(
            update={"text": wording, "acts": acts, "mentions": mentions, "meta": self._asking.take_account()}
        )


def _place_slot(slot: SlotValue, text: str) -> SlotValue:
    start, end = _span(slot.value or "", text)
    return slot.model_copy(update={"start": start, "end": end})


def _move_mention(mention: Mention, text: str) -> Mention:
    """A mention with its place in another text, in which the title stands with or without its year."""
    start, end = _span(mention.title, text)
    if start is None:
        start, end = _span(re.sub(r" \(\d{4}\)$", "", mention.title), text)
    return mention.model_copy(update={"start": start, "end": end})


def _span(value: str, text: str) -> tuple[int | None, int | None]:
    found = re.search(re.escape(value), text, re.IGNORECASE) if value else None
    return (found.start(), found.end()) if found else (None, None)


class WordedUsers(LlmUsers):
    """Users of ``llm:worded``."""

    def __init__(
        self,
        name: str,
        prompts: Mapping[str, str],
        signature: str,
        options: LlmUserOptions | LocalUserOptions,
        world: World,
        *,
        retry_policy: RetryPolicy | None = None,
    ) -> None:
        """As for the base class, plus the agenda-based users that decide.

        Raises:
            UsageError: the world has no ratings, of which these users are sampled.
        """
        super().__init__(name, prompts, signature, options, world, retry_policy=retry_policy)
        if options.turns is not None:
            raise UsageError(
                "users llm:worded stop at the end of their agenda: omit 'turns', or set max_turns in the study file."
            )
        model = agenda_of(options)
        model = model.with_options(attributes=self.attributes, persona="") if options.attributes else model
        self._agenda = model.settle(world, retry_policy=retry_policy)
        self._gate = gate_of(model, self._agenda)
        if options.typos:
            raise UsageError(
                "users llm:worded do not support 'typos', because typos would hide their acts: omit the option."
            )

    def new(self, case: str, *, seed: int) -> WordedUser:
        """Create the agenda-based user of a case with a model's wording."""
        user = self._agenda.new(case, seed=seed)
        role = self.options.instruction_role
        asking = self.ask_for(case, seed=seed)
        values = {
            "domain": self.domain,
            "who": self.describe_user(self.persona(case, seed=seed), case, seed=seed),
        }
        instruction = fill_in(self.prompts["utterance"], values)
        return WordedUser(user, asking, self._gate, instruction, self.prompts["message"], role)

    def usage(self) -> Usage:
        """Usage and cost of wording, and of understanding where a model is asked for it too."""
        own = super().usage()
        return combine_usage([own, self._agenda.usage()]) if isinstance(self._agenda, AskingUsers) else own

    def close(self) -> None:
        """Close the connections."""
        super().close()
        if isinstance(self._agenda, AskingUsers):
            self._agenda.close()


def agenda_of(options: LlmUserOptions | LocalUserOptions) -> UserModel:
    """The agenda-based users that decide, with their understanding.

    Raises:
        UnknownNameError: there are none of this name.
        DataError: a folder that holds no fitted users.
    """
    model = load_users(options.agenda)
    return model if options.understanding is None else model.with_options(understanding=options.understanding)


def gate_of(model: UserModel, users: Users) -> ActGate:
    """Create the gate for agenda-based users."""

    return ActGate(model.phrasebook, model.interaction.space, users.catalogue, users.world.linker)
