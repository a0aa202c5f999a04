"""An SMTP server that gets outcome mails: tests/support/smtp_server.py, with STARTTLS and a password."""

import atexit
import email
import os
import shutil
import subprocess
import sys
import tempfile
import time

WAIT_S = 60  # a hang, not a slow machine


class SmtpServer:
    """Runs until the test ends; user `u`. `authority` is the file with its certificate."""

    def __init__(self, password):
        self.folder = tempfile.mkdtemp(prefix="patchbay-smtp-")
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.authority = os.path.join(self.folder, "certificate.pem")
        key = os.path.join(self.folder, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", self.authority], check=True, capture_output=True)
        both = os.path.join(self.folder, "both.pem")
        with open(both, "w", encoding="ascii") as file:
            for part in (key, self.authority):
                with open(part, encoding="ascii") as text:
                    file.write(text.read())
        script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "smtp_server.py")
        process = subprocess.Popen([sys.executable, script, self.folder, "--certificate", both, "--user", "u", "--password", password], stdin=subprocess.DEVNULL)
        atexit.register(process.kill)
        self.port = int(self._wait("port"))

    def _wait(self, name):
        path = os.path.join(self.folder, name)
        end = time.monotonic() + WAIT_S
        while not os.path.exists(path) and time.monotonic() < end:
            time.sleep(0.02)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def wait_for(self, count):
        """The first mails as text: each as received, with its parts decoded."""
        mails = []
        for number in range(1, count + 1):
            text = self._wait(f"{number}.eml") + self._wait(f"{number}.json")
            parts = [part.get_payload(decode=True) or b"" for part in email.message_from_string(text).walk()]
            mails.append("\n".join([text, *(part.decode("utf-8", "replace") for part in parts)]))
        return mails
