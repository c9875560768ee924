"""Combine the findings of all stages: measured, simulated and judged values side by side."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from trialogue.findings import Findings, League, Section, Statement, StatementKind
from trialogue.findings.protocol import DecisionProtocol, ProtocolCheck
from trialogue.findings.systems.answer import unmeasured_sentence
from trialogue.findings.threats import Severity, Threat
from trialogue.findings.threats.detect import OF_PROTOCOL
from trialogue.findings.threats.protocol_texts import method_sentence, status
from trialogue.findings.titles import with_titles
from trialogue.records import JsonValue, Manifest, read_records
from trialogue.records.files.manifest import versions_of
from trialogue.records.runs import open_run
from trialogue.subjects.agreement.answer import agreement_section
from trialogue.subjects.agreement.columns import ColumnAgreement, columns_section
from trialogue.subjects.simulated_users.answer import passport_section
from trialogue.subjects.simulated_users.commands.beside import FILE as PASSPORT
from trialogue.subjects.simulated_users.commands.beside import PAGE as PASSPORT_PAGE
from trialogue.subjects.simulated_users.commands.beside import read_passport
from trialogue.subjects.simulated_users.realism.answer import realism_section
from trialogue.subjects.simulated_users.realism.records import RealismFindings
from trialogue.workflows.experiment.file import Experiment
from trialogue.workflows.experiment.graph import Plan
from trialogue.workflows.experiment.parts import Parts, apply_check, check_protocol
from trialogue.workflows.experiment.registration import NOT_REGISTERED, Registration
from trialogue.workflows.experiment.stages import (
    AGREE,
    COLUMNS,
    PEOPLE,
    measured_name,
    passport_name,
    realism_name,
    simulated_names,
    warnings_in,
)
from trialogue.workflows.experiment.threat_facts import (
    joined_domains,
    joined_labels,
    joined_mismatches,
    joined_populations,
    joined_sensitivity,
    joined_systems,
    joined_training_data,
)


def join_findings(experiment: Experiment, plan: Plan, registration: Registration = NOT_REGISTERED) -> Findings:
    """Combine the findings of the stages.

    Measures of talks with simulated users are columns of their own. The answer rests on the measure that the decision
    protocol names; without a protocol, on conversations with people where there are any.

    Args:
        experiment: experiment as its protocol describes it.
        plan: its stages, all done.
        registration: its protocol, as first written.
    """
    from trialogue.subjects.evaluation.pages.write import read_findings

    folders = plan.folders()
    simulated: Mapping[str, Findings] = {
        users: read_findings(folders[measured_name(prepared)])
        for users, prepared in simulated_names(experiment).items()
    }
    people = read_findings(folders[measured_name(PEOPLE)]) if PEOPLE in folders else None
    aligned = read_findings(folders["align"]) if "align" in folders else None
    found = Parts(people, simulated, aligned)
    check = check_protocol(
        found, registration, inputs=[digest for stage in plan.stages for digest in stage.inputs.values()]
    )
    decided = apply_check(found, check)
    people, simulated, aligned = decided.people, decided.simulated, decided.aligned
    parts = [part for part in (people, *simulated.values(), aligned) if part is not None]
    leagues = [
        *(people.leagues if people else ()),
        *(league for users, found in simulated.items() for league in _simulated_leagues(found, users)),
        *(aligned.leagues if aligned else ()),
    ]
    return Findings(
        title=experiment.title or "Experiment",
        answer=_answer(decided, check),
        systems=joined_systems(parts),
        populations=joined_populations(parts),
        leagues=with_titles(_deduplicate(leagues)),
        primary=_primary(decided, check),
        votes=people.votes if people else None,
        threats=_threats(people, simulated, aligned),
        protocol=check,
        labels=joined_labels(parts),
        domains=joined_domains(decided),
        training_data=joined_training_data(decided),
        sensitivity=joined_sensitivity(decided),
        shared_situations=tuple({(each.a, each.b): each for part in parts for each in part.shared_situations}.values()),
        languages=tuple(dict.fromkeys(finding for part in parts for finding in part.languages)),
        language_mismatches=joined_mismatches(decided),
        sections=_sections(experiment, folders),
        examples=next((part.examples for part in parts if part.examples), ()),
        warnings=tuple(dict.fromkeys([*_preparation_warnings(folders), *_warnings(people, simulated, aligned)])),
        dialogues=sum(part.dialogues or 0 for part in parts),
        people=people.people if people else None,
        methods=_methods(experiment, people, check),
        alpha=experiment.alpha,
        manifest=_manifest(experiment, plan, parts),
    )


def _simulated_leagues(found: Findings, users: str) -> Iterable[League]:
    """Leagues of talks with simulated users: those that rank systems. The stage's own report has the others."""
    for league in found.leagues:
        measure = league.measure
        if measure.better != "neither":
            yield league.model_copy(update={"measure": measure.with_simulated(users)})


