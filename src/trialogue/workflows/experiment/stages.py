"""Stages of an experiment: simulate, prepare, measure, agree, align. Each reads and writes files.

A function ``_..._stage`` makes one stage: its name, the configuration and inputs that decide whether it must run again, the
stages that it needs, and the work.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

from trialogue.analysis.decision import exclude
from trialogue.errors import DataError, Problem
from trialogue.findings.family import FamilyScope
from trialogue.findings.protocol import Exclusion
from trialogue.findings.resampling import Resampling
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.inputs.link import catalogue_step, link_step
from trialogue.inputs.locations import Input
from trialogue.inputs.simulated_folder import baselines_in, with_baselines
from trialogue.metrics.human_ratings import answers_among
from trialogue.records import Dialogue, JsonValue, Record, read_records, write_records
from trialogue.records.files.opening import write_text
from trialogue.simulating.failed_agents import FailedAgent, find_failed_agents
from trialogue.simulation.paths import located_users
from trialogue.simulation.source import users_of_source
from trialogue.simulation.users.kinds import load_kind
from trialogue.strategies.labelling import label_records
from trialogue.subjects.agreement.columns import column_agreements
from trialogue.subjects.agreement.commands.agree import agree
from trialogue.subjects.alignment.commands.align import align, find_model
from trialogue.subjects.alignment.commands.shifts import with_shifts
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.subjects.simulated_users.commands.passport import passport
from trialogue.subjects.simulated_users.commands.realism import realism
from trialogue.subjects.simulated_users.commands.simulated_sample import stage_side
from trialogue.workflows.experiment.columns import columns_of
from trialogue.workflows.experiment.contents import bytes_of, files_in, hashes_of, model_hashes
from trialogue.workflows.experiment.file import Experiment
from trialogue.workflows.experiment.graph import Plan, Stage, StageContext
from trialogue.workflows.experiment.inputs import NameContext, Named, file_of
from trialogue.workflows.experiment.simulating import catalogue_of, simulation
from trialogue.workflows.write_findings import write_findings

RECORDS, WARNINGS, ALWAYS_FAILED = "records.jsonl", "warnings.json", "always_failed.json"
PEOPLE = "people"  # the stage that prepares the conversations with people
AGREE, ALIGN, COLUMNS = "agree", "align", "columns"
MAX_AGREEMENT_RESAMPLES = 2_000  # resamples of agreement, which is computed for every measure, question and level
MAX_NAME_LENGTH = 40  # characters of a kind of users in the name of a folder


def plan_of(experiment: Experiment) -> Plan:
    """Stages of an experiment, in order."""
    stages: list[Stage] = []
    study = experiment.study
    if study is not None:
        stages.append(simulation(experiment))
        for users in study.users:
            stages += [
                _simulated_stage(experiment, users),
                _measure_stage(experiment, f"simulated-{_folder_name(users)}", users),
            ]
    if experiment.dialogues:
        stages += [_people_stage(experiment), _measure_stage(experiment, PEOPLE, None), _agreement_stage(experiment)]
        if experiment.realism:
            stages += [_realism_stage(experiment, users) for users in simulated_names(experiment)]
        if experiment.realism and experiment.passport:
            stages += [_passport_stage(experiment, users) for users in simulated_names(experiment)]
    if experiment.align is not None:
        stages.append(_align_stage(experiment))
    if experiment.dialogues:
        stages.append(_columns_stage(experiment))
    return Plan(experiment.out, tuple(stages))


def measured_name(prepared: str) -> str:
    """Name of the measuring stage of a preparing stage."""
    return f"measure-{prepared}"


def simulated_names(experiment: Experiment) -> dict[str, str]:
    """Preparing stage of each kind of users' dialogues."""
    study = experiment.study
    return {} if study is None else {users: f"simulated-{_folder_name(users)}" for users in study.users}


def _folder_name(name: str) -> str:
    """A name that can be part of a folder's. One that had to be changed ends with its hash, so that no two become one."""
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)[:MAX_NAME_LENGTH]
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:6]}"


