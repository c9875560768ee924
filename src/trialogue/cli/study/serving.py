"""``trialogue study``: the study's server, its staff and participants, its backups and exports, and what they say."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.app import reads
from trialogue.cli.shared.inputs import ModelOptions, Out
from trialogue.cli.shared.parameters import Call, Calls, Given
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.errors import UnknownNameError, UsageError
from trialogue.options import Help, Seed

PROXIES = "TRIALOGUE_TRUSTED_PROXIES"
Folder = Annotated[Path, typer.Argument(help="Study folder.")]
WHO = "command line"
NOBODY = "No participant with this code or id is in the study. The list of participants at /staff/ shows the codes."


def _check_preview(given: Given) -> Iterator[str]:
    served = "host hosts secure confirmed processes threads sync_s trusted_proxies"
    yield from given.why_unused("--preview", served if given["preview"] else "")


@reads(
    check=_check_preview,
    run=Calls(
        "study.server.serve",
        options="host port name=hosts secure confirm-places=confirmed",
        settings="trusted_proxies processes threads sync_every=sync_s",
    ),
)
def serve(folder: Folder, *, run: "Call[None]", preview: bool = False) -> None:
    """Serve a study with SQLite in its folder, or with PostgreSQL at DATABASE_URL. Stop the server with Ctrl-C.

    Args:
        preview: Try the pages on this machine. Answers are discarded.
    """
    from trialogue.study.design.checks import advice
    from trialogue.study.design.reading import read_study
    from trialogue.study.server import preview as run_preview

    if preview:
        run_preview(folder, port=run.given.get("port", 8000), tell=typer.echo)
        return
    for line in advice(read_study(folder)) if folder.is_dir() else ():
        typer.echo(f"note: {line}", err=True)
    environment = [each for each in os.environ.get("TRIALOGUE_HOSTS", "").split(",") if each]
    run(
        folder,
        hosts=[*run.given.get("hosts", ()), *environment],
        secure=run.given.get("secure") or os.environ.get("TRIALOGUE_SECURE") == "1",
        trusted_proxies=run.given["trusted_proxies"] if "trusted_proxies" in run.given else _proxies(),
        confirm=_ask_places if sys.stdin.isatty() else None,
        tell=typer.echo,
    )


def _proxies() -> int:
    """Number of proxies that the environment names."""
    from trialogue.cli.shared.settings import read_settings

    given = f"{PROXIES}={os.environ.get(PROXIES) or 0}"
    return int(read_settings([given], {PROXIES: Annotated[int, Ge(0)]}, option="the variable")[PROXIES])


def _ask_places() -> int | None:
    """Number typed at the prompt; None for any other input."""
    typed = str(typer.prompt("To launch, type the maximum number of participants that will be paid", default=""))
    return int(typed) if typed.isascii() and typed.isdigit() else None


def state(
    folder: Folder, to: str = "", *, confirm_places: Annotated[int, Ge(1)] | None = None, end_soft_launch: bool = False
) -> None:
    """Print, open, pause or close a study, or end its soft launch. Participants already in a session can finish.

    Args:
        to: running, paused or closed; empty: print the state.
        confirm_places: Confirm the maximum number of paid participants (to launch a study that pays).
        end_soft_launch: End a soft launch (launch.first) and admit everybody.
    """
    from trialogue.study.opening import open_launched

    known = ("running", "paused", "closed")
    if to and to not in known:
        raise UnknownNameError("state", to, known)
    study = open_launched(folder)
    from trialogue.study.services import launching

    if to == study.State.RUNNING and study.state == study.State.DRAFT:
        study = launching.launch(study, who=WHO, confirmed_places=confirm_places)
    elif to:
        study = launching.set_state(study, to, who=WHO)
    if end_soft_launch:
        launching.end_soft_launch(study, who=WHO)
    for line in launching.status_lines(study):
        typer.echo(line)


def staff(
    folder: Folder,
    name: str,
    *,
    export: bool = False,
    manage: bool = False,
    password: Annotated[
        str,
        typer.Option(
            prompt=True,
            hide_input=True,
            confirmation_prompt=True,
            envvar="TRIALOGUE_STAFF_PASSWORD",
            help="Password (default: the command asks for it).",
        ),
    ] = "",
) -> None:
    """Give a person access to the staff pages, or change their permissions. All staff can view.

    Args:
        name: Login name of the staff member.
        export: May export lists for the recruitment platform.
        manage: May pause the study, decide on sessions, and erase data.
    """
    from trialogue.study.opening import open_launched

    open_launched(folder)
    from trialogue.study.services.staff_access import let_in

    allowed = let_in(name, password, export=export, manage=manage)
    typer.echo(f"{name} may: {', '.join(allowed)}")


def erase(folder: Folder, participant: str) -> None:
    """Delete all data about a participant. You must delete earlier exports and backups yourself.

    Args:
        participant: Participant code, or the participant's id on the platform.
    """
    from trialogue.study.opening import open_launched

    study = open_launched(folder)
    from trialogue.study.services.leaving import erase as run

    if not (count := run(study, participant, who=WHO)):
        raise UsageError(NOBODY)
    typer.echo(f"Erased: {count}. Delete earlier exports and backups too, or create them again.")


def backup(
    folder: Folder,
    *,
    out: Annotated[Path, Help("Backup file to create. The file must not exist yet.", ("--out", "-o"))],
) -> None:
    """Back up the database while the study is running."""
    from trialogue.study.databases import backup as copy

    typer.echo(f"Backup: {copy(folder, out, url=os.environ.get('DATABASE_URL', ''))}")


def restore(
    folder: Path,
    backup_file: Annotated[
        Path, typer.Argument(metavar="backup", help="Backup file written by 'trialogue study backup'.")
    ],
    *,
    replace: bool = False,
) -> None:
    """Restore the database from a backup. Stop the server first. Later withdrawals and erasures are applied again.

    Args:
        folder: Study folder, with its study file and secret.key.
        replace: Replace a database that has participants. The old database is kept in the study folder.
    """
    from trialogue.study.restoring import restore as run

    found = run(folder, backup_file, url=os.environ.get("DATABASE_URL", ""), replace=replace)
    until = f", the latest of {found.latest}" if found.latest else ""
    typer.echo(f"Restored: {found.participants} participants, {found.answers} submitted steps{until}.")
    if found.knows_withdrawals:
        typer.echo(f"Participants who withdrew after the backup, now erased again: {found.erased_again}.")
    else:
        typer.echo(
            "The previous database could not be read. Erase again everyone who withdrew or was erased after the "
            "backup was made."
        )
    if found.kept:
        typer.echo(
            f"The earlier database: {found.kept}. It contains personal data: delete it when it is no longer needed."
        )
    typer.echo(
        "Before you pay anyone, import the payments already made on the platform: trialogue study recruit FOLDER sync"
    )


def export(folder: Path, *, out: Path | None = None, infact: bool = False, person: str = "") -> None:
    """Export a study's data as records that every other command reads, and as tables. The export is logged.

    Excluded participants are flagged, not omitted. For participants who withdrew, only the fact that they started
    is kept.

    Args:
        folder: Study folder. You can export while participants are active.
        out: Folder for the export (default: FOLDER/exports/export).
        infact: Also write workbooks in INFACT's format, for scripts that read this format.
        person: Write everything stored about one participant (a code, or the id on the platform) as JSON, to the file
            --out or to the terminal.
    """
    from trialogue.study.opening import open_launched

    if person:
        _export_person(folder, person, out)
        return
    target = out or folder / "exports" / "export"
    check_folder(target)
    study = open_launched(folder)
    from trialogue.study.export import export_study

    for path in export_study(study, target, who="command line", infact=infact):
        typer.echo(str(path))
    typer.echo(f"To analyse it: trialogue study report {target}")


def _export_person(folder: Path, person: str, out: Path | None) -> None:
    from trialogue.records.files.opening import write_text
    from trialogue.study.opening import open_launched

    if out is not None and out.exists():
        raise UsageError(f"{out} already exists. Choose another name with --out.")
    study = open_launched(folder)
    from django.core.serializers.json import DjangoJSONEncoder

    from trialogue.study.services.leaving import export_person

    if not (found := export_person(study, person, who="command line")):
        raise UsageError(NOBODY)
    text = json.dumps(found, ensure_ascii=False, indent=2, cls=DjangoJSONEncoder)
    if out is None:
        typer.echo(text)
        return
    write_text(out, text + "\n")
    out.chmod(0o600)
    typer.echo(str(out))


def rate(
    folder: Folder, *, export: Path, model: str, name: str = "", options: ModelOptions = None, seed: Seed = 0
) -> None:
    """Let a language model rate a study's items. These ratings are for comparison and never count as human ratings.

    Options of the model are settings, such as model.url=http://localhost:8000/v1, model.api_key_env=NAME.

    Args:
        export: Folder written by 'trialogue study export'.
        model: Model that rates: openai:MODEL, huggingface:FOLDER, or a YAML file.
        name: Name of the rater in the report (default: the model's name).
    """
    from trialogue.judges.options import judge_options
    from trialogue.llm import ChatOptions, LocalOptions
    from trialogue.subjects.people.commands.model_rater import rate_by_model

    given = judge_options(model, options)
    record: type[ChatOptions] | type[LocalOptions] = LocalOptions if isinstance(given, LocalOptions) else ChatOptions
    named = given.model_fields_set & record.model_fields.keys()
    asked = record.model_validate({"temperature": 0.0, **{field: getattr(given, field) for field in named}})
    rated, _ = rate_by_model(folder, export, asked, name=name, seed=seed, progress=typer.echo)
    answers = sum(score.value is not None for score in rated.scores) + len(rated.preferences)
    typer.echo(
        f"{answers:,} answers by a language model written to {export}; {rated.unanswered:,} questions without a valid "
        "answer."
    )


@reads(run=Calls("subjects.people.commands.report.study_report", options="models seed"))
def report(export: Path, *, out: Out = Path("runs/study-report"), run: "Call[Path]") -> None:
    """Analyse a study's export: participants, agreement between raters, and which system is better.

    Args:
        export: Folder written by 'trialogue study export'.
    """
    with steps() as tell:
        path = run(export, out, progress=tell)
    typer.echo(f"Report: {path}")
