"""A webhook receiver: keeps the deliveries it gets, and answers as a test wants."""

import http.server
import json
import threading


class Delivery:
    def __init__(self, path, headers, body):
        self.path = path
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.body = body

    def json(self):
        return json.loads(self.body)


class Receiver:
    """`answer(delivery)`: a status, or (status, headers, body)."""

    def __init__(self, answer=lambda delivery: 204):
        self.deliveries = []
        self.changed = threading.Condition()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                delivery = Delivery(self.path, self.headers, self.rfile.read(int(self.headers.get("Content-Length", 0))))
                with receiver.changed:
                    receiver.deliveries.append(delivery)
                    receiver.changed.notify_all()
                said = answer(delivery)
                status, headers, body = said if isinstance(said, tuple) else (said, {}, b"")
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    if "Content-Length" not in headers:
                        self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass  # the sender has gone

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait_for(self, count, path=None, timeout=60):
        """The deliveries (to that path) once there are so many; fewer after the time-out."""
        def mine():
            return [one for one in self.deliveries if path is None or one.path == path]
        with self.changed:
            self.changed.wait_for(lambda: len(mine()) >= count, timeout=timeout)
            return mine()