def _simulated_stage(experiment: Experiment, users: str) -> Stage:
    def work(context: StageContext) -> None:
        simulated = read_records(context.needed["simulate"] / "dialogues.jsonl", Dialogue)
        study = experiment.study
        assert study is not None
        own: Sequence[Dialogue] = [dialogue for dialogue in simulated if users_of_source(dialogue) == users]
        failed = sum(dialogue.fault is not None for dialogue in own)
        _write_failures(context.folder, find_failed_agents(own, users=users, most=study.max_failed))
        warnings = [f"{failed} of {len(own)} simulated dialogues with {users} failed; they are counted and measured."]
        own = with_baselines(own, baselines_in(context.needed["simulate"], users=users))
        material, left_out = exclude(InputRecords(dialogues=own), _exclusions(experiment))
        material = _with_labels(experiment, material)
        _write(context.folder, _flatten(material), [*(warnings if failed else []), *material.warnings, *left_out])

    return Stage(
        name=f"simulated-{_folder_name(users)}",
        work=work,
        config={"users": users, "label": experiment.label, **_exclusion_config(experiment)},
        inputs=model_hashes(_model_path(experiment, experiment.label)),
        needs=("simulate",),
        size="labelling" if experiment.label else "",
    )


def _people_stage(experiment: Experiment) -> Stage:
    names = (*experiment.dialogues, *experiment.human)
    surroundings = experiment.surroundings
    listing = ", ".join(map(file_of, names))

    def work(context: StageContext) -> None:
        material = gather(_inputs(names, surroundings))
        if not material:
            what = f"{listing}: it contains no conversations or replies."
            raise DataError(
                Problem(what, field="dialogues", hint="Ratings without conversations belong in the field human.")
            )
        material, left_out = exclude(material, _exclusions(experiment))
        if experiment.catalogue:
            known = experiment.known and experiment.path(experiment.known)
            material = link_step(experiment.path(experiment.catalogue), known=known, date=experiment.catalogue_date)(
                material
            )
        _write_failures(context.folder, find_failed_agents(material.dialogues))
        material = _with_labels(experiment, material)
        _write(context.folder, _flatten(material), [*material.warnings, *left_out])

    identities = [surroundings.identity_of(named) for named in names]
    config: dict[str, JsonValue] = {"given": identities, "catalogue": experiment.catalogue, "label": experiment.label}
    config |= {name: getattr(experiment, name) for name in ("known", "catalogue_date") if getattr(experiment, name)}
    return Stage(
        name=PEOPLE,
        work=work,
        config={**config, **_exclusion_config(experiment)},
        inputs={
            **hashes_of(names, surroundings),
            **files_in([experiment.catalogue, experiment.known], experiment.folder),
            **model_hashes(_model_path(experiment, experiment.label)),
        },
        reads=bytes_of(names, surroundings),
        size=f"reading {listing}",
    )


def _exclusions(experiment: Experiment) -> tuple[Exclusion, ...]:
    """Rules of the decision protocol by which dialogues are left out."""
    return experiment.decide.exclude if experiment.decide is not None else ()


def _exclusion_config(experiment: Experiment) -> dict[str, JsonValue]:
    """The same as part of a stage's configuration; {} without rules, as in experiments before there were any."""
    rules: list[JsonValue] = [rule.to_json() for rule in _exclusions(experiment)]
    return {"exclude": rules} if rules else {}


def _inputs(names: Iterable[Named], surroundings: NameContext) -> list[Input]:
    return [each for named in names for each in surroundings.inputs(named)]


def _model_path(experiment: Experiment, name: str | None) -> str | None:
    """A strategy model by a path that is valid here: a name in the file is relative to the file."""
    return None if name is None else experiment.path(name)


def _with_labels(experiment: Experiment, material: InputRecords) -> InputRecords:
    """The records with labels of strategies, if the experiment asks for them."""
    if experiment.label is None:
        return material
    model = find_model(_model_path(experiment, experiment.label))
    labelled = replace(
        material,
        situations=list(label_records(material.situations, model)),
        dialogues=list(label_records(material.dialogues, model)),
        responses=list(label_records(material.responses, model, situations=material.situations)),
    )
    return with_shifts(labelled, model)


