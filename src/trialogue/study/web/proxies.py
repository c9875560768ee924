"""Client address behind trusted proxies: as the outermost trusted proxy saw it.

Each proxy appends the address of its client to ``X-Forwarded-For``. Entries to the left of our own proxies' were written by
the client, and are not trustworthy. So the entry is counted from the right, by the declared number of proxies, and if that
number is 0 the header is not read at all.
"""

import ipaddress
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

FORWARDED = "HTTP_X_FORWARDED_FOR"
LONGEST = 4_000  # characters of the header; a chain of proxies needs a hundred


class ProxiesMiddleware:
    """Sets ``REMOTE_ADDR`` to the client's address before anything else looks at it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The response."""
        peer = str(request.META.get("REMOTE_ADDR", ""))
        forwarded = str(request.META.get(FORWARDED, ""))
        request.META["REMOTE_ADDR"] = client_address(peer, forwarded, proxies=settings.TRUSTED_PROXIES)
        return self._get_response(request)


def client_address(peer: str, forwarded: str, *, proxies: int) -> str:
    """The address of who asked the outermost trusted proxy; of the peer where there is none, or the header is not theirs.

    Args:
        peer: the address of the connection.
        forwarded: X-Forwarded-For, several headers joined by commas; "" if there is none.
        proxies: number of our own proxies that a request comes through.

    >>> client_address("10.0.0.1", "1.1.1.1, 203.0.113.9", proxies=1)  # the client wrote the first one itself
    '203.0.113.9'
    >>> client_address("10.0.0.1", "1.1.1.1, 203.0.113.9", proxies=0)
    '10.0.0.1'
    >>> client_address("10.0.0.1", "203.0.113.9", proxies=2)  # came around one of the proxies
    '10.0.0.1'
    """
    chain = forwarded[-LONGEST:].split(",") if forwarded else []
    if proxies <= 0 or len(chain) < proxies:
        return peer
    return _address_in(chain[-proxies].strip()) or peer


def _address_in(text: str) -> str:
    """The address of an entry, which may have a port; "" if it is none."""
    bare = text.strip('"')
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        return ""


def neighbourhood(address: str) -> str:
    """Network that counts as one client: an IPv4 address, or the /64 network of one IPv6 customer.

    >>> neighbourhood("2001:db8:1:2:3:4:5:6"), neighbourhood("::ffff:192.0.2.1"), neighbourhood("192.0.2.1")
    ('2001:db8:1:2::/64', '192.0.2.1', '192.0.2.1')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))
