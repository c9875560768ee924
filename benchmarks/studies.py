"""Does the analysis of studies find what is there, and nothing else? Writes ``benchmarks/STUDIES.md``.

500 studies drawn with no difference between systems and 500 with known ones go through the models that the report uses.
No pages take part: what is simulated are ratings (whole studies: ``benchmarks/studies_walked.py``). Where a mirror of the
corpora is at hand (``TRIALOGUE_DATA_MIRROR``), the analysis also runs on the INSPIRED2 study and the votes of CRSArena.
"""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from trialogue.findings.people import Presentation, Scale, analyse_preferences, analyse_ratings
from trialogue.findings.people.models import effects_of, fit, omnibus
from trialogue.findings.people.table import Key, RatingTable, key_of, table_of
from trialogue.records import Score
from trialogue.stats import friedman, lmm

HERE = Path(__file__).parent
PAGE = HERE / "STUDIES.md"
WALKED = "## Walked from the first page to the findings"  # a section that benchmarks/studies_walked.py writes
STUDIES = 500
SYSTEMS = ("s1", "s2", "s3")
CUTS = (-2.0, -0.7, 0.7, 2.0)
POSITION = -0.3  # logits that later positions are rated lower, in studies with effects
EFFECTS = (0.0, 0.5, 1.0)
LEVEL = 0.05


def drawn(
    rng: np.random.Generator,
    *,
    workers: int,
    effects: tuple[float, ...],
    taste: float,
    reply: float = 0.0,
    position: float = 0.0,
    situations: int = 9,
    pool: int = 60,
) -> RatingTable:
    """One study of the shape of INFACT's: every worker rates three replies in nine situations, in any order."""
    worker, item = rng.normal(0, 0.8, workers), rng.normal(0, 0.6, pool)
    tastes, replies = rng.normal(0, taste, (workers, 3)), rng.normal(0, reply, (pool, 3))
    scores: list[Score] = []
    shown: dict[Key, Presentation] = {}
    for w in range(workers):
        for i in rng.choice(pool, situations, replace=False).tolist():
            for place, s in enumerate(rng.permutation(3).tolist()):
                latent = worker[w] + item[i] + tastes[w, s] + replies[i, s] + effects[s] + position * (place > 0)
                score = Score(
                    measure="human:meaningfulness",
                    level="response",
                    value=1.0 + float(np.searchsorted(CUTS, latent + rng.logistic())),
                    system=SYSTEMS[s],
                    situation_id=f"i{i}",
                    rater=f"w{w}",
                )
                scores.append(score)
                shown[key_of(score)] = Presentation(position=place + 1)
    return table_of(scores, shown)[0]


def naive_p(table: RatingTable) -> float:
    """Kruskal and Wallis's test that takes ratings for independent."""
    from scipy.stats import kruskal

    return float(kruskal(*[[row.rating for row in table.rows if row.system == s] for s in SYSTEMS]).pvalue)


def false_positives(workers: int, *, taste: float, reply: float, studies: int = STUDIES) -> dict[str, float]:
    """Share of studies without any difference in which each test finds one."""
    from scipy.special import chdtrc

    hits: dict[str, list[bool]] = {}
    for study in range(studies):
        rng = np.random.default_rng([workers, int(100 * taste), int(100 * reply), study])
        table = drawn(rng, workers=workers, effects=(0.0, 0.0, 0.0), taste=taste, reply=reply)
        effects = effects_of(table)
        model = fit(table, effects, confidence=0.95)
        linear = lmm(table.ratings, effects.fixed, effects.random)
        f_test = linear.f_test("system")
        ratio = omnibus(model, f_test, "system")
        plain = {name: levels for name, levels in effects.random.items() if " x " not in name}
        without = type(effects)(effects.fixed, plain, {})
        p = {
            "cumulative-link mixed model, likelihood ratio as F (the report's main test)": ratio.p,
            "the same, as chi square": float(chdtrc(2, 2 * (ratio.statistic or 0.0))),
            "linear mixed model, F with Satterthwaite's degrees of freedom": f_test.p,
            "Friedman on means of workers": friedman(table.means(SYSTEMS)[1]).test.p,
            "the ordinal model without rater × system and item × system": fit(table, without, confidence=0.95)
            .wald_test("system")
            .p,
            "Kruskal–Wallis on single ratings (refused by the report)": naive_p(table),
        }
        for name, value in p.items():
            hits.setdefault(name, []).append(value is not None and value < LEVEL)
            if value is None:
                print(f"  no p: {name}, study {study}: {model.why}", flush=True)
    return {name: float(np.mean(found)) for name, found in hits.items()}


