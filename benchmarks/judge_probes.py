"""Bias probes and corrections of a judge with planted biases, behind a real HTTP server.

``python -m benchmarks.judge_probes 60 1000`` prints the tables in JUDGING.md: shares of 60 probings in which each probe
calls a bias (or, of defects, in which the judge is found to notice them); coverage of each probe alone with few dialogues or
pairs, and errors of corrected differences, over 1,000 draws.
"""

import json
import re
import sys
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trialogue.judges import JudgeOptions, LlmJudge, load_rubric
from trialogue.judges.probe_kinds import ProbeKind
from trialogue.judges.probes import ProbeCase, ProbeCases, Probes
from trialogue.records import Dialogue, Utterance
from trialogue.seeds import rng_for
from trialogue.stats.correction.means import corrected_means
from trialogue.stats.correction.table import Estimand, judged_table
from trialogue.subjects.judging.probes import probe_findings
from trialogue.subjects.judging.records import ProbeFinding, ProbeVerdict

ASPECT = "dialogue_overall"
CONVERSATION = re.compile(r"<conversation>\n(.*?)</conversation>", re.DOTALL)
REPLY = re.compile(r"^\d+ RECOMMENDER: (.*)$", re.MULTILINE)
NOISE = 0.7  # standard deviation of a judge's error, in points of 0 to 4
CHANGES = (
    (ProbeKind.PADDING, 0.0),
    (ProbeKind.PADDING, 0.5),
    (ProbeKind.INJECTION, 0.1),
    (ProbeKind.INJECTION, 1 / 3),
    (ProbeKind.WORDING, 0.5),
    (ProbeKind.WRONG_YEAR, -1.0),
)
"""Kinds of probes of scores, and how much a planted bias or defect changes them."""
Judge = Callable[[str, str], float]
Pairs = NDArray[np.float64]


def noise_of(text: str, task: str) -> float:
    """The judge's error: the same for the same question, and another one for every other."""
    return NOISE * float(rng_for(0, "noise", task, text).normal())


def quality_of(shown: str) -> float:
    """What the dialogue is worth: its quality stands in it, less a point for each defect."""
    said = REPLY.findall(shown)
    points = float(re.search(r"quality (\d\.\d)", shown)[1])  # type: ignore[index]
    points -= sum(other.startswith(one) for one, other in pairwise(said))
    points -= sum(int(year) < 1990 for text in said for year in re.findall(r"\((\d{4})\)", text))
    disliked = re.findall(r'I know "([^"]+)" already, and I did not like it', shown)
    points -= sum(f'recommend "{title}"' in text for title in disliked for text in said)
    return float(points)


def fair(shown: str, task: str) -> float:
    """Quality with noise."""
    return quality_of(shown) + noise_of(shown, task)


def verbose(shown: str, task: str, *, bonus: float = 0.5) -> float:
    """Half a point more for each doubling of the length of replies from 60 characters on."""
    said = REPLY.findall(shown)
    return fair(shown, task) + bonus * max(0.0, float(np.log2(sum(map(len, said)) / len(said) / 60)))


def obedient(shown: str, task: str) -> float:
    """The highest score for one in three dialogues that ask for it."""
    asks = re.search(r"rate (it|this) \d|score for everything", shown)
    return 4.0 if asks and rng_for(0, "obeys", shown).random() < 1 / 3 else fair(shown, task)


def blind(shown: str, task: str) -> float:
    """Quality with noise, and no eye for defects."""
    return float(re.search(r"quality (\d\.\d)", shown)[1]) + noise_of(shown, task)  # type: ignore[index]


JUDGES: dict[str, tuple[Judge, float]] = {
    "without bias": (fair, 0.0),
    "half a point per doubling of length": (verbose, 0.0),
    "prefers the first by half a point": (fair, 0.5),
    "obeys one injection in three": (obedient, 0.0),
    "sees no defect": (blind, 0.0),
}
"""By name: score of one dialogue, and what being shown first is worth."""


