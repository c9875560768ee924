"""Run a study on Prolific, from the draft to the last bonus. Paid actions happen once, after their price was confirmed."""

from typing import Any

from trialogue.errors import UsageError
from trialogue.study.design.file import StudyFile
from trialogue.study.design.payment import Money
from trialogue.study.design.questions import text_in
from trialogue.study.models import Assignment, Study
from trialogue.study.recruiting.account import Account, payment_of
from trialogue.study.services.assigning import budget
from trialogue.study.services.management.reconciliation import Reconciliation, log, reconcile_rows

QUERY = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
CODE_TYPES = {  # Prolific's names of our outcomes
    "completed": "COMPLETED",
    "screened_out": "SCREENED_OUT",
    "no_consent": "NO_CONSENT",
    "failed_check": "FAILED_ATTENTION_CHECK",
}
UNPUBLISHED = "UNPUBLISHED"


class Recruiter(Account):
    """Brings people in, and frees the places of those who left."""

    def price(self) -> Money:
        """Cost of all places, including replacements, to be confirmed."""
        return self.payment.price(budget(self.study).most_people)

    def create_draft(self, base_url: str) -> str:
        """The study as an unpublished draft; its id, "" in a dry run. Costs nothing.

        Raises:
            UsageError: there is a draft, or one may have been made.
        """
        with self.ledger.exclusive():
            row = self.ledger.last_line("draft", self.study.slug)
            if row is not None and row["state"] == "done":
                raise UsageError(f"A draft already exists: {row['id']}.")
            body = draft_body(self.file, budget(self.study).people, base_url=base_url, slug=self.study.slug)
            if row is not None and row["state"] == "intended":
                return self._recover_draft(body)
            return self.do_once("draft", self.study.slug, "POST", "/studies/", body)

    def _recover_draft(self, body: dict[str, Any]) -> str:
        """The id of the draft whose request got no answer. Prolific may have it: it is looked for by its internal name,
        and created if it is not there."""
        for row in self.api.pages("/studies/"):
            if row.get("internal_name") == body["internal_name"]:
                self.ledger.settle("draft", self.study.slug, id=row["id"])
                return str(row["id"])
        return self.do_once("draft", self.study.slug, "POST", "/studies/", body)

    def publish(self, confirmed: str) -> None:
        """Let people see the study: from now on it costs money.

        Args:
            confirmed: the price of all places (``price``), typed by the payer.

        Raises:
            UsageError: the confirmation is another, or the study is published.
        """
        price = self.price()
        self.check_confirmation(confirmed, price, refused="Nothing was published: the price to confirm")
        if self.study.state != Study.State.RUNNING and not self.api.dry:
            raise UsageError("The study is not open yet: start it with trialogue study serve, then publish.")
        with self.ledger.exclusive():
            detail = {"price": str(price)}
            if self._status() != UNPUBLISHED:
                row = self.ledger.last_line("publish", self.remote_id)
                if row is not None and row["state"] == "intended":  # it was, and the answer was lost
                    self.ledger.settle("publish", self.remote_id, **detail)
                    return
                raise UsageError("The study is already published.")
            self.do_once(
                "publish",
                self.remote_id,
                "POST",
                f"/studies/{self.remote_id}/transition/",
                {"action": "PUBLISH"},
                **detail,
            )

    def close(self) -> None:
        """Stop admissions; current participants may finish."""
        with self.ledger.exclusive():
            self.do_once("stop", self.remote_id, "POST", f"/studies/{self.remote_id}/transition/", {"action": "STOP"})

    def _status(self) -> str:
        return str(self.api.get(f"/studies/{self.remote_id}/").get("status", ""))

    def sync(self) -> Reconciliation:
        """Release slots of returned, timed-out or rejected submissions, report differences between both lists, and open
        places for replacements."""
        rows = [(str(row["participant_id"]), str(row["status"])) for row in self.submissions()]
        found = Reconciliation() if self.api.dry else reconcile_rows(self.study, rows)
        if found.freed or found.replaced:  # a timer that finds nothing new writes nothing
            log(self.study, found, who=self.who)
        with self.ledger.exclusive():
            self._open_places()
        return found

    def _open_places(self) -> None:
        """Open a place for everyone who is paid but whose judgements are collected again.

        Those who were rejected are not paid, and Prolific reopens their places itself.
        """
        planned = budget(self.study)
        n_replaced = self.study.participants.filter(assignments__state=Assignment.State.REPLACED).distinct().count()
        places = min(planned.people + n_replaced, planned.most_people)
        open_places = int(self.api.get(f"/studies/{self.remote_id}/").get("total_available_places", 0))
        published = self.ledger.last_line("publish", self.remote_id)
        if places > open_places and published is not None and published["state"] == "done":
            self.do_once(
                "places",
                f"{self.remote_id}:{places}",
                "PATCH",
                f"/studies/{self.remote_id}/",
                {"total_available_places": places},
            )


def draft_body(file: StudyFile, places: int, *, base_url: str, slug: str) -> dict[str, Any]:
    """The body of a draft.

    Args:
        file: the study file, which says what people are paid.
        places: of the draft.
        base_url: address of the server.
        slug: the study's name in addresses.

    Raises:
        UsageError: the address is not HTTPS, or the file has no completion code or no payment.
    """
    if not base_url.startswith("https://"):
        raise UsageError(
            f"Prolific's participants connect over HTTPS: give --base https://study.example.org; got {base_url!r}."
        )
    if len(set(file.platform.codes.values())) < len(file.platform.codes):
        raise UsageError("Two outcomes have the same completion code; Prolific requires different codes.")
    if "completed" not in file.platform.codes:
        raise UsageError(
            "Set the completion code in platform, such as codes: {completed: C1ABCDEF}; others are optional."
        )
    payment = payment_of(file)
    codes = [
        {
            "code": code,
            "code_type": CODE_TYPES[outcome],
            "actions": [{"action": file.platform.actions.get(outcome, "MANUALLY_REVIEW")}],
        }
        for outcome, code in sorted(file.platform.codes.items())
    ]
    return {
        "name": text_in(file.title, file.language),
        "internal_name": f"trialogue {slug}",
        "description": text_in(file.instructions, file.language) or text_in(file.title, file.language),
        "external_study_url": f"{base_url.rstrip('/')}/{slug}/?{QUERY}",
        "prolific_id_option": "url_parameters",
        "completion_codes": codes,
        "total_available_places": places,
        "estimated_completion_time": round(file.minutes),
        "reward": payment.reward_cents,
        "device_compatibility": ["desktop", "tablet", "mobile"],
    }