def _flatten(material: InputRecords) -> list[Record]:
    return [
        *material.situations,
        *material.dialogues,
        *material.responses,
        *material.preferences,
        *answers_among(material.scores),
    ]


def _write(folder: Path, records: Iterable[Record], warnings: list[str]) -> None:
    write_records(folder / RECORDS, records)
    write_text(folder / WARNINGS, json.dumps(warnings, ensure_ascii=False, indent=1) + "\n")


def warnings_in(folder: Path) -> list[str]:
    """Warnings of a preparing stage."""
    path = folder / WARNINGS
    return cast("list[str]", json.loads(path.read_text(encoding="utf-8"))) if path.exists() else []


def _write_failures(folder: Path, agents: Iterable[FailedAgent]) -> None:
    text = json.dumps([asdict(agent) for agent in agents], ensure_ascii=False)
    write_text(folder / ALWAYS_FAILED, text + "\n")


def failed_agents_in(folder: Path) -> list[FailedAgent]:
    """Agents that failed in every dialogue of a preparing stage."""
    return [FailedAgent(**agent) for agent in json.loads((folder / ALWAYS_FAILED).read_text(encoding="utf-8"))]


def _measure_stage(experiment: Experiment, prepared: str, users: str | None) -> Stage:
    def work(context: StageContext) -> None:
        run = evaluate(
            context.needed[prepared] / RECORDS,
            metrics=list(experiment.metrics) or None,
            title="Conversations with people" if users is None else f"Simulated users: {users}",
            seed=experiment.seed,
            resamples=experiment.resamples,
            alpha=experiment.alpha,
            family=_family(experiment),
            any_language=experiment.any_language,
            steps=[catalogue_step(catalogue)] if (catalogue := catalogue_of(experiment, users)) else (),
            progress=context.tell,
        )
        run.write(context.folder, explorer=False)  # the report of the experiment has them

    metrics: list[JsonValue] = [*experiment.metrics]
    config: dict[str, JsonValue] = {"metrics": metrics, "family": _family(experiment).value, **_statistics(experiment)}
    return Stage(
        name=measured_name(prepared),
        work=work,
        config=config,
        needs=(prepared,),
        size=f"{len(experiment.metrics) or 'all fitting'} metrics",
    )


def _agreement_stage(experiment: Experiment) -> Stage:
    def work(context: StageContext) -> None:
        with _warn_of_errors(context, "Agreement with people is not reported"):
            found = agree(
                context.needed[measured_name(PEOPLE)],
                seed=experiment.seed,
                resamples=min(experiment.resamples, MAX_AGREEMENT_RESAMPLES),
                title="Agreement with people",
                progress=context.tell,
            )
            write_findings(found, context.folder)

    return Stage(
        name=AGREE, work=work, config=_statistics(experiment), needs=(measured_name(PEOPLE),), size="ratings and votes"
    )


def _realism_stage(experiment: Experiment, users: str) -> Stage:
    prepared = simulated_names(experiment)[users]

    def work(context: StageContext) -> None:
        with _warn_of_errors(context, f"Realism of the users {users} is not reported"):
            found = realism(
                [str(context.needed[PEOPLE] / RECORDS)],
                [str(context.needed[prepared] / RECORDS)],
                seed=experiment.seed,
                resamples=min(experiment.resamples, MAX_AGREEMENT_RESAMPLES),
                title=f"Simulated users ({users}) compared with people",
                progress=context.tell,
            )
            write_findings(found, context.folder)

    return Stage(
        name=realism_name(users),
        work=work,
        config={"users": users, **_statistics(experiment)},
        needs=(PEOPLE, prepared),
        size="simulated users compared with people",
    )


def realism_name(users: str) -> str:
    """Name of the stage that compares simulated users with people."""
    return f"realism-{_folder_name(users)}"


