"""Can agenda-based users be recognised beside people they were not fitted on: part of ``PASSPORTS.md``.

    python -m benchmarks.agenda_realism            # half a minute of CPU for each kind of users

Fixed before anything was changed to improve the users (issue: frozen discriminators). The people of KDD 2020 (75 dialogues
with three agents) are split at random into halves by person, five times (half of each
agent's people on either side), and each half is once fitted on and once held out.
Users of every agent are fitted on its dialogues in the fitting half alone and talk to a replay of the agent as recorded in
that half. Then each discriminator separates simulated from held-out dialogues with the same agent:

- six single counts of a passport (``discriminators.TRIVIAL``), for each agent by itself, means over the ten fits;
- its classifier over all features, for each agent by itself, on users that it was not fitted on;
- the same over all agents, on users and agents that it was not fitted on.

The *worst* is the one farthest from .5. Beside it stands the same of the fitting half's people in place of simulated users,
which is what no difference looks like. A message of five words or more is *copied* if somebody in the fitting half wrote it
word for word; held-out people give the yardstick.

Needs the corpora kdd2020 and movielens-latest-small (``trialogue data get``, or TRIALOGUE_DATA_MIRROR).
"""

import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from trialogue.catalogue import TitleLinker
from trialogue.findings.resampling import Resampling
from trialogue.inputs.knowledge import Knowledge, load_catalogue
from trialogue.records import Dialogue
from trialogue.reproduce.kdd2020.runs import FILMS, MAX_TURNS, real_dialogues
from trialogue.seeds import rng_for
from trialogue.simulation import Users, fit_users
from trialogue.simulation.dialogue import converse
from trialogue.simulation.kdd2020 import ReplayAgent
from trialogue.simulation.users.interaction import class_bigrams, labels_of
from trialogue.simulation.users.options import UserOptions, method
from trialogue.stats import auc
from trialogue.subjects.simulated_users.behavior import TRIVIAL, discriminators_of
from trialogue.subjects.simulated_users.commands.realism_features import FEATURES, has_words
from trialogue.subjects.simulated_users.commands.sides import user_side
from trialogue.subjects.simulated_users.distances import Aspect

SPLITS = 5
N = 50  # simulated dialogues with each agent, for each fit
KINDS = ("cir6-pkg", "cir6-single", "qrfa-single")
TITLES = {name: title for name, (title, _) in FEATURES.items()}
CLASSIFIER = "classifier"
ALL = "all"


@dataclass
class Separation:
    """What each discriminator makes of users, over all fits."""

    aucs: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    """By (discriminator, agent)."""
    copied: int = 0
    """Messages of five words or more that stand in the fitting half word for word ..."""
    long: int = 0
    """... of so many."""
    cpu_s: float = 0.0
    """CPU seconds of the dialogues, fitting left out ..."""
    dialogues: int = 0
    """... of so many."""

    @property
    def means(self) -> dict[tuple[str, str], float]:
        """Mean over the fits."""
        return {key: float(np.mean(values)) for key, values in self.aucs.items()}

    @property
    def worst(self) -> tuple[tuple[str, str], float]:
        """The frozen discriminator that is farthest from .5."""
        frozen = {key: value for key, value in self.means.items() if key[0] in (*TRIVIAL, CLASSIFIER)}
        return max(frozen.items(), key=lambda item: abs(item[1] - 0.5))


@cache
def known() -> tuple[Knowledge, TitleLinker]:
    """Films, their ratings, and what finds them in a text."""
    films = load_catalogue(FILMS)
    assert films.ratings is not None
    return films, TitleLinker(films.catalogue, popularity=films.ratings.popularity())


def halves(number: int) -> tuple[frozenset[str], frozenset[str]]:
    """The people of a split, half of those of every agent on either side."""
    rng = rng_for(number, "halves of kdd2020")
    sides: tuple[set[str], set[str]] = (set(), set())
    for said in real_dialogues().values():
        people = sorted({each.cluster for each in said} - sides[0] - sides[1])
        for place, other in enumerate(rng.permutation(len(people))):
            sides[place % 2].add(people[other])
    return frozenset(sides[0]), frozenset(sides[1])


def fits() -> Iterable[tuple[int, list[Dialogue], list[Dialogue]]]:
    """(number, dialogues to fit on, dialogues held out), twice for each split."""
    everything = [each for said in real_dialogues().values() for each in said if has_words(each)]
    for number in range(SPLITS):
        for turn, half in enumerate(halves(number)):
            inside = [each for each in everything if each.cluster in half]
            yield 2 * number + turn, inside, [each for each in everything if each.cluster not in half]


