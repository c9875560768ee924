"""``trialogue study recruit``: recruit on Prolific through its API. The token is read from ``PROLIFIC_TOKEN``."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from annotated_types import Ge

from trialogue.errors import UnknownNameError, UsageError
from trialogue.options import Help, Setting

if TYPE_CHECKING:
    from trialogue.study.recruiting.decisions import Payer
    from trialogue.study.recruiting.preflight import Preflight
    from trialogue.study.recruiting.prolific import Recruiter

WHO = "command line"
STEPS = (
    *("draft", "preflight", "publish", "go-on", "sync", "places", "decide", "bonus", "settle", "close"),
    *("links", "reconcile"),
)


def recruit(
    folder: Path,
    step: str,
    given: list[str] | None = None,
    *,
    base: str = "",
    confirm: str = "",
    paid: Annotated[bool | None, Help(flags=("--paid/--unpaid",))] = None,
    dry_run: bool = False,
    every: Annotated[float, Ge(0), Setting("sync: repeat after this many seconds (0: once).")] = 0,
    days: Annotated[float, Ge(0.01), Setting("links: number of days for which they are valid.")] = 60,
) -> None:
    """Recruit on Prolific: draft, check and publish a study, track and decide on submissions, pay; or by links and lists.

    Args:
        folder: Study folder.
        step: draft, preflight, publish, go-on, sync, places, decide, bonus, settle or close, on Prolific; links prints
            signed links for a laboratory; reconcile reads another platform's list of submissions.
        given: settle: id of the bonus payment whose response was lost; links: participant codes, one link for each;
            reconcile: the list of submissions, as CSV.
        base: draft, links: address of the server, such as https://study.example.org.
        confirm: publish, go-on, places, decide, bonus: confirm the price, as shown by --dry-run.
        paid: settle: state whether Prolific made the payment (required).
        dry_run: Print requests and price without changing anything.
    """
    from trialogue.study.opening import open_launched

    if step not in STEPS:
        raise UnknownNameError("step", step, STEPS)
    if given and step not in ("settle", "links", "reconcile"):
        raise UsageError(f"the step {step} takes nothing after it, got {' '.join(given)}.")
    if step == "links":
        _links(folder, given or [], base, days)
        return
    if step == "reconcile":
        _reconcile(folder, given or [])
        return
    if step == "settle" and (paid is None or len(given or ()) != 1):
        raise UsageError(
            "Check on Prolific whether the payment was made, then run: "
            "trialogue study recruit FOLDER settle PAYMENT --paid, or --unpaid."
        )
    study = open_launched(folder)
    from trialogue.study.recruiting.api import Api
    from trialogue.study.recruiting.decisions import Payer
    from trialogue.study.recruiting.prolific import Recruiter

    api = Api(dry=dry_run, tell=typer.echo)
    recruiter = Recruiter(study, api, who=WHO)
    payer = Payer(study, api, who=WHO)
    if step == "draft":
        typer.echo(f"Draft on Prolific: {recruiter.create_draft(base) or '(dry run)'}")
    elif step == "preflight":
        if _preflight(recruiter).blocking:
            raise typer.Exit(1)
    elif step == "publish":
        _publish(recruiter, confirm, dry_run)
    elif step in ("places", "go-on"):
        everybody = step == "go-on"
        typer.echo(f"Price of the places: {recruiter.places_price(all_people=everybody)}")
        act = recruiter.go_on if everybody else recruiter.open_places
        typer.echo(f"Places opened: {act(_confirm(confirm, dry_run))}")
    elif step == "bonus":
        _pay(payer, confirm, dry_run)
    elif step == "settle":
        assert paid is not None
        assert given
        typer.echo(payer.settle(given[0], paid=paid))
    elif step == "close":
        recruiter.close()
    elif step == "decide":
        _decide(payer, confirm, dry_run)
    elif every:
        _follow(recruiter, every)
    else:
        _sync(recruiter)


def _confirm(given: str, dry: bool) -> str:
    if given or dry or not sys.stdin.isatty():
        return given
    return str(typer.prompt("Type the amount to confirm it", default=""))


def _preflight(recruiter: "Recruiter") -> "Preflight":
    from trialogue.study.recruiting.preflight import line_of

    found = recruiter.preflight()
    for each in found.differences:
        typer.echo(f"{'Blocks publication' if each.blocks else 'Difference'}: {line_of(each)}")
    if not found.differences:
        typer.echo("The study on Prolific matches the study file.")
    return found


def _publish(recruiter: "Recruiter", confirm: str, dry: bool) -> None:
    found = _preflight(recruiter)
    typer.echo(f"Price of all {found.remote.all_places} places on Prolific: {recruiter.price(found.remote)}")
    recruiter.publish(_confirm(confirm, dry), seen=found.fingerprint)


def _pay(payer: "Payer", confirm: str, dry: bool) -> None:
    from trialogue.study.recruiting.decisions import unknown_payments

    owed = payer.pending_payments()
    typer.echo(f"Bonuses owed, with Prolific's fee: {payer.bonus_price(owed)}")
    for code in owed.unlisted:
        typer.echo(f"{code}: not listed by Prolific for this study; nothing is paid")
    for code in owed.found:
        typer.echo(f"{code}: Prolific lists a bonus that is not in this study's ledger; it was recorded as paid")
    if owed.unknown:
        typer.echo(unknown_payments(owed))
    if owed.cents:
        typer.echo(f"Bonuses: {payer.pay_bonuses(_confirm(confirm, dry))}")


def _sync(recruiter: "Recruiter") -> None:
    from trialogue.study.recruiting.following import line_of
    from trialogue.study.services.reconciliation import due

    found = recruiter.sync()
    typer.echo(line_of(found) or "Nothing has changed on Prolific.")
    for line in due(found, "Prolific"):
        typer.echo(line)


def _follow(recruiter: "Recruiter", every: float) -> None:
    """Sync until Ctrl-C."""
    from trialogue.study.recruiting.following import MIN_S, follow

    if every < MIN_S:
        raise UsageError(f"--set every: expected 0 or at least {MIN_S:.0f} seconds, got {every:g}.")

    def wait(seconds: float) -> bool:
        time.sleep(seconds)
        return True

    follow(recruiter.sync, every_s=every, wait=wait, tell=typer.echo)


def _decide(payer: "Payer", confirm: str, dry: bool) -> None:
    found = payer.pending_decisions()
    price = payer.approval_price(found)
    typer.echo(f"To approve: {len(found.approve)} ({price}); to reject: {len(found.reject)}")
    done = payer.decide(_confirm(confirm, dry) if found.approve else "")
    counts = f"{len(done.approved)} approved, {len(done.rejected)} rejected, {len(done.later)} still active on Prolific"
    typer.echo(f"{counts}, {len(done.impossible)} returned or timed out.")
    for code, problem in done.failed:
        typer.echo(f"{code}: {problem}")
    for code in done.contrary:
        typer.echo(f"{code}: the opposite decision was made on Prolific")


def _links(folder: Path, people: list[str], base: str, days: float) -> None:
    """Print signed links for a laboratory. Nobody can forge a link, and each link admits one participant once."""
    from trialogue.study.design.platforms import signed_link
    from trialogue.study.design.reading import read_study
    from trialogue.study.opening import secret_key

    if not people or not base:
        raise UsageError(
            "links are for participants, at a server: give their codes, and --base https://study.example.org."
        )
    file = read_study(folder)
    if not file.platform.signed:
        typer.echo(
            "Warning: anyone with the study URL can take part. Set platform: {signed: true} to accept signed links only.",
            err=True,
        )
    key = secret_key(folder).read_text(encoding="ascii").strip()
    url = f"{base.rstrip('/')}/{file.study}/"
    for person in people:
        typer.echo(signed_link(url, study=file.study, person=person, key=key, days=days))


def _reconcile(folder: Path, given: list[str]) -> None:
    """Release the items of participants who returned or timed out, and list mismatches with the platform."""
    from trialogue.study.opening import open_launched

    if len(given) != 1:
        raise UsageError("give the platform's list of submissions, as one CSV file.")
    study = open_launched(folder)
    from trialogue.study.services.reconciliation import due
    from trialogue.study.services.reconciliation import reconcile as run

    found = run(study, Path(given[0]), who=WHO)
    typer.echo(f"{len(found.freed)} returned or timed out; their unanswered items are available again.")
    for line in due(found, "the platform"):
        typer.echo(line)
