"""H1: the MUST cases of RFC 9112 for a parser of requests. No 5xx, no hang."""

from main import run
from raw import connect, exchange, read_reply

HOST = b"Host: localhost\r\n"
OK, BAD = {200}, {400}
# name, octets, statuses; 0: the server closes without a response.
CASES = [
    ("a plain request", b"GET /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"\r\n", OK),
    ("absolute form", b"GET http://localhost/api.ashx/v1 HTTP/1.1\r\n" + HOST + b"\r\n", OK),
    ("empty lines before the request line", b"\r\n\r\nGET /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"\r\n", {200, 400}),
    ("no Host", b"GET /api.ashx/v1 HTTP/1.1\r\n\r\n", BAD),
    ("two Hosts", b"GET /api.ashx/v1 HTTP/1.1\r\n" + HOST + HOST + b"\r\n", BAD),
    ("a Host with a space", b"GET /api.ashx/v1 HTTP/1.1\r\nHost: a b\r\n\r\n", BAD),
    ("a Host with a user", b"GET /api.ashx/v1 HTTP/1.1\r\nHost: a@b\r\n\r\n", BAD),
    ("a Host with a slash", b"GET /api.ashx/v1 HTTP/1.1\r\nHost: a/b\r\n\r\n", BAD),
    ("HTTP/1.0 without Host", b"GET /api.ashx/v1 HTTP/1.0\r\n\r\n", {200, 400, 505}),
    ("HTTP/0.9", b"GET /api.ashx/v1\r\n\r\n", BAD),
    ("HTTP/2.0", b"GET /api.ashx/v1 HTTP/2.0\r\n" + HOST + b"\r\n", {400, 505}),
    ("HTTP/1.10", b"GET /api.ashx/v1 HTTP/1.10\r\n" + HOST + b"\r\n", {400, 505}),
    ("http/1.1 in lower case", b"GET /api.ashx/v1 http/1.1\r\n" + HOST + b"\r\n", {400, 505}),
    ("two spaces in the request line", b"GET  /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"\r\n", BAD),
    ("a tab in the request line", b"GET\t/api.ashx/v1 HTTP/1.1\r\n" + HOST + b"\r\n", BAD),
    ("a space at the end of the request line", b"GET /api.ashx/v1 HTTP/1.1 \r\n" + HOST + b"\r\n", BAD | {505}),
    ("a fragment in the target", b"GET /api.ashx/v1#x HTTP/1.1\r\n" + HOST + b"\r\n", BAD),
    ("octets above 127 in the target", b"GET /api.ashx/v\xc3\xa4 HTTP/1.1\r\n" + HOST + b"\r\n", BAD | {404}),
    ("a control character in the target", b"GET /api.ashx/v1\x01 HTTP/1.1\r\n" + HOST + b"\r\n", BAD),
    ("CONNECT", b"CONNECT localhost:443 HTTP/1.1\r\n" + HOST + b"\r\n", {400, 404, 405, 501}),
    ("TRACE", b"TRACE /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"\r\n", {400, 405, 501}),
    ("OPTIONS *", b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", {200, 204, 400, 404, 405}),
    ("a method that is no token", b"G@T /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"\r\n", BAD),
    ("a space before the colon", b"GET /api.ashx/v1 HTTP/1.1\r\nHost : localhost\r\n\r\n", BAD),
    ("a space before the first field", b"GET /api.ashx/v1 HTTP/1.1\r\n " + HOST + b"\r\n", BAD),
    ("an obsolete line folding", b"GET /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"X-A: b\r\n c\r\n\r\n", BAD),
    ("a line without a colon", b"GET /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"nothing\r\n\r\n", BAD),
    ("an empty field name", b"GET /api.ashx/v1 HTTP/1.1\r\n" + HOST + b": x\r\n\r\n", BAD),
    ("NUL in a field", b"GET /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"X-A: b\x00c\r\n\r\n", BAD),
    ("a bare CR in a field", b"GET /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"X-A: b\rc\r\n\r\n", BAD),
    ("a bare LF", b"GET /api.ashx/v1 HTTP/1.1\n" + HOST + b"\r\n", BAD),
    ("length and chunked", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", BAD),
    ("two lengths", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\nContent-Length: 5\r\n\r\n", BAD),
    ("a list of lengths", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Content-Length: 5, 6\r\n\r\nhello", BAD),
    ("a length with a sign", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Content-Length: +0\r\n\r\n", BAD),
    ("a negative length", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n", BAD),
    ("a length in hexadecimal", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Content-Length: 0x0\r\n\r\n", BAD),
    ("an empty length", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Content-Length: \r\n\r\n", BAD),
    ("a length of 2^64", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Content-Length: 18446744073709551616\r\n\r\n", {400, 401, 413}),
    ("an unknown coding", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: xchunked\r\n\r\n", {400, 501}),
    ("chunked is not last", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked, gzip\r\n\r\n", {400, 501}),
    ("chunked twice", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked, chunked\r\n\r\n", {400, 501}),
    ("chunked in HTTP/1.0", b"POST /api.ashx/v1/calls HTTP/1.0\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {400, 505}),
    ("a head of 64 KiB", b"GET /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"X-A: " + b"b" * 65536 + b"\r\n\r\n", {431, 0}),
    ("1000 fields", b"GET /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"X: y\r\n" * 1000 + b"\r\n", {431, 0}),
    ("an Expect that is not known", b"POST /api.ashx/v1/calls HTTP/1.1\r\n" + HOST + b"Expect: tea\r\nContent-Length: 0\r\n\r\n", {401, 417}),
]
TOKEN = b"POST /oidc.ashx/token HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNKS = [
    ("a valid body", b"3\r\na=b\r\n0\r\n\r\n", {400}),  # as a form: no grant_type
    ("a size that is no number", b"x\r\na=b\r\n0\r\n\r\n", BAD),
    ("an empty size", b"\r\na=b\r\n0\r\n\r\n", BAD),
    ("a size of 2^64", b"10000000000000000\r\na=b\r\n0\r\n\r\n", {400, 413}),
    ("a size with a sign", b"+3\r\na=b\r\n0\r\n\r\n", BAD),
    ("a size with 0x", b"0x3\r\na=b\r\n0\r\n\r\n", BAD),
    ("data longer than its size", b"3\r\na=bc\r\n0\r\n\r\n", BAD),
    ("a bare LF after the size", b"3\na=b\r\n0\r\n\r\n", BAD),
    ("a bare CR in an extension", b"3;x=\ry\r\na=b\r\n0\r\n\r\n", BAD),
    ("a forbidden trailer line", b"3\r\na=b\r\n0\r\nno colon\r\n\r\n", BAD),
]


def check(server, checks):
    for name, octets, statuses in CASES:
        reply = exchange(server, octets, end=True)
        checks.check(reply.status in statuses, f"{name}: {reply.status} instead of {sorted(statuses)}")
        checks.check(reply.status < 500 or reply.status in (501, 505), f"{name}: {reply.status}")
    for name, octets, statuses in CHUNKS:
        reply = exchange(server, TOKEN + octets, end=True)
        checks.check(reply.status in statuses, f"chunks, {name}: {reply.status} instead of {sorted(statuses)}")
    smuggling(server, checks)
    cut_off(server, checks)


def smuggling(server, checks):
    """What follows a request with doubtful framing is never served as a request."""
    hidden = b"GET /api.ashx/v1 HTTP/1.1\r\n" + HOST + b"\r\n"
    for name, head in (
        ("length and chunked", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("an unknown coding", b"Transfer-Encoding: chunked\x0b\r\n\r\n0\r\n\r\n"),
        ("two lengths", b"Content-Length: 0\r\nContent-Length: 44\r\n\r\n"),
    ):
        reply = exchange(server, b"POST /oidc.ashx/token HTTP/1.1\r\n" + HOST + head + hidden, end=True)
        checks.check(reply.count == 1 and reply.closed or reply.status == 400, f"smuggling, {name}: {reply.octets[:80]!r}")
        checks.check(b"200 OK" not in reply.octets, f"smuggling, {name}: the hidden request was served")


def cut_off(server, checks):
    """A request that ends early at any octet is refused or dropped."""
    whole = TOKEN + b"3\r\na=b\r\n0\r\n\r\n"
    for size in range(1, len(whole), 7):
        reply = exchange(server, whole[:size], end=True)
        checks.check(reply.status in (0, 400, 408), f"cut off after {size} octets: {reply.status}")
    with connect(server) as connection:  # octet by octet
        for octet in CASES[0][1]:
            connection.sendall(bytes([octet]))
        checks.check(read_reply(connection).status == 200, "a request in single octets")


run(check)
