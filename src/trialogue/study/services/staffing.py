"""Who of the staff may do what."""

from django.contrib.auth.models import Permission, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from trialogue.errors import UsageError

ALLOWED = {"export": "export_study", "manage": "manage_study"}


def let_in(name: str, password: str, *, export: bool = False, manage: bool = False) -> list[str]:
    """Give somebody a login for the staff pages, or new rights and a new password; what they may do.

    Raises:
        UsageError: a name or password that will not do.
    """
    if not name.strip() or len(name) > 150:
        raise UsageError("A login has 1 to 150 characters.")
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