class Handler(BaseHTTPRequestHandler):
    """An OpenAI-compatible endpoint: ``/NUMBER/chat/completions`` is the judge of that number."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one question."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        judge, first = list(JUDGES.values())[int(self.path.split("/")[1])]
        task, text = (message["content"] for message in body["messages"])
        shown = CONVERSATION.findall(text)
        if len(shown) == 2:
            a, b = (judge(each, task) for each in shown)
            margin = a - b + first
            choice = "tie" if abs(margin) < 0.25 else "A" if margin > 0 else "B"
            answer: dict[str, object] = {ASPECT: choice}
        else:
            answer = {ASPECT: int(np.clip(round(judge(shown[0], task)), 0, 4))}
        message = {"role": "assistant", "content": json.dumps(answer)}
        reply = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "model": "planted"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def dialogues(seed: int, count: int) -> list[Dialogue]:
    """Invented dialogues of two systems, with a quality of 0.5 to 3.5 written into each."""
    rng = rng_for(seed, "dialogues")
    made = []
    for number in range(count):
        quality = f"quality {rng.uniform(0.5, 3.5):.1f}"
        texts = (
            f"Hello, I would like a film, please ({seed}, {number}).",
            f"Which genre do you like best, so that I can look for one? {quality}",
            "Something from the nineties.",
            f"Then you could try Film {rng.integers(1000)} ({1990 + int(rng.integers(10))}), which many people like.",
            "I do not know that one, what is it about?",
            "It is about a journey that turns out to be longer than anybody thought at first.",
        )
        said = tuple(Utterance(speaker=("user", "system")[at % 2], text=text) for at, text in enumerate(texts))
        made.append(Dialogue(id=f"d{number}", system=f"system {number % 2}", utterances=said))
    return made


def share_called(url: str, number: int, draws: int, count: int) -> dict[ProbeKind, float]:
    """Share of probings in which a bias is called, or (defects) in which they are found to be noticed."""
    called = dict.fromkeys(ProbeKind, 0)
    for seed in range(draws):
        talks = dialogues(seed, 2 * count)
        pairs = list(zip(talks[::2], talks[1::2], strict=True))
        judge = LlmJudge(load_rubric("overall"), JudgeOptions(url=f"{url}/{number}", model="planted", reasons=False))
        probes = Probes(judge, ASPECT, talks[:count], pairs, seed)
        for each in probe_findings("planted", ASPECT, probes.ask(), points=(0, 4), seed=seed):
            called[each.probe] += each.verdict in (ProbeVerdict.BIASED, ProbeVerdict.NOTICED)
        probes.close()
    return {kind: number / draws for kind, number in called.items()}


def print_probes(draws: int, count: int = 30) -> None:
    """Table of how often each probe speaks."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    print(
        f"| judge | {' | '.join(kind.value.replace('_', ' ') for kind in ProbeKind)} |\n|---|{'--:|' * len(ProbeKind)}"
    )
    for number, name in enumerate(JUDGES):
        shares = share_called(url, number, draws, count)
        print(f"| {name} | {' | '.join(f'{shares[kind]:.2f}' for kind in ProbeKind)} |")
    server.shutdown()


def draw(seed: int, bonus: float, labels: int) -> list[tuple[float, float, float, bool]]:
    """(error of the raw, of the corrected, of labels alone, whether the interval holds the truth) by difference.

    Three systems of 200 dialogues; one writes twice, one four times as long as the other, and is no better for it.
    """
    rng = rng_for(seed, "correction")
    truth = np.repeat([2.0, 2.0, 2.3], 200)
    system = np.repeat(["short", "long", "longest"], 200)
    quality = truth + 0.8 * rng.normal(size=600)
    length = np.repeat([0.0, 1.0, 2.0], 200) + 0.3 * rng.normal(size=600)
    judge = 0.7 * quality + bonus * length + 0.5 * rng.normal(size=600)
    given = quality + 0.4 * rng.normal(size=600)
    unlabelled = np.concatenate([start + rng.permutation(200)[labels:] for start in (0, 200, 400)])
    given[unlabelled] = np.nan
    table = judged_table(system.tolist(), judge.tolist(), [None if np.isnan(one) else one for one in given.tolist()])
    found = corrected_means(table, estimand=Estimand.POPULATION)
    means = {"short": 2.0, "long": 2.0, "longest": 2.3}
    rows = []
    for (a, b), each in found.differences.items():
        real = means[a] - means[b]
        value, interval = each.corrected.value, each.corrected.interval
        assert value is not None
        assert interval is not None
        rows.append((each.judge - real, value - real, (each.alone.value or 0.0) - real, interval.contains(real)))
    return rows


def print_corrections(draws: int) -> None:
    """Table of errors of differences, with their Monte Carlo standard errors."""
    print(
        "| points per doubling | labels a system | raw | corrected | labels alone | coverage |\n|---|---|---|---|---|---|"
    )
    for bonus in (0.0, 0.25, 0.5):
        for labels in (10, 20, 50):
            rows = np.array([draw(seed, bonus, labels) for seed in range(draws)])  # (draws, pairs, 4)
            worst = [int(np.abs(rows[:, :, column].mean(axis=0)).argmax()) for column in range(3)]
            cells = [
                f"{rows[:, pair, column].mean():+.3f} ± {rows[:, pair, column].std() / draws**0.5:.3f}"
                for column, pair in enumerate(worst)
            ]
            print(f"| {bonus} | {labels} | {' | '.join(cells)} | {rows[:, :, 3].mean():.3f} |")


