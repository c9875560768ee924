"""Staff permissions, and the link for the first staff login."""

from django.contrib.auth.models import Permission, User
from django.contrib.auth.password_validation import validate_password
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction

from trialogue.errors import UsageError
from trialogue.study.models import Study

FIRST, FIRST_S = "trialogue.staff.first", 24 * 3600
ALLOWED = {"export": "export_study", "manage": "manage_study"}


def let_in(name: str, password: str, *, export: bool = False, manage: bool = False) -> list[str]:
    """Create or update a staff login; returns its permissions.

    Raises:
        UsageError: a name or password that will not do.
    """
    if not name.strip() or len(name) > 150:
        raise UsageError("A login must have 1 to 150 characters.")
    try:
        validate_password(password, User(username=name))
    except ValidationError as error:
        raise UsageError(" ".join(error.messages)) from error
    wanted = [word for word, given in (("export", export), ("manage", manage)) if given]
    with transaction.atomic():
        user, _ = User.objects.get_or_create(username=name)
        user.is_staff = True
        user.set_password(password)
        user.save()
        codenames = [ALLOWED[word] for word in wanted]
        user.user_permissions.set(Permission.objects.filter(content_type__app_label="study", codename__in=codenames))
    return ["look", *wanted]


def has_staff() -> bool:
    """Whether a staff login exists."""
    return User.objects.filter(is_staff=True, is_active=True).exists()


def first_login() -> str:
    """The token of a link by which the first login can be made, for a day; "" where there is a login."""
    return "" if has_staff() else signing.dumps(FIRST, salt=FIRST)


def opens_first_login(token: str) -> bool:
    """Whether a token of ours makes the first login, since there is none yet and the token is not out of date."""
    try:
        right = signing.loads(token, salt=FIRST, max_age=FIRST_S) == FIRST
    except (signing.BadSignature, ValueError):
        return False
    return right and not has_staff()


def let_first_in(token: str, name: str, password: str) -> User | None:
    """Make the first login, which may do everything; None if the token does not do it, or no longer.

    Raises:
        UsageError: as ``let_in``.
    """
    with transaction.atomic():
        list(Study.objects.select_for_update().order_by("pk"))  # of two who follow the link at once one is the first
        if not opens_first_login(token):
            return None
        let_in(name, password, export=True, manage=True)
        return User.objects.get(username=name)
