"""A patchbay server of three tenants for tests, with real parts on loopback and ports that the kernel chooses.

localhost is the primary tenant, so its admin is a super-admin; other.example and third.example are ordinary ones.
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

from postgres import Postgres

PRIMARY = "localhost"  # found by clients that cannot set Host
ORDINARY = "other.example"
THIRD = "third.example"
API = "/api.ashx/v1"
START_S = 60  # a hang, not a slow machine
ANSWER_S = 60

# Found nowhere but in the database, sealed or hashed (canaries.py).
SECRETS = {
    "alice": "canary-alice-4Zk1q8Vw",
    "bob": "canary-bob-9Xr2m5Ty",
    "carol": "canary-carol-7Lp3n6Uz",
    "dave": "canary-dave-1Hs8k2Qe",
    "erin": "canary-erin-8Bw3z7Nc",
    "frank": "canary-frank-6Tv9d4Kp",
    "shared": "canary-shared-secret-6Fd4j9Wb",
    "other-shared": "canary-shared-secret-3Gb7c5Xa",
    "trunk": "canary-trunk-2Mn6v8Rt",
    "smtp": "canary-smtp-5Jh1b3Cy",
}


def configuration(trunk_port, limits="", mail=None, identity=""):
    mail_server = f"port: {mail.port}, caFile: {mail.authority}" if mail else "port: 9"

    def users(admin, user):
        return (
            "{clients: [patchbay-admin, {id: portal, name: Customer portal, redirectUris: [\"https://portal.example/cb\", \"http://127.0.0.1/native\"], "
            "postLogoutRedirectUris: [\"https://portal.example/bye\"]}], "
            f"users: [{{username: {admin}, role: admin, password: {SECRETS[admin]}}}, "
            f"{{username: {user}, role: user, password: {SECRETS[user]}}}]}}"
        )

    def trunk():
        return (
            "{defaultTrunkId: main, outboundRoutes: [{match: \"+48*\", trunkIds: [main]}], "
            f"trunks: [{{id: main, host: 127.0.0.1, port: {trunk_port}, username: u, realm: r, password: {SECRETS['trunk']}}}, "
            f"{{id: backup, host: 127.0.0.1, port: {trunk_port}}}]}}"
        )

    return f"""
server:
  management: {{listen: "127.0.0.1:0"}}
  log: {{level: debug, format: json}}
plugins:
  rest-api: {{listen: "127.0.0.1:0", limits: {{requestsPerSecond: 100000, burst: 100000{", " + limits if limits else ""}}}}}
  identity: {{issuer: "http://{PRIMARY}"{", " + identity if identity else ""}}}
  media: {{}}
  whitelist: {{}}
  numbers: {{}}
  webhooks: {{}}
  transcripts: {{mail: {{host: 127.0.0.1, {mail_server}, username: u, password: {SECRETS['smtp']}, from: calls@example.com}}}}
  ai-voice: {{maxLoadPercent: 0}}
  engine-local: {{}}
  sip-trunk: {{listenPort: 0}}
tenants:
  {PRIMARY}:
    primary: true
    identity: {users("alice", "bob")}
    WebPhone: {{AdminSharedSecret: "{SECRETS['shared']}"}}
    webhooks: {{allowPrivateReceivers: true}}
    ai-voice: {{email: ops@example.com, model: local}}
    sip-trunk: {trunk()}
  {ORDINARY}:
    identity: {users("carol", "dave")}
    WebPhone: {{AdminSharedSecret: "{SECRETS['other-shared']}"}}
    webhooks: {{allowPrivateReceivers: true}}
    ai-voice: {{email: ops@example.com, model: local}}
    sip-trunk: {trunk()}
  {THIRD}:
    identity: {users("erin", "frank")}
    WebPhone: {{AdminSharedSecret: "{SECRETS['other-shared']}"}}
    ai-voice: {{email: ops@example.com, model: local}}
    sip-trunk: {trunk()}