def _deduplicate(leagues: Iterable[League]) -> list[League]:
    """Each measure once, where it first stands: as the last stage measured it (alignment's has the baselines beside it)."""
    return list({league.measure.name: league for league in leagues}.values())


def _answer(parts: Parts, check: ProtocolCheck) -> tuple[Statement, ...]:
    """The answer of each part, that of the part that decides first, and whether the protocol was kept."""
    by_part = [_said_of(users, parts) for users in parts.simulated]
    if parts.people is not None:
        by_part.insert(0, list(parts.people.answer))
    if parts.aligned is not None:
        by_part.append(_aligned_statements(parts.aligned))
    if check.protocol is not None:
        by_part = _decided_first(by_part, parts, check.protocol)
    statements = [statement for part in by_part for statement in part]
    if check.sha256 is not None:
        statements.insert(1, Statement(kind_of=StatementKind.PROTOCOL, text=status(check)))
    if parts.people is None:
        text = "There is no human judgement: simulated users show how systems behave, not what people prefer."
        statements.append(Statement(kind_of=StatementKind.SCOPE, text=text))
    return tuple(statements)


def _said_of(users: str, parts: Parts) -> list[Statement]:
    """The answer on one kind of simulated users."""
    kinds = StatementKind.VERDICT, StatementKind.MARGIN, StatementKind.THREAT
    return _prefix_statements(_with_users(users), parts.simulated[users], *kinds)


def _aligned_statements(aligned: Findings) -> list[Statement]:
    baselines = [each for each in aligned.answer if each.kind_of is StatementKind.BASELINE]
    of = "In alignment with human recommenders"
    return [*_prefix_statements(of, aligned, StatementKind.VERDICT, StatementKind.MARGIN), *baselines]


def _decided_first(by_part: list[list[Statement]], parts: Parts, protocol: DecisionProtocol) -> list[list[Statement]]:
    """The statements of the part that decides, then those of the others, which say that they decide nothing."""
    place = parts.place_that_decides(protocol)
    if place is None:
        missing = [Statement(kind_of=StatementKind.VERDICT, text=unmeasured_sentence(protocol.measure))]
        return [missing, *(_mark_outside_protocol(part) for part in by_part)]
    others = [part for number, part in enumerate(by_part) if number != place]
    return [by_part[place], *(_mark_outside_protocol(part) for part in others)]


def _mark_outside_protocol(statements: list[Statement]) -> list[Statement]:
    return [each.model_copy(update={"text": f"Outside the decision protocol: {each.text}"}) for each in statements]


def _prefix_statements(of: str, part: Findings, *kinds: StatementKind) -> list[Statement]:
    """Statements of one part, with what the part is of."""
    return [each.model_copy(update={"text": f"{of}: {each.text}"}) for each in part.answer if each.kind_of in kinds]


def _primary(parts: Parts, check: ProtocolCheck) -> str | None:
    """The name of the column that the answer rests on."""
    if check.protocol is not None and (place := parts.place_that_decides(check.protocol)) is not None:
        return _column_of(parts, place)
    if check.protocol is not None:
        return None
    return next(
        (name for place in range(len(parts.labelled_findings)) if (name := _column_of(parts, place)) is not None), None
    )


