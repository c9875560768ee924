"""The findings of all stages as one: measured, simulated and judged side by side."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from trialogue.evaluation.experiment.file import Experiment
from trialogue.evaluation.experiment.graph import Plan
from trialogue.evaluation.experiment.stages import (
    AGREE,
    COLUMNS,
    PEOPLE,
    measured_name,
    realism_name,
    simulated_names,
    warnings_in,
)
from trialogue.metaeval import Findings, League, Section, SystemFacts
from trialogue.metaeval.answer import BEST_FLOOR, small_samples
from trialogue.metaeval.columns import ColumnAgreement, columns_section
from trialogue.metaeval.realism_findings import RealismFindings
from trialogue.metaeval.sections import agreement_section, realism_section
from trialogue.records import JsonValue, Manifest, read_records
from trialogue.records.manifest import versions_of


def joined(experiment: Experiment, plan: Plan) -> Findings:
    """One set of findings from those of the stages.

    Measures of talks with simulated users are columns of their own. The answer rests on conversations with people where
    there are any.
    """
    from trialogue.report import read_findings

    folders = plan.folders()
    simulated = {
        users: read_findings(folders[measured_name(prepared)])
        for users, prepared in simulated_names(experiment).items()
    }
    people = read_findings(folders[measured_name(PEOPLE)]) if PEOPLE in folders else None
    aligned = read_findings(folders["align"]) if "align" in folders else None
    parts = [part for part in (people, *simulated.values(), aligned) if part is not None]
    leagues = [
        *(people.leagues if people else ()),
        *(league for users, found in simulated.items() for league in _simulated(found, users)),
        *(aligned.leagues if aligned else ()),
    ]
    return Findings(
        title=experiment.title or "Experiment",
        answer=_answer(people, simulated, aligned),
        systems=_facts(parts),
        leagues=tuple(_once(leagues)),
        primary=_primary(people, simulated, aligned),
        votes=people.votes if people else None,
        sections=_sections(experiment, folders),
        examples=next((part.examples for part in parts if part.examples), ()),
        warnings=tuple(dict.fromkeys([*_prepared(folders), *_warnings(people, simulated, aligned)])),
        dialogues=sum(part.dialogues or 0 for part in parts),
        people=people.people if people else None,
        methods=_methods(experiment, people),
        alpha=experiment.alpha,
        manifest=_manifest(experiment, plan, parts),
    )


def _simulated(found: Findings, users: str) -> Iterable[League]:
    """Leagues of talks with simulated users: those that rank systems. The stage's own report has the others."""
    for league in found.leagues:
        measure = league.measure
        if measure.better != "neither":
            yield league.model_copy(update={"measure": measure.with_simulated(users)})


def _once(leagues: Iterable[League]) -> list[League]:
    """Each measure once, where it first stands: as the last stage measured it (alignment's has the floors beside it)."""
    return list({league.measure.name: league for league in leagues}.values())


def _answer(people: Findings | None, simulated: Mapping[str, Findings], aligned: Findings | None) -> tuple[str, ...]:
    """The answer of each part; that of people first."""
    sentences = [*(people.answer if people else ())]
    for users, found in simulated.items():
        talked = [sentence for sentence in found.answer if "No person's judgement" not in sentence]
        sentences += [f"With simulated users ({users}): {sentence}" for sentence in talked[:1]]
    if aligned is not None:
        sentences += [f"In alignment with human recommenders: {sentence}" for sentence in aligned.answer[:1]]
        sentences += [sentence for sentence in aligned.answer[1:2] if sentence.startswith(BEST_FLOOR)]
    if people is None:
        sentences.append("No person judged: simulated users say how systems behave, not what people like.")
    return tuple(sentences)


def _primary(people: Findings | None, simulated: Mapping[str, Findings], aligned: Findings | None) -> str | None:
    if people is not None and people.primary:
        return people.primary
    for users, found in simulated.items():
        for league in found.leagues:
            if league.measure.name == found.primary:
                return league.measure.with_simulated(users).name
    return aligned.primary if aligned else None