"""


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = body

    def json(self):
        return json.loads(self.body)


class Server:
    """Runs until close(). `program` is build/<preset>/bin/patchbay, `plugins` its folder of plugins.

    `telephone` answers the calls (telephone.py); without one they fail. `mail` gets the outcome mails (smtp.py).
    PATCHBAY_TEST_STORE=postgres in the environment: with its store in a PostgreSQL server of its own.
    """

    def __init__(self, program, plugins, limits="", telephone=None, mail=None, identity=""):
        self.folder = tempfile.mkdtemp(prefix="patchbay-contract-")
        # A port where no SIP server answers: calls fail, and nothing leaves the machine.
        self.silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.silent.bind(("127.0.0.1", 0))
        text = configuration(telephone.port if telephone else self.silent.getsockname()[1], limits, mail, identity)
        if not os.path.exists(os.path.join(plugins, "numbers.so")):
            text = text.replace("  numbers: {}\n", "")
        self.config = os.path.join(self.folder, "patchbay.yaml")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(text)
        self.data = os.path.join(self.folder, "data")
        self.postgres = Postgres() if os.environ.get("PATCHBAY_TEST_STORE") == "postgres" else None
        store = {"PATCHBAY_SERVER__STORE": self.postgres.url} if self.postgres else {}
        self.log_path = os.path.join(self.folder, "server.log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [program, "serve", "-c", self.config, "--plugin-dir", plugins],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "PATCHBAY_SERVER__DATA": self.data, **store},
            )
        self.addresses = self._wait_for_addresses()
        self._wait_until_ready()

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def files(self):
        """The names and octets of the data folder's files, and of the database's with its log of changes."""
        for folder in (self.data, self.postgres.data) if self.postgres else (self.data,):
            for root, _, names in os.walk(folder):
                for path in (os.path.join(root, name) for name in names):
                    if os.path.isfile(path):
                        with open(path, "rb") as file:
                            yield os.path.basename(path), file.read()

    def close(self):
        """Stops the server; its exit status, 0 after an orderly stop."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=START_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def _wait_for_addresses(self):
        path = os.path.join(self.data, "listening.json")
        end = time.monotonic() + START_S
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with open(path, encoding="utf-8") as file:
                    return {one["role"]: one["address"] for one in json.load(file)["listeners"]}
            except (OSError, ValueError):
                time.sleep(0.02)
        raise RuntimeError("the server did not start:\n" + self.log()[-3000:])

    def _wait_until_ready(self):
        end = time.monotonic() + START_S
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if self.ask("GET", "/readyz", listener="management").status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise RuntimeError("the server is not ready:\n" + self.log()[-3000:])

    def address(self, listener="public"):
        host, port = self.addresses[listener].rsplit(":", 1)
        return host, int(port)

    def ask(self, method, target, body=None, headers=None, tenant=PRIMARY, listener="public", source=None):
        """One request on a connection of its own. `body`: bytes, text, or what becomes JSON. `source`: another loopback address to ask from."""
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode("utf-8", "surrogatepass")
        connection = http.client.HTTPConnection(*self.address(listener), timeout=ANSWER_S, source_address=(source, 0) if source else None)
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", tenant)
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def token(self, username, tenant):
        form = urllib.parse.urlencode({
            "grant_type": "password", "client_id": "patchbay-admin", "username": username,
            "password": SECRETS[username], "scope": "openid",
        })
        answer = self.ask("POST", "/oidc.ashx/token", form, {"Content-Type": "application/x-www-form-urlencoded"}, tenant)
        if answer.status != 200:
            raise RuntimeError(f"no token for {username}: {answer.status} {answer.body!r}")
        return answer.json()["access_token"]


def bearer(token):
    return {"Authorization": "Bearer " + token}


class Checks:
    """Counts checks and prints those that fail."""

    def __init__(self):
        self.count = 0
        self.faults = []

    def check(self, passed, what):
        self.count += 1
        if not passed and what not in self.faults:
            self.faults.append(what)
            print("FAILED:", what, flush=True)
        return passed

    def exit(self):
        print(f"{self.count} checks, {len(self.faults)} failed")
        sys.exit(1 if self.faults or not self.count else 0)
