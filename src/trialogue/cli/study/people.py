"""``trialogue study state``, ``staff`` and ``erase``: access and participants."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.options import Help

WHO = "command line"
Folder = Annotated[Path, typer.Argument(help="Study folder.")]


def state(
    folder: Folder,
    to: Annotated[str, typer.Argument(help="running, paused or closed; empty: print the state.")] = "",
    confirm_places: Annotated[
        int | None,
        typer.Option(min=1, help="Confirm the maximum number of paid participants (to launch a study that pays)."),
    ] = None,
    end_soft_launch: Annotated[bool, Help("End a soft launch (launch.first) and admit everybody.")] = False,
) -> None:
    """Print, open, pause or close a study, or end its soft launch. Participants already in a session can finish."""
    from trialogue.errors import UnknownNameError
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
    name: Annotated[str, typer.Argument(help="Login name of the staff member.")],
    export: Annotated[bool, Help("May export lists for the recruitment platform.")] = False,
    manage: Annotated[bool, Help("May pause the study, decide on sessions, and erase data.")] = False,
    password: Annotated[
        str, typer.Option(prompt=True, hide_input=True, confirmation_prompt=True, envvar="TRIALOGUE_STAFF_PASSWORD")
    ] = "",
) -> None:
    """Give a person access to the staff pages, or change their permissions. All staff can view."""
    from trialogue.study.opening import open_launched

    open_launched(folder)
    from trialogue.study.services.staff_access import let_in

    allowed = let_in(name, password, export=export, manage=manage)
    typer.echo(f"{name} may: {', '.join(allowed)}")


def erase(
    folder: Folder,
    participant: Annotated[str, typer.Argument(help="Participant code, or the participant's id on the platform.")],
) -> None:
    """Delete all data about a participant. You must delete earlier exports and backups yourself."""
    from trialogue.errors import UsageError
    from trialogue.study.opening import open_launched

    study = open_launched(folder)
    from trialogue.study.services.leaving import erase as run

    if not (count := run(study, participant, who=WHO)):
        raise UsageError(
            "No participant with this code or id is in the study. The list of participants at /staff/ shows the codes."
        )
    typer.echo(f"Erased: {count}. Delete earlier exports and backups too, or create them again.")
