"""Stages of an experiment: simulate, prepare, measure, agree, align. Each reads and writes files."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

from trialogue.errors import DataError, Problem
from trialogue.findings.agreement.columns import column_agreements
from trialogue.findings.protocol import Exclusion
from trialogue.findings.resampling import Resampling
from trialogue.metrics.human_ratings import answers_among
from trialogue.records import Dialogue, JsonValue, Record, read_records, write_records
from trialogue.records.files.opening import write_text
from trialogue.simulation.paths import located_users
from trialogue.simulation.source import users_of_source
from trialogue.simulation.users.kinds import load_kind
from trialogue.strategies.labelling import label_records
from trialogue.workflows.agreement.agree import agree
from trialogue.workflows.alignment.align import align, find_model
from trialogue.workflows.alignment.shifts import with_shifts
from trialogue.workflows.evaluation import evaluate
from trialogue.workflows.experiment.columns import columns_of
from trialogue.workflows.experiment.contents import bytes_of, files_in, hashes_of, model_hashes
from trialogue.workflows.experiment.exclusions import exclude
from trialogue.workflows.experiment.file import Experiment
from trialogue.workflows.experiment.graph import Plan, Stage, StageContext
from trialogue.workflows.experiment.inputs import NameContext, Named, file_of
from trialogue.workflows.experiment.simulating import simulation
from trialogue.workflows.inputs.inputs import Input, InputRecords, gather
from trialogue.workflows.inputs.link import link_step
from trialogue.workflows.passport.passport import passport
from trialogue.workflows.passport.simulated_sample import stage_side
from trialogue.workflows.pipeline import report
from trialogue.workflows.simulation.baseline_dialogues import baselines_in, with_baselines
from trialogue.workflows.simulation.failed_agents import AlwaysFailed, find_failed_agents
from trialogue.workflows.simulation.realism import realism

RECORDS, WARNINGS, ALWAYS_FAILED = "records.jsonl", "warnings.json", "always_failed.json"
PEOPLE = "people"  # what is made of conversations with people
AGREE, ALIGN, COLUMNS = "agree", "align", "columns"
MOST_AGREED = 2_000  # resamples of agreement, which is computed for every measure, question and level
LONGEST_NAME = 40  # characters of a kind of users in the name of a folder


def plan_of(experiment: Experiment) -> Plan:
    """Stages of an experiment, in order."""
    stages: list[Stage] = []
    study = experiment.study
    if study is not None:
        stages.append(simulation(experiment))
        for users in study.users:
            stages += [
                _simulated_stage(experiment, users),
                _measure_stage(experiment, f"simulated-{_plain(users)}", users),
            ]
    if experiment.dialogues:
        stages += [_people(experiment), _measure_stage(experiment, PEOPLE, None), _agreement(experiment)]
        if experiment.realism:
            stages += [_realism(experiment, users) for users in simulated_names(experiment)]
        if experiment.realism and experiment.passport:
            stages += [_passport(experiment, users) for users in simulated_names(experiment)]
    if experiment.align is not None:
        stages.append(_align_stage(experiment))
    if experiment.dialogues:
        stages.append(_columns(experiment))
    return Plan(experiment.out, tuple(stages))


def measured_name(prepared: str) -> str:
    """Name of the measuring stage of a preparing stage."""
    return f"measure-{prepared}"


def simulated_names(experiment: Experiment) -> dict[str, str]:
    """Preparing stage of each kind of users' dialogues."""
    study = experiment.study
    return {} if study is None else {users: f"simulated-{_plain(users)}" for users in study.users}


def _plain(name: str) -> str:
    """A name as part of a folder's; one that had to be changed has a hash behind it, so that no two become one."""
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)[:LONGEST_NAME]
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:6]}"


def _simulated_stage(experiment: Experiment, users: str) -> Stage:
    def work(doing: StageContext) -> None:
        held = read_records(doing.needed["simulate"] / "dialogues.jsonl", Dialogue)
        mine: Sequence[Dialogue] = [dialogue for dialogue in held if users_of_source(dialogue) == users]
        failed = sum(dialogue.fault is not None for dialogue in mine)
        _write_failures(doing.folder, find_failed_agents(mine, users=users))
        warnings = [f"{failed} of {len(mine)} simulated dialogues with {users} failed; they are counted and measured."]
        mine = with_baselines(mine, baselines_in(doing.needed["simulate"], users=users))
        material, left_out = exclude(InputRecords(dialogues=mine), _exclusions(experiment))
        material = _with_labels(experiment, material)
        _write(doing.folder, _records_of(material), [*(warnings if failed else []), *material.warnings, *left_out])

    return Stage(
        name=f"simulated-{_plain(users)}",
        work=work,
        config={"users": users, "label": experiment.label, **_rules(experiment)},
        inputs=model_hashes(_model(experiment, experiment.label)),
        needs=("simulate",),
        size="labelling" if experiment.label else "",
    )


