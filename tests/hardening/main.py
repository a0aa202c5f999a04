"""Runs a script of this folder: SCRIPT PROGRAM PLUGINS."""

import sys

from server import Checks, Server


def run(check, **options):
    """Calls check(server, checks) with a fresh server, which must survive it and end orderly. Never returns."""
    checks = Checks()
    server = Server(sys.argv[1], sys.argv[2], **options)
    try:
        check(server, checks)
        checks.check(server.process.poll() is None, "the server runs on")
        if server.process.poll() is None:
            checks.check(server.ask("GET", "/api.ashx/v1").status == 200, "the server answers afterwards")
    finally:
        status = server.close()
    checks.check(status == 0, f"the server ends with {status}:\n{server.log()[-1500:] if status else ''}")
    for word in ("AddressSanitizer", "runtime error:", "ThreadSanitizer"):
        checks.check(word not in server.log(), f"the log has {word}")
    checks.exit()
