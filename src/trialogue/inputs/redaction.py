"""Personal data in logs, replaced before anything is measured or written.

E-mail addresses, telephone, card and bank account numbers are replaced by what they were, such as ``[e-mail]``, in all texts
and values, and in ids, where different ones stay different. Names and addresses of people are not recognised.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from trialogue.extras import need
from trialogue.inputs.inputs import InputRecords
from trialogue.records import Record
from trialogue.records.dialogue import MENTIONS
from trialogue.records.files.dialogue_store import as_stored

AnyRecord = TypeVar("AnyRecord", bound=Record)
EXTRA = "redact"
EMAIL, PHONE, CARD, ACCOUNT = "[e-mail]", "[phone]", "[card]", "[account]"
_EMAIL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_AT = r"%40|&#0*64;|&#x0*40;|&commat;|\\u0040|\uff20|\ufe6b|\s?[(\[{]\s?at\s?[)\]}]\s?"
_WRITTEN_EMAIL = re.compile(rf"[\w.+-]{{1,64}}(?:{_AT})[\w-]+(?:\.[\w-]+)+", re.IGNORECASE)
"""Addresses as URLs, pages of HTML, JSON, and people who hide them write the sign."""
_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")
_CARD = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,40}(?!\w)")
_PHONE = re.compile(r"(?<![\w.])(?:\+|00)?\(?\d(?:[\d().\-/\u2010-\u2013 \u00a0\u202f]){5,20}\d(?![\w@])")
_NORTH_AMERICAN = re.compile(r"(?:1[ .-]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])\d{3}[ .-]\d{4}")
_DATE = re.compile(
    r"(?:19|20)\d\d[-./ ]\d\d?[-./ ]\d\d?\b|\d\d?[-./ ]\d\d?[-./ ](?:19|20)\d\d\b|(?:(?:19|20)\d\d[-\u2013/ ]?)+$"
)
_ANNOUNCED = re.compile(
    r"(?:tel|phone|mobile|cell|call|whatsapp|fax|sms|handy|móvil|teléfono|téléphone)\w*\W{0,3}(?:\w+\W+){0,2}$", re.I
)
REGIONS = tuple("US GB DE FR ES IT NL IN BR JP AU CN PL SE CH AT BE DK NO PT".split())  # noqa: SIM905  # shorter
"""Where telephone numbers without a country code may be of."""
LEAST_DIGITS = 7  # of a telephone number
SHORTEST_BARE = 9  # digits of a number without separators, which else may be an id
NAMES = frozenset({"id", "user", "task", "rater", "dialogue_id", "situation_id", "dialogue_a", "dialogue_b"}) | {
    *("system", "a", "b", "versus", "source"),
}
"""Fields that must stay different where they were."""
FREE = frozenset({"meta", "arguments", "result"})
"""Fields that hold values of any kind."""
KINDS = {
    **dict.fromkeys(("email", "e_mail", "mail", "email_address", "e_mail_address"), EMAIL),
    **dict.fromkeys(
        ("phone", "telephone", "tel", "mobile", "phone_number", "mobile_number", "msisdn", "fax", "cell"), PHONE
    ),
    **dict.fromkeys(("card_number", "credit_card", "card", "cc_number", "pan"), CARD),
    **dict.fromkeys(("iban", "account_number", "bank_account"), ACCOUNT),
}
"""What a field of this name holds, whatever it looks like."""


class Redaction:
    """Replaces personal data, the same in the same way."""

    def __init__(self) -> None:
        """Without anything seen so far.

        Raises:
            MissingExtraError: the libraries that know such numbers are not installed.
        """
        purpose = "recognise telephone, card and account numbers"
        self._phones = need("phonenumbers", extra=EXTRA, purpose=purpose)
        self._luhn = need("stdnum.luhn", extra=EXTRA, purpose=purpose)
        self._iban = need("stdnum.iban", extra=EXTRA, purpose=purpose)
        self._numbers: dict[str, int] = {}
        self.text: Callable[[str], str] = lru_cache(maxsize=4096)(self._text)

    def name(self, given: str) -> str:
        """An id or name; different ones stay different, by numbers in the order in which they come."""
        clean = self.text(given)
        return given if clean == given else f"{clean} {self._numbers.setdefault(given, len(self._numbers) + 1)}"

    def value(self, given: Any, key: str = "", *, is_free: bool = False) -> Any:
        """A value of JSON, or of a record as plain values."""
        if isinstance(given, dict):
            is_free = is_free or key in FREE
            return {
                self.text(name) if is_free else name: self.value(each, name, is_free=is_free or name in FREE)
                for name, each in given.items()
            }
        if isinstance(given, list | tuple):
            return type(given)(self.value(each, key, is_free=is_free) for each in given)
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        if not isinstance(given, str) and not (is_number and is_free):
            return given
        if is_free and isinstance(given, str) and given.lstrip()[:1] in ("{", "["):
            return self._json(given, key)
        kind = KINDS.get(re.sub(r"[\s-]+", "_", key.strip().lower())) if is_free else None
        if kind is not None and given not in ("", 0):
            return kind
        clean = self.name(given) if isinstance(given, str) and key in NAMES else self.text(str(given))
        return given if clean == str(given) else clean

    def _json(self, text: str, key: str) -> str:
        """JSON that stands in a text: as JSON, so that names of fields count, and as a text."""
        with suppress(ValueError, RecursionError):
            plain = json.loads(text)
            clean = self.value(plain, key, is_free=True)
            return text if clean == plain else json.dumps(clean, ensure_ascii=False)
        return self.text(text)

    def record(self, record: AnyRecord) -> AnyRecord:
        """A record; where a text changed, places in it are dropped."""
        plain = record.model_dump()
        clean = self.value(plain)
        if clean == plain:
            return record
        for said, before in zip(_utterances(clean), _utterances(plain), strict=True):
            if said["text"] != before["text"]:
                _drop_places(said)
        return type(record).model_validate(clean)

    def material(self, material: InputRecords) -> InputRecords:
        """All records, names of files, and notes."""
        return replace(
            material,
            dialogues=as_stored(material.dialogues).with_change(self.record),
            situations=[self.record(each) for each in material.situations],
            responses=[self.record(each) for each in material.responses],
            scores=[self.record(each) for each in material.scores],
            preferences=[self.record(each) for each in material.preferences],
            hashes={self.text(name): digest for name, digest in material.hashes.items()},
            warnings=[self.text(each) for each in material.warnings],
            reading=self.record(material.reading),
        )

    def _text(self, text: str) -> str:
        if "@" in text:
            text = _EMAIL.sub(EMAIL, text)
        text = _WRITTEN_EMAIL.sub(EMAIL, text)
        if sum(map(str.isdigit, text)) < LEAST_DIGITS:
            return text
        text = _ACCOUNT.sub(self._account, text)
        text = _CARD.sub(self._card, text)
        return _PHONE.sub(self._phone, text)

    def _account(self, found: re.Match[str]) -> str:
        return _replace(found[0], ACCOUNT, lambda text: bool(self._iban.is_valid(text)))

    def _card(self, found: re.Match[str]) -> str:
        return _replace(
            found[0], CARD, lambda text: _digits(text)[0] in "23456" and bool(self._luhn.is_valid(_digits(text)))
        )

    def _phone(self, found: re.Match[str]) -> str:
        before = found.string[max(found.start() - 40, 0) : found.start()]
        is_announced = _ANNOUNCED.search(before) is not None
        return _replace(found[0], PHONE, lambda text: self._is_phone(text, is_announced=is_announced))

    def _is_phone(self, text: str, *, is_announced: bool) -> bool:
        digits = _digits(text)
        if len(digits) < LEAST_DIGITS or _DATE.match(text):
            return False
        if text[0] == "+" or digits[:2] == "00":
            return self._is_number(f"+{digits.removeprefix('00')}", None)
        if _NORTH_AMERICAN.fullmatch(text) or is_announced:
            return True
        is_parted = re.fullmatch(r"\(?\d{2,5}(?:[ \u00a0()/.-]+\d{2,5}){1,4}", text) is not None
        if not (is_parted or (digits[0] == "0" and len(digits) >= SHORTEST_BARE)):
            return False
        return any(self._is_number(text, region) for region in REGIONS)

    def _is_number(self, text: str, region: str | None) -> bool:
        try:
            number = self._phones.parse(text, region)
        except self._phones.NumberParseException:
            return False
        is_known = self._phones.is_possible_number if region is None else self._phones.is_valid_number
        return bool(is_known(number))


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _replace(text: str, what: str, is_one: Callable[[str], bool]) -> str:
    """A run of groups of digits or letters, with the longest parts of it that are a number of a kind replaced."""
    groups = [each.span() for each in re.finditer(r"[^ \-\u00a0]+", text)]
    for count in range(len(groups), 0, -1):
        for first in range(len(groups) - count + 1):
            start, end = groups[first][0], groups[first + count - 1][1]
            if is_one(text[start:end]):
                return _replace(text[:start], what, is_one) + what + _replace(text[end:], what, is_one)
    return text


def _utterances(plain: dict[str, Any]) -> list[dict[str, Any]]:
    """The utterances of a record as plain values."""
    single = [plain[name] for name in ("utterance", "reference") if isinstance(plain.get(name), dict)]
    lists = [each for name in ("utterances", "context", "further_references") for each in plain.get(name) or ()]
    return [each for each in (*lists, *single) if "speaker" in each]


def _drop_places(said: dict[str, Any]) -> None:
    said["claims"] = None
    slots = [slot for act in said.get("acts") or () for slot in act["slots"]]
    for each in (*slots, *(mention for name in MENTIONS for mention in said.get(name) or ())):
        each["start"] = each["end"] = None
