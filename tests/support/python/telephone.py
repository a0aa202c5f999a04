"""A telephone behind a trunk: it answers each call and hangs up at once, so that the call ends with a transcript."""

import re
import socket
import threading

RESEND_S = 0.5  # T1 of RFC 3261


def header(message, name):
    found = re.search(rf"^{name}:[ \t]*(.*?)\r$", message, re.MULTILINE | re.IGNORECASE)
    return found.group(1) if found else ""


class Telephone:
    """SIP over UDP on loopback, at `port`; the audio is not heard. Runs until the test ends."""

    def __init__(self):
        self.sip = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sip.bind(("127.0.0.1", 0))
        self.sip.settimeout(RESEND_S)
        self.port = self.sip.getsockname()[1]
        self.audio = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.audio.bind(("127.0.0.1", 0))
        self.answered = {}  # Call-ID -> (the BYE, where to)
        self.leaving = {}  # those whose BYE has no answer yet
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            try:
                octets, sender = self.sip.recvfrom(65536)
            except socket.timeout:
                for bye, server in self.leaving.values():
                    self.sip.sendto(bye, server)
                continue
            message = octets.decode("utf-8", "replace")
            call = header(message, "Call-ID")
            method = message.split(" ", 1)[0]
            if method == "SIP/2.0":
                self.leaving.pop(call, None)
            elif method == "ACK":
                self._hang_up(call)
            else:
                self.sip.sendto(self._answer(message, method), sender)
                if method == "INVITE":
                    self.answered.setdefault(call, (self._bye(message), sender))

    def _hang_up(self, call):
        if call in self.answered:
            self.leaving[call] = self.answered.pop(call)
            self.sip.sendto(*self.leaving[call])

    def _answer(self, message, method):
        copied = "".join(f"{line}\r\n" for line in message.split("\r\n") if re.match(r"(Via|From|Call-ID|CSeq):", line, re.IGNORECASE))
        to = header(message, "To")
        body = ""
        if method == "INVITE":
            to += ";tag=telephone"
            body = ("v=0\r\no=telephone 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
                    f"m=audio {self.audio.getsockname()[1]} RTP/AVP 0\r\na=sendrecv\r\n")
            copied += "Content-Type: application/sdp\r\n"
        return (f"SIP/2.0 200 OK\r\n{copied}To: {to}\r\nContact: <sip:telephone@127.0.0.1:{self.port}>\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}").encode()

    def _bye(self, invite):
        contact = re.search(r"<([^>]*)>", header(invite, "Contact")).group(1)
        call = header(invite, "Call-ID")
        return (f"BYE {contact} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:{self.port};branch=z9hG4bK-{call.split('@')[0]}\r\n"
                f"From: {header(invite, 'To')};tag=telephone\r\nTo: {header(invite, 'From')}\r\nCall-ID: {call}\r\n"
                "CSeq: 1 BYE\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n").encode()
