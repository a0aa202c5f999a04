"""Octets to a server and back, for requests that no HTTP library would send."""

import socket
import ssl

HANG_S = 30  # longer means a hang


class Reply:
    def __init__(self, octets, closed):
        self.octets = octets
        self.closed = closed  # by the server, after what it sent

    @property
    def status(self):
        """0: no response."""
        words = self.octets.split(b" ", 2)
        return int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/1.") and words[1].isdigit() else 0

    @property
    def count(self):
        return self.octets.count(b"HTTP/1.1 ")


def connect(server, listener="public"):
    return socket.create_connection(server.address(listener), timeout=HANG_S)


def read_reply(connection):
    """Reads until the server closes, or one whole response is there. Nothing within HANG_S: TimeoutError."""
    octets = b""
    while True:
        head, found, body = octets.partition(b"\r\n\r\n")
        if found:
            length = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            if length and len(body) >= length[0]:
                return Reply(octets, False)
        try:
            more = connection.recv(65536)
        except (ConnectionResetError, ssl.SSLError):
            more = b""
        if not more:
            return Reply(octets, True)
        octets += more


def exchange(server, octets, end=False, listener="public"):
    """Sends octets, then optionally the end of the stream; the first response."""
    with connect(server, listener) as connection:
        try:
            connection.sendall(octets)
            if end:
                connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused meanwhile; the reply says so
        return read_reply(connection)