def _people(experiment: Experiment) -> Stage:
    names = (*experiment.dialogues, *experiment.human)
    around = experiment.surroundings
    listing = ", ".join(map(file_of, names))

    def work(doing: StageContext) -> None:
        material = gather(_inputs(names, around))
        if not material:
            what = f"{listing}: it contains no conversations or replies."
            raise DataError(
                Problem(what, field="dialogues", hint="Ratings without conversations belong in the field human.")
            )
        material, left_out = exclude(material, _exclusions(experiment))
        if experiment.link:
            material = link_step(experiment.path(experiment.link))(material)
        _write_failures(doing.folder, find_failed_agents(material.dialogues))
        material = _with_labels(experiment, material)
        _write(doing.folder, _records_of(material), [*material.warnings, *left_out])

    given = [around.identity_of(named) for named in names]
    config: dict[str, JsonValue] = {"given": given, "link": experiment.link, "label": experiment.label}
    return Stage(
        name=PEOPLE,
        work=work,
        config={**config, **_rules(experiment)},
        inputs={
            **hashes_of(names, around),
            **files_in(experiment.link, experiment.folder),
            **model_hashes(_model(experiment, experiment.label)),
        },
        reads=bytes_of(names, around),
        size=f"reading {listing}",
    )


def _exclusions(experiment: Experiment) -> tuple[Exclusion, ...]:
    """Rules of the decision protocol by which dialogues are left out."""
    return experiment.decide.exclude if experiment.decide is not None else ()


def _rules(experiment: Experiment) -> dict[str, JsonValue]:
    """The same as part of a stage's options; nothing without rules."""
    rules: list[JsonValue] = [rule.to_json() for rule in _exclusions(experiment)]
    return {"exclude": rules} if rules else {}


def _inputs(names: Iterable[Named], around: NameContext) -> list[Input]:
    return [each for named in names for each in around.inputs(named)]


def _model(experiment: Experiment, name: str | None) -> str | None:
    """A model of strategies as it is from here."""
    return None if name is None else experiment.path(name)


def _with_labels(experiment: Experiment, material: InputRecords) -> InputRecords:
    """The records with labels of strategies, if the experiment asks for them."""
    if experiment.label is None:
        return material
    model = find_model(_model(experiment, experiment.label))
    labelled = replace(
        material,
        situations=list(label_records(material.situations, model)),
        dialogues=list(label_records(material.dialogues, model)),
        responses=list(label_records(material.responses, model, situations=material.situations)),
    )
    return with_shifts(labelled, model)


def _records_of(material: InputRecords) -> list[Record]:
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


def _write_failures(folder: Path, agents: Iterable[AlwaysFailed]) -> None:
    text = json.dumps([asdict(agent) for agent in agents], ensure_ascii=False)
    write_text(folder / ALWAYS_FAILED, text + "\n")


def failed_agents_in(folder: Path) -> list[AlwaysFailed]:
    """Agents that failed in every dialogue of a preparing stage."""
    return [AlwaysFailed(**agent) for agent in json.loads((folder / ALWAYS_FAILED).read_text(encoding="utf-8"))]


def _measure_stage(experiment: Experiment, prepared: str, users: str | None) -> Stage:
    def work(doing: StageContext) -> None:
        run = evaluate(
            doing.needed[prepared] / RECORDS,
            metrics=list(experiment.metrics) or None,
            title="Conversations with people" if users is None else f"Simulated users: {users}",
            seed=experiment.seed,
            resamples=experiment.resamples,
            alpha=experiment.alpha,
            any_language=experiment.any_language,
            progress=doing.tell,
        )
        run.write(doing.folder, png=False, explorer=False)  # the report of the experiment has them

    metrics: list[JsonValue] = [*experiment.metrics]
    config: dict[str, JsonValue] = {"metrics": metrics, **_statistics(experiment)}
    return Stage(
        name=measured_name(prepared),
        work=work,
        config=config,
        needs=(prepared,),
        size=f"{len(experiment.metrics) or 'all fitting'} metrics",
    )


def _agreement(experiment: Experiment) -> Stage:
    def work(doing: StageContext) -> None:
        with _warn_of_errors(doing, "Agreement with people is not reported"):
            found = agree(
                doing.needed[measured_name(PEOPLE)],
                seed=experiment.seed,
                resamples=min(experiment.resamples, MOST_AGREED),
                title="Agreement with people",
                progress=doing.tell,
            )
            report(found, doing.folder)

    return Stage(
        name=AGREE, work=work, config=_statistics(experiment), needs=(measured_name(PEOPLE),), size="ratings and votes"
    )


