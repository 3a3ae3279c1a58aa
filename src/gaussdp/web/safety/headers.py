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

_RAW: Raw = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_NOT_STORED = (b"cache-control", b"no-store")


def with_safe_headers(headers: Raw, request_id: str) -> Raw:
    """The headers of a response and these; one that says nothing about caching is not stored."""
    stored = () if any(name == b"cache-control" for name, _ in headers) else (_NOT_STORED,)
    return [*headers, *_RAW, *stored, (b"x-request-id", request_id.encode())]
