"""Makes the conversations with invented people that `trialogue demo` shows: ``src/trialogue/workflows/demo_people.jsonl``.

No person took part. Simulated users of another kind and seed than those of the demo talk to the demo's seven recommenders;
their ratings follow ``satisfaction`` below. Every rating says that it is invented.

    python -m benchmarks.demo_people            # writes the file anew: the same bytes each time
"""

import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import numpy as np
import yaml

from trialogue.agents.baselines import OFF_TOPIC
from trialogue.records import Dialogue, Ending, MentionedBy, Raters, Rating, Utterance, read_records, write_records
from trialogue.seeds import rng_for
from trialogue.simulating.simulate import simulate

SEED, PEOPLE, USERS = 2018, 20, "cir6-single"
FILE = Path(__file__).parent.parent / "src" / "trialogue" / "workflows" / "demo_people.jsonl"

# In points of the scale from 1 to 5. Nothing was fitted to real people: enough that what is rated matters, and enough mood
# and noise that one person's rating is no proof.
BASE, FITTING, ASKING, OFF = 1.8, 2.2, 0.9, 3.0
MOOD, NOISE = 0.4, 0.7
BEST = 3  # films that a person remembers


def satisfaction(dialogue: Dialogue) -> float:
    """What a person would rate without mood and noise, 1 to 5 before rounding.

    1.8, + 2.2 times the share of wishes that the three best films satisfy that the recommender named, + 0.9 if it asked what
    the person likes before it named any, - 3 times the share of its messages that are off-topic.
    """
    assert dialogue.need is not None
    said = [utterance for utterance in dialogue.utterances if utterance.speaker == "system"]
    named = [mention.item_id for utterance in said for mention in utterance.mentions or ()]
    known = set(dialogue.need.known)
    fits = sorted(dialogue.need.fits.get(item or "", 0.0) for item in dict.fromkeys(named) if item not in known)
    best = sum(fits[-BEST:]) / BEST
    off = sum(utterance.text in OFF_TOPIC for utterance in said) / max(len(said), 1)
    intents = [act.intent for utterance in said for act in utterance.acts or ()]
    before = intents[: intents.index("List")] if "List" in intents else intents
    return BASE + FITTING * best + ASKING * ("Elicit" in before) - OFF * off


def _as_of_people(dialogue: Dialogue, number: int, moods: np.ndarray) -> Dialogue:
    """The same words as those of an invented person, who rates them; without what only programs know."""
    person = f"invented-{number:02d}"
    noise = rng_for(SEED, "demo people", dialogue.system or "", person).normal(0, NOISE)
    value = float(np.clip(np.round(satisfaction(dialogue) + moods[number - 1] + noise), 1, 5))
    rating = Rating(name="satisfaction", value=value, rater=person, low=1, high=5, raters=Raters.INVENTED)
    ended = Ending.USER_ENDED if dialogue.ended_by is Ending.AGENDA_EMPTY else dialogue.ended_by
    return Dialogue(
        id=f"{dialogue.system}/{person}",
        utterances=tuple(map(_as_typed, dialogue.utterances)),
        system=dialogue.system,
        user=person,
        source="demo people (invented)",
        ratings=(rating,),
        need=dialogue.need,
        ended_by=ended,
    )


def _as_typed(utterance: Utterance) -> Utterance:
    mentions = tuple(
        mention.model_copy(update={"origin": "declared", "by": MentionedBy.DECLARED})
        for mention in utterance.mentions or ()
    )
    return Utterance(speaker=utterance.speaker, text=utterance.text, mentions=mentions)


def make() -> list[Dialogue]:
    """Every recommender of the demo with every invented person."""
    bundled = yaml.safe_load((files("trialogue.workflows") / "demo.yaml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        batch = simulate(
            {
                "agents": bundled["simulate"]["agents"],
                "users": [USERS],
                "n": PEOPLE,
                "seed": SEED,
                "baselines": 0,
                "out": folder,
            }
        )
        held = list(read_records(batch.dialogues, Dialogue))
    moods = rng_for(SEED, "demo people", "mood").normal(0, MOOD, size=PEOPLE)
    return [_as_of_people(dialogue, int(dialogue.id.rpartition("/")[2]), moods) for dialogue in held]


if __name__ == "__main__":
    dialogues = make()
    write_records(FILE, dialogues)
    for system in dict.fromkeys(dialogue.system for dialogue in dialogues):
        values = [dialogue.ratings[0].value for dialogue in dialogues if dialogue.system == system]
        sys.stdout.write(f"{system}: {np.mean(values):.2f} (n = {len(values)})\n")