def _realism(experiment: Experiment, users: str) -> Stage:
    prepared = simulated_names(experiment)[users]

    def work(doing: StageContext) -> None:
        with _warn_of_errors(doing, f"Realism of the users {users} is not reported"):
            found = realism(
                [str(doing.needed[PEOPLE] / RECORDS)],
                [str(doing.needed[prepared] / RECORDS)],
                seed=experiment.seed,
                resamples=min(experiment.resamples, MOST_AGREED),
                title=f"Simulated users ({users}) compared with people",
                progress=doing.tell,
            )
            report(found, doing.folder)

    return Stage(
        name=realism_name(users),
        work=work,
        config={"users": users, **_statistics(experiment)},
        needs=(PEOPLE, prepared),
        size="simulated users compared with people",
    )


def realism_name(users: str) -> str:
    """Name of the stage that compares simulated users with people."""
    return f"realism-{_plain(users)}"


def _passport(experiment: Experiment, users: str) -> Stage:
    """Passport of the dialogues that are there; known groups and stability, which need more of them, stay unknown."""
    prepared = simulated_names(experiment)[users]
    study = experiment.study
    assert study is not None
    options = located_users(study.users[users], study.folder)

    def work(doing: StageContext) -> None:
        with _warn_of_errors(doing, f"No passport of the users {users} was written"):
            given = {**options}
            name = str(given.pop("users", users))
            kind = load_kind(name, **given)
            found = passport(
                stage_side(users, kind, name, doing.needed[prepared] / RECORDS, doing.needed["simulate"]),
                [str(doing.needed[PEOPLE] / RECORDS)],
                seed=experiment.seed,
                resamples=min(experiment.resamples, MOST_AGREED),
                progress=doing.tell,
            )
            report(found, doing.folder)

    return Stage(
        name=passport_name(users),
        work=work,
        config={"users": users, "seed": experiment.seed, "resamples": experiment.resamples},
        needs=("simulate", PEOPLE, prepared),
        size="behavior, ranking, gates and cost of simulated users",
    )


def passport_name(users: str) -> str:
    """Name of the stage that writes the passport of simulated users."""
    return f"passport-{_plain(users)}"


@contextmanager
def _warn_of_errors(doing: StageContext, what: str) -> Iterator[None]:
    """Data that do not allow an analysis are a warning of the report, not the end of the experiment."""
    warnings = []
    try:
        yield
    except DataError as error:
        warnings.append(f"{what}: {'; '.join(problem.what for problem in error.problems)}")
    write_text(doing.folder / WARNINGS, json.dumps(warnings, ensure_ascii=False, indent=1) + "\n")


def _statistics(experiment: Experiment) -> dict[str, JsonValue]:
    kept: dict[str, JsonValue] = {"any_language": True} if experiment.any_language else {}  # else nothing runs again
    return {"seed": experiment.seed, "resamples": experiment.resamples, "alpha": experiment.alpha, **kept}


def _align_stage(experiment: Experiment) -> Stage:
    given = experiment.align
    assert given is not None
    responses = [name for name in given.responses if name not in given.situations]
    names, around = (*given.situations, *responses), experiment.surroundings
    model = _model(experiment, given.model)

    def work(doing: StageContext) -> None:
        material = gather(_inputs(names, around))
        _write(doing.folder, _records_of(material), material.warnings)
        run = align(
            [doing.folder / RECORDS],
            (),
            model=model,
            any_language=experiment.any_language,
            seed=experiment.seed,
            resamples=experiment.resamples,
            progress=doing.tell,
        )
        run.write(doing.folder, png=False, explorer=False)

    files = [around.identity_of(named) for named in names]
    config: dict[str, JsonValue] = {"files": files, "model": given.model}
    return Stage(
        name=ALIGN,
        work=work,
        config={**config, **_statistics(experiment)},
        inputs={**hashes_of(names, around), **model_hashes(model)},
        reads=bytes_of(names, around),
        size="labelling and aligning",
    )


def _columns(experiment: Experiment) -> Stage:
    """Agreement between the judged, measured and simulated columns."""
    simulated = {users: measured_name(name) for users, name in simulated_names(experiment).items()}
    align = (ALIGN,) if experiment.align is not None else ()

    def work(doing: StageContext) -> None:
        columns = columns_of(
            doing.needed[measured_name(PEOPLE)],
            {users: doing.needed[name] for users, name in simulated.items()},
            doing.needed[ALIGN] if align else None,
        )
        how = Resampling(experiment.seed, min(experiment.resamples, MOST_AGREED))
        write_records(doing.folder / f"{COLUMNS}.jsonl", column_agreements(columns, resampling=how))

    return Stage(
        name=COLUMNS,
        work=work,
        config=_statistics(experiment),
        needs=(measured_name(PEOPLE), *simulated.values(), *align),
        size="judged, measured and simulated side by side",
    )
