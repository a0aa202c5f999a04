#!/usr/bin/python3
"""An SMTP server for tests, with aiosmtpd, the SMTP library of GNU Mailman.

Writes each message to <folder>/<n>.eml and its envelope to <n>.json. The local part of a recipient asks for a
fault: rcpt-550, data-554 (any code), later-2 (451 for the first two attempts), drop-rcpt, drop-data (the message is
kept, but not acknowledged), hang.
"""
import argparse
import asyncio
import json
import os
import ssl

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        self.tries = {}

    async def handle_RCPT(self, server, session, envelope, address, options):
        fault = address.split("@")[0].split("-")
        if fault[0] == "rcpt":
            return fault[1] + " refused for the test"
        if fault[0] == "drop" and fault[1] == "rcpt":
            server.transport.abort()
        if fault[0] == "hang":
            await asyncio.sleep(600)
        if fault[0] == "later":
            self.tries[address] = self.tries.get(address, 0) + 1
            if self.tries[address] <= int(fault[1]):
                return "451 4.7.1 greylisted"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        fault = envelope.rcpt_tos[0].split("@")[0].split("-")
        if fault[0] == "data":
            return fault[1] + " content refused for the test"
        self.keep(session, envelope)
        if fault[0] == "drop":
            server.transport.abort()
        return "250 2.0.0 kept"

    def keep(self, session, envelope):
        self.count += 1
        name = os.path.join(self.folder, str(self.count))
        about = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "tls": session.ssl is not None,
            "user": session.auth_data.decode() if session.authenticated else "",
            "client": session.host_name,
        }
        with open(name + ".json", "w") as file:
            json.dump(about, file)
        with open(name + ".part", "wb") as file:
            file.write(envelope.original_content)
        os.rename(name + ".part", name + ".eml")


def authenticator(user, password):
    def check(server, session, envelope, mechanism, data):
        fits = data.login == user.encode() and data.password == password.encode()
        return AuthResult(success=fits, handled=False, auth_data=data.login)

    return check


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--certificate")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--user")
    parser.add_argument("--password")
    options = parser.parse_args()
    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate)
    handler = Handler(options.folder)
    settings = {"hostname": "mx.test", "enable_SMTPUTF8": False}
    if context and not options.tls:
        settings.update(tls_context=context, require_starttls=True)
    if options.user:
        settings.update(authenticator=authenticator(options.user, options.password), auth_required=True)
        settings.update(auth_require_tls=not options.tls)
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(handler, **settings), "127.0.0.1", 0, ssl=context if options.tls else None
    )
    with open(os.path.join(options.folder, "port.part"), "w") as file:
        file.write(str(server.sockets[0].getsockname()[1]))
    os.rename(os.path.join(options.folder, "port.part"), os.path.join(options.folder, "port"))
    await server.serve_forever()


asyncio.run(main())
