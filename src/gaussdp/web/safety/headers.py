"""Headers of every response: nothing from elsewhere runs or shows, nothing is kept, nothing is guessed."""

from collections.abc import Mapping

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

Raw = list[tuple[bytes, bytes]]

ADDED = "headers added"
"""Says, in a request's state, that the connection adds these to whatever is answered."""

_RAW: Raw = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_LINES = b"".join(b"%s: %s\r\n" % header for header in _RAW)
_NOT_STORED = (b"cache-control", b"no-store")


def with_safe_headers(headers: Raw, request_id: str, *, added: bool = False) -> Raw:
    """The headers of a response and these, if they are not added later; one without a word on caching is not stored."""
    stored = () if any(name == b"cache-control" for name, _ in headers) else (_NOT_STORED,)
    return [*headers, *(() if added else _RAW), *stored, (b"x-request-id", request_id.encode())]


def with_safe_lines(head: bytes) -> bytes:
    """The head of a response as it is sent, with these headers after its status line."""
    status, end, rest = head.partition(b"\r\n")
    return b"".join((status, end, _LINES, rest))
