"""A PostgreSQL server for a test: data in a temporary folder, no TCP, gone with the test."""

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse

PROGRAMS = "/usr/lib/postgresql/15/bin/"
START_S = 60


class Postgres:
    """Runs until close(); its files stay until the test ends."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="patchbay-pg-")
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o777)  # the server runs as another user
        self.data = os.path.join(self.folder, "data")
        self._run("initdb", "-D", self.data, "-U", "patchbay", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync").check_returncode()
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                [*self._as_user(), PROGRAMS + "postgres", "-D", self.data, "-k", self.folder, "-c", "listen_addresses="],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
            )
        atexit.register(self.close)
        end = time.monotonic() + START_S
        while self._run("pg_isready", "-h", self.folder).returncode != 0:
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("PostgreSQL did not start; is postgresql-15 installed?")
            time.sleep(0.02)

    @property
    def url(self):
        return f"postgresql://patchbay@{urllib.parse.quote(self.folder, safe='')}/postgres"

    def dump(self):
        """The database as the SQL of pg_dump."""
        words = [*self._as_user(), PROGRAMS + "pg_dump", "-h", self.folder, "-U", "patchbay", "postgres"]
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd="/", check=True).stdout.decode("utf-8", "replace")

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # a fast shutdown
        self.process.wait(timeout=START_S)

    @staticmethod
    def _as_user():
        """Ends with the test; under root as user postgres, because PostgreSQL refuses root."""
        user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        return ["setpriv", "--pdeathsig", "INT", *user]

    def _run(self, program, *arguments):
        return subprocess.run([*self._as_user(), PROGRAMS + program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/", check=False)