def recovered(workers: int = 30, studies: int = STUDIES) -> dict[str, Any]:
    """Known effects, and what the intervals make of them."""
    names = {"system=s2": 0.5, "system=s3": 1.0, "position=2": POSITION, "position=3": POSITION}
    values: dict[str, list[float]] = {name: [] for name in names}
    covered: dict[str, list[bool]] = {name: [] for name in names}
    found = {"system": 0, "all pairs": 0, "position": 0}
    spreads: dict[str, list[float]] = {}
    seconds = []
    for study in range(studies):
        table = drawn(
            np.random.default_rng([7, study]), workers=workers, effects=EFFECTS, taste=0.4, reply=0.3, position=POSITION
        )
        started = time.process_time()
        effects = effects_of(table)
        model = fit(table, effects, confidence=0.95)
        seconds.append(time.process_time() - started)
        for name, truth in names.items():
            estimate = model.coefficients[name]
            if estimate.value is not None and estimate.interval is not None:
                values[name].append(estimate.value)
                covered[name].append(estimate.interval.contains(truth))
        for name, spread in model.spreads.items():
            spreads.setdefault(name, []).append(spread.value if spread.value is not None else float("nan"))
        linear = lmm(table.ratings, effects.fixed, effects.random)
        for effect in ("system", "position"):
            found[effect] += (omnibus(model, linear.f_test(effect), effect).p or 1) < LEVEL
        pairs = model.pairs("system", freedom=linear.freedom)
        found["all pairs"] += all((pair.p_adjusted or 1) < LEVEL for pair in pairs)
    return {
        "truth": names,
        "mean": {name: float(np.mean(each)) for name, each in values.items()},
        "covered": {name: float(np.mean(each)) for name, each in covered.items()},
        "found": {name: count / studies for name, count in found.items()},
        "spreads": {name: float(np.nanmean(each)) for name, each in spreads.items()},
        "seconds": float(np.median(seconds)),
        "fits": len(values["system=s2"]),
    }


def timed() -> dict[str, float]:
    """CPU seconds of single fits: 60 workers, nine situations, three systems."""
    table = drawn(np.random.default_rng(0), workers=60, effects=EFFECTS, taste=0.4, reply=0.3, pool=180)
    effects = effects_of(table)
    plain = type(effects)({"system": effects.fixed["system"]}, {n: effects.random[n] for n in ("rater", "item")}, {})
    found = {}
    for name, chosen in (("crossed raters and items", plain), ("the report's model", effects)):
        started = time.process_time()
        fit(table, chosen, confidence=0.95)
        found[name] = time.process_time() - started
    started = time.process_time()
    lmm(table.ratings, effects.fixed, effects.random)
    found["the linear model beside it"] = time.process_time() - started
    return found


def inspired2(mirror: Path) -> Any:
    """The study of INSPIRED2: 1,860 replies of four systems, each rated 1 to 3 by three."""
    from trialogue.datasets.corpora.inspired2_study import read_study
    from trialogue.records import Response

    scores = [
        Score(
            measure="human:meaningfulness",
            level="response",
            value=rating.value,
            system=record.system,
            situation_id=record.situation_id,
            dialogue_id=record.situation_id.partition("#")[0],
            rater=rating.rater,
        )
        for record in read_study(mirror / "inspired2_study")
        if isinstance(record, Response)
        for rating in record.utterance.ratings
    ]
    return analyse_ratings(scores, scale=Scale("Meaningfulness"))


def crsarena(mirror: Path) -> Any:
    """The votes of CRSArena-Dial."""
    from trialogue.workflows.inputs.inputs import gather

    return analyse_preferences(gather([str(mirror / "crsarena_dial")]).preferences)


def _share(value: float, n: int = STUDIES) -> str:
    reach = NormalDist().inv_cdf(0.975) * (max(value * (1 - value), 1e-9) / n) ** 0.5
    return f"{100 * value:.1f} % ± {100 * reach:.1f}"


def results(found: dict[str, Any]) -> str:
    """The page."""
    lines = [
        "# Does the analysis of studies find what is there?",
        "",
        f"{machine()}; one process",
        f"at low priority. Written by `python benchmarks/studies.py`. {STUDIES} simulated studies a row; ± is 95 % Monte",
        "Carlo error. A study: every worker rates the replies of three systems in nine situations (of 60) on five points;",
        "standard deviations in logits: workers 0.8, situations 0.6, and as stated.",
        "",
        "## False positives: no system differs, level 5 %",
        "",
    ]
    for (workers, taste, reply), rates in found["false"].items():
        lines += [
            f"{workers} workers, tastes {taste:g} (worker × system), quality of replies {reply:g} (situation × system):",
            "",
            "| test | finds a difference |",
            "|---|---|",
            *(f"| {name} | {_share(rate)} |" for name, rate in rates.items()),
            "",
        ]
    got = found["recovered"]
    lines += [
        "## Known effects: steps of half a logit, later positions 0.3 lower, 30 workers, tastes 0.4, replies 0.3",
        "",
        f"{got['fits']} of {STUDIES} fits converged; median {got['seconds']:.2f} CPU seconds each (810 ratings, four "
        "random factors).",
        "",
        "| effect | truth | mean estimate | 95 % intervals that hold it |",
        "|---|---|---|---|",
        *(
            f"| {name} | {truth:g} | {got['mean'][name]:.3f} | {_share(got['covered'][name])} |"
            for name, truth in got["truth"].items()
        ),
        "",
        "These intervals are normal, as in R; those of the report are wider, by t.",
        "",
        "Found at 5 %: " + "; ".join(f"{name} {_share(rate)}" for name, rate in got["found"].items()) + ".",
        "Mean estimates of standard deviations (Laplace's method and maximum likelihood put them a little low): "
        + ", ".join(f"{name} {value:.2f}" for name, value in got["spreads"].items())
        + "; truth 0.8, 0.4, 0.6, 0.3.",
        "",
        "## Time",
        "",
        "60 workers × 9 situations × 3 systems, 1,620 ratings; CPU seconds of one fit with standard errors.",
        "",
        "| model | seconds |",
        "|---|---|",
        *(f"| {name} | {seconds:.2f} |" for name, seconds in found["time"].items()),
        "",
        *_real(found),
    ]
    return "\n".join(lines)