def _passport_stage(experiment: Experiment, users: str) -> Stage:
    """Passport of the dialogues that are there; known groups and stability, which need more of them, stay unknown."""
    prepared = simulated_names(experiment)[users]
    study = experiment.study
    assert study is not None
    options = located_users(study.users[users], study.folder)

    def work(context: StageContext) -> None:
        with _warn_of_errors(context, f"No passport of the users {users} was written"):
            kind_options = {**options}
            name = str(kind_options.pop("users", users))
            kind = load_kind(name, **kind_options)
            found = passport(
                stage_side(
                    users,
                    kind,
                    name,
                    context.needed[prepared] / RECORDS,
                    context.needed["simulate"],
                    catalogue_of(experiment, users),
                ),
                [str(context.needed[PEOPLE] / RECORDS)],
                seed=experiment.seed,
                resamples=min(experiment.resamples, MAX_AGREEMENT_RESAMPLES),
                progress=context.tell,
            )
            write_findings(found, context.folder)

    return Stage(
        name=passport_name(users),
        work=work,
        config={"users": users, "seed": experiment.seed, "resamples": experiment.resamples},
        needs=("simulate", PEOPLE, prepared),
        size="behavior, ranking, gates and cost of simulated users",
    )


def passport_name(users: str) -> str:
    """Name of the stage that writes the passport of simulated users."""
    return f"passport-{_folder_name(users)}"


@contextmanager
def _warn_of_errors(context: StageContext, what: str) -> Iterator[None]:
    """Data that do not allow an analysis are a warning of the report, not the end of the experiment."""
    warnings = []
    try:
        yield
    except DataError as error:
        warnings.append(f"{what}: {'; '.join(problem.what for problem in error.problems)}")
    write_text(context.folder / WARNINGS, json.dumps(warnings, ensure_ascii=False, indent=1) + "\n")


def _family(experiment: Experiment) -> FamilyScope:
    """Scope of the correction: a protocol says which question decides, so that the others need no correction."""
    return FamilyScope.QUESTIONS if experiment.decide is None else FamilyScope.MEASURE


def _statistics(experiment: Experiment) -> dict[str, JsonValue]:
    # Only if it is set: its absence keeps the configuration, and so the results, of experiments before it existed.
    language: dict[str, JsonValue] = {"any_language": True} if experiment.any_language else {}
    return {"seed": experiment.seed, "resamples": experiment.resamples, "alpha": experiment.alpha, **language}


def _align_stage(experiment: Experiment) -> Stage:
    options = experiment.align
    assert options is not None
    responses = [name for name in options.responses if name not in options.situations]
    names, surroundings = (*options.situations, *responses), experiment.surroundings
    model = _model_path(experiment, options.model)

    def work(context: StageContext) -> None:
        material = gather(_inputs(names, surroundings))
        _write(context.folder, _flatten(material), material.warnings)
        run = align(
            [context.folder / RECORDS],
            (),
            model=model,
            any_language=experiment.any_language,
            seed=experiment.seed,
            resamples=experiment.resamples,
            progress=context.tell,
        )
        run.write(context.folder, explorer=False)

    files = [surroundings.identity_of(named) for named in names]
    config: dict[str, JsonValue] = {"files": files, "model": options.model}
    return Stage(
        name=ALIGN,
        work=work,
        config={**config, **_statistics(experiment)},
        inputs={**hashes_of(names, surroundings), **model_hashes(model)},
        reads=bytes_of(names, surroundings),
        size="labelling and aligning",
    )


def _columns_stage(experiment: Experiment) -> Stage:
    """Agreement between the judged, measured and simulated columns."""
    simulated = {users: measured_name(name) for users, name in simulated_names(experiment).items()}
    align = (ALIGN,) if experiment.align is not None else ()

    def work(context: StageContext) -> None:
        columns = columns_of(
            context.needed[measured_name(PEOPLE)],
            {users: context.needed[name] for users, name in simulated.items()},
            context.needed[ALIGN] if align else None,
        )
        resampling = Resampling(experiment.seed, min(experiment.resamples, MAX_AGREEMENT_RESAMPLES))
        write_records(context.folder / f"{COLUMNS}.jsonl", column_agreements(columns, resampling=resampling))

    return Stage(
        name=COLUMNS,
        work=work,
        config=_statistics(experiment),
        needs=(measured_name(PEOPLE), *simulated.values(), *align),
        size="judged, measured and simulated side by side",
    )