def _facts(parts: Iterable[Findings]) -> tuple[SystemFacts, ...]:
    """How much there is of each system in all parts together."""
    found: dict[str, SystemFacts] = {}
    for part in parts:
        for facts in part.systems:
            known = found.get(facts.system)
            if known is None:
                found[facts.system] = facts
                continue
            people = [each.people for each in (known, facts) if each.people is not None]
            found[facts.system] = SystemFacts(
                system=facts.system,
                dialogues=known.dialogues + facts.dialogues,
                replies=known.replies + facts.replies,
                people=max(people, default=None),
            )
    return tuple(found[name] for name in sorted(found))


def _sections(experiment: Experiment, folders: Mapping[str, Path]) -> tuple[Section, ...]:
    """How far the columns agree; agreement and realism in short, with links to their pages."""
    from trialogue.report.agreement import PAGE as AGREEMENT
    from trialogue.report.agreement import read_agreement
    from trialogue.report.realism import FINDINGS
    from trialogue.report.realism import PAGE as REALISM

    found = []
    if COLUMNS in folders:
        held = read_records(folders[COLUMNS] / f"{COLUMNS}.jsonl", ColumnAgreement)
        found.append(columns_section(list(held)))
    if AGREE in folders and (folders[AGREE] / AGREEMENT).exists():
        page = _beside(experiment, folders[AGREE] / AGREEMENT)
        found.append(agreement_section(read_agreement(folders[AGREE]), page=page))
    for users in simulated_names(experiment):
        folder = folders.get(realism_name(users))
        if folder is not None and (folder / REALISM).exists():
            (findings,) = read_records(folder / FINDINGS, RealismFindings)
            found.append(realism_section(findings, users=users, page=_beside(experiment, folder / REALISM)))
    return tuple(found)


def _beside(experiment: Experiment, page: Path) -> str:
    return page.relative_to(experiment.out).as_posix()


def _warnings(people: Findings | None, simulated: Mapping[str, Findings], aligned: Findings | None) -> list[str]:
    """What each part had to say; what one says of its own answer is not said of the experiment's."""
    found = [*(people.warnings if people else ())]
    for users, part in simulated.items():
        own = [one for one in part.warnings if _is_of_its_answer(one, part)]
        found += [f"With simulated users ({users}): {one[0].lower()}{one[1:]}" for one in own]
        found += [one for one in part.warnings if one not in own]
    return found + list(aligned.warnings if aligned else ())


def _is_of_its_answer(warning: str, part: Findings) -> bool:
    """Whether a warning is about this part's systems and measures only, and not about the data."""
    return warning.startswith("The answer rests on") or warning in small_samples(part.leagues)


def _prepared(folders: Mapping[str, Path]) -> list[str]:
    return [warning for folder in folders.values() for warning in warnings_in(folder)]


def _methods(experiment: Experiment, people: Findings | None) -> tuple[str, ...]:
    study = experiment.study
    sentences = [*(people.methods if people else ())]
    if study is not None:
        sentences.append(
            f"{study.n} dialogues of each agent ({', '.join(study.agents)}) with simulated users of each kind "
            f"({', '.join(study.users)}) were held, at most {study.max_turns} user utterances long, seed "
            f"{study.seed}. Measures of these dialogues are columns of their own."
        )
    if experiment.label is not None:
        sentences.append(f"Strategies that nobody had labelled were labelled by a model ({experiment.label}).")
    return tuple(sentences)


def _manifest(experiment: Experiment, plan: Plan, parts: Iterable[Findings]) -> Manifest:
    inputs: dict[str, str] = {}
    for stage in plan.stages:
        inputs.update({f"{stage.name}/{name}": digest for name, digest in stage.inputs.items()})
    keys: dict[str, JsonValue] = dict(plan.keys())
    versions = versions_of("trialogue")
    for part in parts:
        versions.update(part.manifest.versions)
    described = experiment.model_dump(mode="json", exclude={"out"}, exclude_defaults=True)
    return Manifest(
        command="run",
        config={"experiment": described, "stages": keys},
        seed=experiment.seed,
        inputs=inputs,
        versions=versions,
    )
