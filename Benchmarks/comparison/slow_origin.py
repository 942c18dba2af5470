"""An origin that takes its time, counts its requests and knows when its last byte left."""

import socketserver
import threading
import time

from . import processes


class SlowOrigin(socketserver.ThreadingTCPServer):
    """Answers each request after `delay` seconds with `body`; a thread a connection, one request each."""

    allow_reuse_address, daemon_threads, request_queue_size = True, True, 4096

    def __init__(self, body, delay=0.5):
        super().__init__(("127.0.0.1", processes.free_port()), _Connection)
        self.body, self.delay = body, delay
        self.lock = threading.Lock()
        self.forget()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        """Where it listens."""
        return self.server_address[1]

    def forget(self):
        """Begins a new count."""
        with self.lock:
            self.requests, self.last_byte = 0, 0.0

    def handle_error(self, request, client_address):
        """A proxy that closes early shows in the proxy's own answers."""


class _Connection(socketserver.StreamRequestHandler):
    def handle(self):
        while self.rfile.readline() not in (b"\r\n", b""):
            pass
        with self.server.lock:
            self.server.requests += 1
        time.sleep(self.server.delay)
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: max-age=3600\r\n"
                         b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(self.server.body))
        self.wfile.write(self.server.body)
        with self.server.lock:
            self.server.last_byte = time.monotonic()