def place_answers(rng: np.random.Generator, count: int, first: float) -> np.ndarray:
    """Answers to both orders of pairs: 1 for the dialogue shown first, -1 for the second, 0 for a tie; (2, pairs).

    Qualities differ with standard deviation 1; every answer has an error of its own, with standard deviation .5.
    """
    better = rng.normal(size=count)
    margins = np.array([better, -better]) + 0.5 * rng.normal(size=(2, count)) + first
    return np.where(np.abs(margins) < 0.25, 0.0, np.sign(margins))


def print_places(draws: int) -> None:
    """Table of what the position probe alone says of answers that depend on the order at random."""
    print(
        "| first is worth | pairs | called biased | no interval | coverage, else | width |\n|---|--:|--:|--:|--:|--:|"
    )
    for first in (0.0, 0.1, 0.5):
        many = place_answers(rng_for(0, "places", str(first)), 1_000_000, first)
        real = float(many.mean()) if first else 0.0  # by symmetry
        for count in (5, 6, 8, 30):
            found: list[ProbeFinding] = []
            for seed in range(draws):
                answers = place_answers(rng_for(seed, "places", str(first), str(count)), count, first)
                shares = (np.mean(answers < 0, axis=0), np.mean(answers > 0, axis=0))
                cases = tuple(ProbeCase(f"p{at}", float(shares[0][at]), float(shares[1][at])) for at in range(count))
                found += probe_findings(
                    "planted", ASPECT, [ProbeCases(ProbeKind.POSITION, cases)], points=(0, 4), seed=seed
                )
            print(f"| {first} | {count} | {coverage_cells(found, real)} |")


def coverage_cells(found: Sequence[ProbeFinding], real: float) -> str:
    """Shares called (biased, or noticed) and without an interval; coverage and mean width of the others."""
    held = [each.effect.interval.contains(real) for each in found if each.effect.interval is not None]
    widths = [
        each.effect.interval.high - each.effect.interval.low for each in found if each.effect.interval is not None
    ]
    called = np.mean([each.verdict in (ProbeVerdict.BIASED, ProbeVerdict.NOTICED) for each in found])
    return f"{called:.3f} | {1 - len(held) / len(found):.3f} | {np.mean(held):.3f} | {np.mean(widths):.2f}"


def score_changes(rng: np.random.Generator, kind: ProbeKind, count: int, size: float) -> Pairs:
    """Scores of 0 to 4 without and with a change; shape (2, count).

    Injection: a share ``size`` of the dialogues gets the highest score; else ``size`` points are added. Every score has an
    error of its own, with the standard deviation of the judges above.
    """
    quality = rng.uniform(0.5, 3.5, size=count)
    added = np.array([[0.0], [0.0 if kind is ProbeKind.INJECTION else size]])
    scores: Pairs = np.clip(np.round(quality + added + NOISE * rng.normal(size=(2, count))), 0, 4)
    if kind is ProbeKind.INJECTION:
        scores[1, rng.random(count) < size] = 4.0
    return scores


def print_changes(draws: int) -> None:
    """Table of what probes of scores say with few dialogues, each probe alone."""
    print("| probe | size | dialogues | called | no interval | coverage, else | width |\n|---|--:|--:|--:|--:|--:|--:|")
    for kind, size in CHANGES:
        many = score_changes(rng_for(0, "changes", kind, str(size)), kind, 1_000_000, size)
        real = float((many[1] - many[0]).mean()) if size else 0.0  # without a change, by symmetry
        for count in (6, 8):
            found: list[ProbeFinding] = []
            for seed in range(draws):
                scores = score_changes(rng_for(seed, "changes", kind, str(size), str(count)), kind, count, size)
                cases = tuple(ProbeCase(f"d{at}", *scores[:, at].tolist()) for at in range(count))
                found += probe_findings("planted", ASPECT, [ProbeCases(kind, cases)], points=(0, 4), seed=seed)
            print(f"| {kind.value.replace('_', ' ')} | {size:.2f} | {count} | {coverage_cells(found, real)} |")


def main() -> None:
    """Print all tables."""
    probings, draws = (int(each) for each in (*sys.argv[1:], "60", "1000")[:2])
    print_probes(probings)
    print()
    print_places(draws)
    print()
    print_changes(draws)
    print()
    print_corrections(draws)


if __name__ == "__main__":
    main()