def simulate(fitting: Sequence[Dialogue], options: UserOptions, seed: int) -> tuple[list[Dialogue], float]:
    """Dialogues of users fitted on some dialogues with replays of the same agents, and their CPU seconds."""
    films, linker = known()
    assert films.ratings is not None
    usual = class_bigrams(labels_of(each) for each in fitting)
    held, cpu = [], 0.0
    for system in sorted({each.system or "" for each in fitting}):
        own = [each for each in fitting if each.system == system]
        model = fit_users(
            own,
            films.catalogue,
            films.ratings,
            linker=linker,
            usual=usual,
            calibrate=False,
            options=options,
            styles=options.style == "personal",
        )
        users = Users(model, films.catalogue, films.ratings, linker=linker)
        agent = ReplayAgent(own, name=system)
        start = time.process_time()
        for case in range(N):
            talk = converse(
                agent, users.new(f"{case}", seed=seed), f"{case}", seed=seed * N + case, max_turns=MAX_TURNS
            )
            held.append(talk.as_dialogue(f"{seed}/{system}/{case}", system=system, user=f"simulated {system} {case}"))
        cpu += time.process_time() - start
    return held, cpu


def separate(found: Separation, real: Sequence[Dialogue], other: Sequence[Dialogue], seed: int) -> None:
    """Add what each discriminator makes of two sides."""
    other = [each for each in other if has_words(each)]
    sides = [user_side(side, from_labels=False) for side in (real, other)]
    how = Resampling(seed=seed, resamples=100)
    classifier = discriminators_of(sides[0], sides[1], TITLES, how)[0][0].auc.value
    found.aucs[CLASSIFIER, ALL].append(0.5 if classifier is None else classifier)
    for agent in sorted(set(sides[0].systems)):
        own = [user_side([d for d in side if d.system == agent], from_labels=False) for side in (real, other)]
        alone = discriminators_of(own[0], own[1], TITLES, how)[0][0].auc.value
        assert alone is not None  # a half has eleven people of every agent, and a passport asks for ten
        found.aucs[CLASSIFIER, agent].append(alone)
    agents = np.array([*sides[0].systems, *sides[1].systems])
    labels = np.repeat([0, 1], [len(sides[0]), len(sides[1])])
    rows = np.concatenate([side.rows for side in sides])
    for place, name in enumerate(FEATURES):
        for agent in np.unique(agents):
            value = auc(rows[agents == agent, place], labels[agents == agent], rng=None, method="percentile").value
            found.aucs[name, str(agent)].append(0.5 if value is None else value)


def count_copies(found: Separation, fitting: Sequence[Dialogue], other: Sequence[Dialogue]) -> None:
    """Count long messages of one side that stand in the fitting half."""
    known_texts = {text for counts in _long(fitting) for text in counts}
    for counts in _long(other):
        found.long += sum(counts.values())
        found.copied += sum(count for text, count in counts.items() if text in known_texts)


def _long(dialogues: Sequence[Dialogue]) -> Sequence[Mapping[object, int]]:
    return user_side(dialogues, from_labels=False).counts[Aspect.COPYING]


def measure(options: UserOptions | None) -> Separation:
    """Users of some options, over all fits; None: the fitting half's people in their place."""
    found = Separation()
    for number, fitting, held_out in fits():
        simulated, cpu = (list(fitting), 0.0) if options is None else simulate(fitting, options, number)
        separate(found, held_out, simulated, number)
        count_copies(found, fitting, held_out if options is None else simulated)
        found.cpu_s += cpu
        found.dialogues += len(simulated)
    return found


def show(name: str, found: Separation) -> None:
    """Print one kind of users."""
    (worst, agent), value = found.worst
    print(f"{name}: worst {worst} ({agent}) {value:.3f}, distance {abs(value - 0.5):.3f}")
    print(f"  copied {found.copied} of {found.long} ({found.copied / max(1, found.long):.3f})")
    if found.cpu_s:
        print(f"  {1000 * found.cpu_s / found.dialogues:.2f} ms of CPU a dialogue")
    means = found.means
    for feature in (CLASSIFIER, *FEATURES):
        row = "  ".join(f"{agent} {means[key, agent]:.2f}" for key, agent in means if key == feature)
        print(f"  {feature:13}{'*' if feature in (*TRIVIAL, CLASSIFIER) else ' '} {row}")


def main(kinds: Sequence[str]) -> None:
    """Print the people's yardstick and every kind."""
    show("people of the fitting half", measure(None))
    for kind in kinds:
        for style in ("pooled", "personal"):
            show(f"{kind}, {style}", measure(method(kind).change({"style": style})))


if __name__ == "__main__":
    main(sys.argv[1:] or KINDS)