def _column_of(parts: Parts, place: int) -> str | None:
    """The name in the report of the measure that a part's answer rests on."""
    users, part = parts.labelled_findings[place]
    for league in part.leagues:
        if league.measure.name == part.primary:
            return league.measure.name if users is None else league.measure.with_simulated(users).name
    return None


def _sections(experiment: Experiment, folders: Mapping[str, Path]) -> tuple[Section, ...]:
    """Sections on agreement of the columns, agreement with people, realism and passports, with their pages."""
    from trialogue.subjects.agreement.pages.document import NAME as AGREEMENT
    from trialogue.subjects.agreement.pages.document import read_agreement
    from trialogue.subjects.simulated_users.pages.realism import NAME as REALISM

    found = []
    if COLUMNS in folders:
        held = read_records(folders[COLUMNS] / f"{COLUMNS}.jsonl", ColumnAgreement)
        found.append(columns_section(list(held)))
    if AGREE in folders and (folders[AGREE] / f"{AGREEMENT}.html").exists():
        page = _page(experiment, folders[AGREE] / f"{AGREEMENT}.html")
        found.append(agreement_section(read_agreement(folders[AGREE]), page=page))
    for users in simulated_names(experiment):
        folder = folders.get(realism_name(users))
        if folder is not None and (folder / f"{REALISM}.html").exists():
            findings = open_run(folder).record(f"{REALISM}.json", RealismFindings, again="trialogue run")
            found.append(realism_section(findings, users=users, page=_page(experiment, folder / f"{REALISM}.html")))
    for users in simulated_names(experiment):
        folder = folders.get(passport_name(users))
        if folder is not None and (folder / PASSPORT).exists():
            page = _page(experiment, folder / PASSPORT_PAGE)
            section = passport_section(read_passport(folder / PASSPORT), page=page)
            found.append(section.model_copy(update={"page": page}))
    return tuple(found)


def _page(experiment: Experiment, page: Path) -> str:
    return page.relative_to(experiment.out).as_posix()


def _warnings(people: Findings | None, simulated: Mapping[str, Findings], aligned: Findings | None) -> list[str]:
    """Caveats of each part on its data."""
    parts = (people, *simulated.values(), aligned)
    return [warning for part in parts if part is not None for warning in part.warnings]


def _threats(
    people: Findings | None, simulated: Mapping[str, Findings], aligned: Findings | None
) -> tuple[Threat, ...]:
    """The threats of every part, whose leagues have passed the gate with them; those that block first."""
    found = [*(people.threats if people else ()), *(aligned.threats if aligned else ())]
    for users, part in simulated.items():
        columns = {league.measure.name: league.measure.with_simulated(users).name for league in part.leagues}
        found += [
            threat
            if threat.code in OF_PROTOCOL
            else threat.model_copy(
                update={"users": users, "measure": columns.get(threat.measure or "", threat.measure)}
            )
            for threat in part.threats
        ]
    order = list(Severity)
    every = {threat.model_dump_json(): threat for threat in found}  # that of the protocol is in every part
    return tuple(sorted(every.values(), key=lambda threat: order.index(threat.severity)))


def _with_users(users: str) -> str:
    return f"With simulated users ({users})"


def _preparation_warnings(folders: Mapping[str, Path]) -> list[str]:
    return [warning for folder in folders.values() for warning in warnings_in(folder)]


def _methods(experiment: Experiment, people: Findings | None, check: ProtocolCheck) -> tuple[str, ...]:
    study = experiment.study
    sentences = [*filter(None, [method_sentence(check)]), *(people.methods if people else ())]
    if study is not None:
        sentences.append(
            f"{study.n} dialogues of each agent ({', '.join(study.agents)}) with each kind of simulated user "
            f"({', '.join(study.users)}) were run, with at most {study.max_turns} user utterances, seed "
            f"{study.seed}. Measures of these dialogues are separate columns."
        )
    if experiment.label is not None:
        sentences.append(f"Utterances without strategy labels were labelled by a model ({experiment.label}).")
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
