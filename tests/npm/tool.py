"""Runs a third-party program against a server: tool.py NPM_FOLDER TOOL PROGRAM PLUGINS. The folder has the packages of package.json."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from openapi import Document
from server import API, PRIMARY, SECRETS, Checks, Server, bearer

CHECKS = Checks()
LIMIT_S = 300
SKIPPED = 77
HERE = os.path.dirname(os.path.abspath(__file__))


def run(folder, words, cwd):
    done = subprocess.run([os.path.join(folder, "node_modules/.bin", words[0]), *words[1:]], cwd=cwd, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    return done.returncode, done.stdout + done.stderr


def document_file(server, work):
    path = os.path.join(work, "openapi.json")
    with open(path, "wb") as file:
        file.write(server.ask("GET", "/openapi.json").body)
    return path


def redocly(folder, server, work):
    """Redocly's linter finds no error in the document."""
    shutil.copy(os.path.join(HERE, "redocly.yaml"), work)
    status, said = run(folder, ["redocly", "lint", document_file(server, work), "--config", os.path.join(work, "redocly.yaml"), "--format", "stylish"], work)
    CHECKS.check(status == 0, "redocly lint:\n" + said[-6000:])


def client(folder, server, work):
    """A client whose types openapi-typescript makes of the document makes the first call."""
    status, said = run(folder, ["openapi-typescript", document_file(server, work), "-o", os.path.join(work, "openapi.d.ts")], work)
    CHECKS.check(status == 0, "openapi-typescript:\n" + said[-3000:])
    for name in ("first_call.ts", "package.json"):
        shutil.copy(os.path.join(HERE, name), work)
    os.symlink(os.path.join(folder, "node_modules"), os.path.join(work, "node_modules"))
    options = ["--module", "nodenext", "--moduleResolution", "nodenext", "--target", "es2022", "--strict", "--skipLibCheck", "--lib", "es2022,dom"]
    status, said = run(folder, ["tsc", *options, "first_call.ts"], work)
    CHECKS.check(status == 0, "tsc:\n" + said[-3000:])
    host, port = server.address()
    CHECKS.check(host == "127.0.0.1", "the server is on 127.0.0.1")
    done = subprocess.run(["node", "first_call.js", f"http://{PRIMARY}:{port}", "alice", SECRETS["alice"]], cwd=work, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    CHECKS.check(done.returncode == 0, "the first call:\n" + done.stdout + done.stderr)


def script(folder, work, name, *arguments):
    shutil.copy(os.path.join(HERE, name), work)
    os.symlink(os.path.join(folder, "node_modules"), os.path.join(work, "node_modules"))
    done = subprocess.run(["node", name, *arguments], cwd=work, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    CHECKS.check(done.returncode == 0, f"{name}:\n" + done.stdout + done.stderr)


def openid(folder, server, work):
    """openid-client as a third-party client of two tenants."""
    script(folder, work, "openid_client.mjs", str(server.address()[1]), json.dumps(SECRETS))


def browser(folder, server, work):
    """A person at the login page with Chromium. PATCHBAY_SCREENSHOTS=FOLDER keeps pictures of the pages."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        print("skipped: there is no chromium")
        sys.exit(SKIPPED)
    pictures = os.environ.get("PATCHBAY_SCREENSHOTS")
    script(folder, work, "login_page.mjs", str(server.address()[1]), json.dumps(SECRETS), program, *([pictures] if pictures else []))


class Prism:
    """Prism between client and server; reports what of a response the document does not say in the header sl-violations."""

    def __init__(self, folder, document, upstream):
        self.process = subprocess.Popen(
            [os.path.join(folder, "node_modules/.bin/prism"), "proxy", document, upstream, "--port", "0", "--host", "127.0.0.1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines = []
        self.address = None
        for line in self.process.stdout:
            self.lines.append(line)
            if "listening on" in line:
                self.address = line.split("http://", 1)[1].split()[0].rstrip("/\x1b[0m")
                break
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True).start()

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=LIMIT_S)


def prism(folder, server, work):
    """Each operation's example and a missing object through the proxy: no response violates the document."""
    host, port = server.address()
    proxy = Prism(folder, document_file(server, work), f"http://{PRIMARY}:{port}")
    if not CHECKS.check(proxy.address is not None, "prism did not start:\n" + "".join(proxy.lines)):
        return
    try:
        admin = bearer(server.token("alice", PRIMARY))
        server.addresses["prism"] = proxy.address
        asked = 0
        for operation in Document(server.ask("GET", "/openapi.json").json()).operations:
            if {"101", "206"} & set(operation.node["responses"]):
                continue
            for credentials in (admin, {}):
                target = operation.path.replace("{", "").replace("}", "")
                required = "&".join(f"{one['name']}={one['schema'].get('enum', ['x'])[0]}" for one in operation.parameters("query") if one.get("required"))
                body = operation.body_example()
                answer = server.ask(operation.method, target + ("?" + required if required else ""), json.dumps(body) if body is not None else None,
                                    {**credentials, "Content-Type": "application/json", "Accept": "*/*"}, listener="prism")
                asked += 1
                violations = json.loads(answer.headers.get("sl-violations", "[]"))
                wrong = [one for one in violations if one.get("location", [""])[0] == "response"]
                CHECKS.check(not wrong, f"{operation} ({answer.status}): {json.dumps(wrong)[:600]}")
        CHECKS.check(asked > 40, f"only {asked} requests")
    finally:
        proxy.close()


def main():
    folder, tool = sys.argv[1], sys.argv[2]
    server = Server(sys.argv[3], sys.argv[4])
    work = tempfile.mkdtemp(prefix="patchbay-npm-")
    try:
        {"redocly": redocly, "client": client, "prism": prism, "openid": openid, "browser": browser}[tool](folder, server, work)
    finally:
        CHECKS.check(server.close() == 0, "the server ends orderly")
        shutil.rmtree(work, ignore_errors=True)
    CHECKS.exit()


main()
