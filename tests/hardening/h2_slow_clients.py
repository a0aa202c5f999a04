"""H2: slow and idle connections take no thread, and do not affect other clients. CONTRIBUTING.md names the long run."""

import os
import socket
import time

from main import run
from raw import connect, read_reply

COUNT = int(os.environ.get("PATCHBAY_SLOW_CLIENTS", "500"))
HEAD = b"GET /api.ashx/v1 HTTP/1.1\r\nHost: localhost\r\n"


def check(server, checks):
    token = server.token("alice", "localhost")
    post = b"POST /api.ashx/v1/calls HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token.encode() + b"\r\n"
    kinds = {
        "nothing sent": b"",
        "part of a head": HEAD,
        "part of a body": post + b"Content-Length: 100\r\n\r\n{",
        "part of a chunk": post + b"Transfer-Encoding: chunked\r\n\r\n64\r\n{",
    }
    for name, octets in kinds.items():
        slow = []
        try:
            for _ in range(COUNT):
                connection = connect(server)
                connection.sendall(octets)
                slow.append(connection)
            worst = max(ask(server, token) for _ in range(50))
            print(f"{name}: {COUNT} connections, slowest of 50 requests {worst * 1000:.0f} ms", flush=True)
            checks.check(worst < 30, f"{name}: a request took {worst:.1f} s")
            for connection in slow:  # one more octet of each
                try:
                    connection.sendall(b"X")
                except OSError:
                    pass
            checks.check(ask(server, token) < 30, f"{name}: a request after further octets")
        finally:
            for connection in slow:
                connection.close()
    silent_readers(server, checks, token)


def ask(server, token):
    began = time.monotonic()
    answer = server.ask("GET", "/api.ashx/v1/calls", None, {"Authorization": "Bearer " + token})
    assert answer.status == 200, answer.body
    return time.monotonic() - began


def silent_readers(server, checks, token):
    """Clients that ask for much and read nothing."""
    slow = []
    for _ in range(50):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(30)
        connection.connect(server.address())
        try:
            connection.sendall((b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n") * 20)
        except OSError:
            pass
        slow.append(connection)
    checks.check(ask(server, token) < 30, "a request beside clients that do not read")
    for connection in slow:
        connection.close()
    with connect(server) as connection:
        connection.sendall(HEAD + b"\r\n")
        checks.check(read_reply(connection).status == 200, "the server answers after them")


run(check, limits="connections: 8000, connectionsPerAddress: 6000")