def _real(found: dict[str, Any]) -> list[str]:
    lines = []
    if "inspired2" in found:
        study = found["inspired2"]
        alpha = study.agreement[0].estimate
        main = study.tests[0]
        lines += [
            "## INSPIRED2: 1,860 replies of four systems, three raters",
            "",
            f"Krippendorff's alpha, ordinal: {_written(alpha)}. Likelihood ratio as F({main.freedom[0]:g}, "
            f"{main.freedom[1]:.0f}) = {main.statistic:.1f}, p = {main.p:.2g}. "
            f"Proportional odds: p = {study.model.proportional.p:.2g}.",
            "",
            "| pair | odds of a higher rating | p, Holm | points apart | A |",
            "|---|---|---|---|---|",
            *(
                f"| {pair.a} – {pair.b} | {_written(pair.odds_ratio)} | {pair.p_adjusted:.2g} | "
                f"{_written(pair.difference)} | {_written(pair.superiority)} |"
                for pair in study.pairs
            ),
            "",
        ]
    if "crsarena" in found:
        votes = found["crsarena"]
        held = [f"{pair.a} over {pair.b}" for pair in votes.pairs if pair.verdict in ("a", "b")]
        order = ", ".join(f"{one.system} {one.strength.value:.0f}" for one in votes.votes.strengths)
        lines += [
            "## CRSArena-Dial: votes",
            "",
            f"{votes.judgements} votes in {len(votes.pairs)} pairs of systems. After Holm over the pairs: "
            f"{', '.join(held) or 'no pair is decided by its own votes'}. Bradley–Terry with ties: {order}.",
            "",
        ]
    return lines


def _written(estimate: Any) -> str:
    if estimate.value is None:
        return f"undefined ({estimate.why})"
    interval = estimate.interval
    return f"{estimate.value:.3f}" + (f" [{interval.low:.3f}, {interval.high:.3f}]" if interval else "")


def machine() -> str:
    """Where and what was measured."""
    return f"Commit {_commit()}, Python {platform.python_version()}, {os.cpu_count()} cores, {_processor()}"


def without_walked(page: str) -> str:
    """The page without the section of walked studies, which stands at its end."""
    return page.partition(WALKED)[0]


def walked_of(page: str) -> str:
    """That section; "" where there is none."""
    _, heading, rest = page.partition(WALKED)
    return heading + rest


def _commit() -> str:
    words = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, cwd=HERE, check=True).stdout.strip()


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(":")[1].strip() for line in lines if "model name" in line), "processor unknown")


def main() -> None:
    """Everything, one after another; ``quick`` for a tenth of the studies, printed and not written."""
    quick = sys.argv[1:] == ["quick"]
    studies = STUDIES // 10 if quick else STUDIES
    found: dict[str, Any] = {"false": {}}
    for workers, taste, reply in ((20, 0.6, 0.0),):
        print(f"false positives, {workers} workers ...", flush=True)
        rates = false_positives(workers, taste=taste, reply=reply, studies=studies)
        print(f"  {rates}", flush=True)
        found["false"][workers, taste, reply] = rates
    print("known effects ...", flush=True)
    found["recovered"] = recovered(studies=studies)
    print(f"  {found['recovered']}", flush=True)
    found["time"] = timed()
    mirror = os.environ.get("TRIALOGUE_DATA_MIRROR")
    if mirror:
        found["inspired2"], found["crsarena"] = inspired2(Path(mirror)), crsarena(Path(mirror))
    text = results(found)
    if quick:
        print(text)
    else:
        kept = walked_of(PAGE.read_text(encoding="utf-8")) if PAGE.is_file() else ""
        PAGE.write_text(f"{text}\n{kept}" if kept else text, encoding="utf-8")
        print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
