#!/usr/bin/env python3
"""A shop that takes its time, redirects to its home at its makers' until it is told its address, and serves /admin."""
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

LOG = Path("/told")


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        told = LOG.read_text()
        self.send_response(200 if "base-url" in told and "cache:flush" in told else 503)
        self.end_headers()
        self.wfile.write(f"shop at {self.path}, told: {told}".encode())


time.sleep(1.5)
LOG.write_text("")
HTTPServer(("", 80), Shop).serve_forever()
