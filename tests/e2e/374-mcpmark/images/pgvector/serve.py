#!/usr/bin/env python3
"""Refuses to start without a password, as PostgreSQL's image does, takes its time, and says what it is."""
import os
import socket
import time

who = [os.environ[f"POSTGRES_{name}"] for name in ("USER", "PASSWORD", "DB")]
time.sleep(1.5)
with socket.create_server(("", 5432)) as server:
    while True:
        connection, _ = server.accept()
        with connection:
            connection.sendall(f"database {who[2]} of {who[0]}\n".encode())
