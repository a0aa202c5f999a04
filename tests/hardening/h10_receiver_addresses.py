"""H10: addresses that a webhook must not reach, in every spelling."""

from main import run
from receiver import Receiver
from server import API, THIRD, bearer

# third.example does not allow private receivers.
REFUSED = [
    "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://0/", "http://0.0.0.0/", "http://localhost/",
    "http://LOCALHOST./", "http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/", "http://[::127.0.0.1]/",
    "http://[fe80::1]/", "http://[fe80::1%25lo]/", "http://[fc00::1]/", "http://[fec0::1]/", "http://[2002:7f00:1::]/", "http://10.0.0.1/", "http://172.16.0.1/",
    "http://192.168.1.1/", "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://100.64.0.1/", "http://198.18.0.1/", "http://192.0.2.1/",
    "http://224.0.0.1/", "http://255.255.255.255/", "http://[ff02::1]/",
]
MALFORMED = [
    "file:///etc/passwd", "gopher://127.0.0.1:25/x", "ftp://example.com/", "dict://example.com/", "javascript:alert(1)", "//example.com/", "example.com", "",
    "http://", "http:///x", "http://user:pass@example.com/", "http://user@example.com/", "http://example.com@127.0.0.1/", "http://example.com:99999/", "http://example.com:0/",
    "http://example.com:x/", "http://exa mple.com/", "http://example.com/\r\nX-A: b", "http://example.com/%0d%0a\n", "http://example.com\\@127.0.0.1/", "http://[::1/",
    "http://exam\u0000ple.com/", "https://example.com/" + "a" * 5000,
]


def check(server, checks):
    admin = bearer(server.token("erin", THIRD))
    receiver = Receiver()
    port = receiver.server.server_port

    def create(url):
        return server.ask("POST", API + "/admin/webhooks", {"url": url, "events": ["*"]}, admin, THIRD)

    for url in MALFORMED:
        answer = create(url)
        checks.check(answer.status == 400 and "url" in answer.body.decode(), f"{url[:40]!r}: {answer.status} {answer.body[:120]!r}")
        checks.check("pass" not in answer.body.decode() and "mple" not in answer.body.decode().replace("example", ""), f"{url[:40]!r}: the error repeats it")
    ids = {}
    for url in REFUSED:
        url = with_port(url, port)
        answer = create(url)
        if answer.status == 201:  # refused when it is connected to, if not before
            ids[answer.json()["id"]] = url
        else:
            checks.check(answer.status == 400, f"{url}: {answer.status}")
    for one, url in ids.items():
        server.ask("POST", f"{API}/admin/webhooks/{one}/test", None, admin, THIRD)
    for one, url in ids.items():
        wait_for_failure(server, checks, admin, one, url)
    checks.check(not receiver.deliveries, f"reached: {[one.headers['host'] for one in receiver.deliveries]}")


def with_port(url, port):
    scheme, rest = url.split("://", 1)
    host, path = rest.split("/", 1)
    return f"{scheme}://{host}:{port}/{path}"


def wait_for_failure(server, checks, admin, one, url):
    import time
    end = time.monotonic() + 60
    while time.monotonic() < end:
        items = server.ask("GET", f"{API}/admin/webhooks/{one}/deliveries", None, admin, THIRD).json()["data"]
        if items and items[0].get("attempts", items[0].get("attempt", 0)):
            checks.check(not 200 <= (items[0].get("lastStatus") or 0) < 300, f"{url}: delivered")
            return
        time.sleep(0.1)
    checks.check(False, f"{url}: no attempt was recorded")


run(check)
