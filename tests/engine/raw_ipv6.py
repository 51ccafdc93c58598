"""Fetch a page from the gateway's IPv6 link-local address by raw frames; `raw_ipv6.py PORT`, run inside a container.

Needs CAP_NET_RAW and nothing of the kernel's own IPv6, which may be off where this runs. Prints what came, or why
nothing could be sent.
"""

import os
import socket
import struct
import sys
import time

PORT = int(sys.argv[1])
SOURCE_PORT = 40000 + os.getpid() % 20000
US = bytes.fromhex("fe80000000000000") + os.urandom(8)
SYN, ACK, PUSH = 0x02, 0x10, 0x08


def gateway():
    """Give the first address of our network of sixteen, and the MAC that answers for it."""
    own = struct.unpack("!I", socket.inet_aton(socket.gethostbyname(socket.gethostname())))[0]
    there = socket.inet_ntoa(struct.pack("!I", (own & ~15) + 1))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.sendto(b"x", (there, 9))
    ends_at = time.monotonic() + 10
    while time.monotonic() < ends_at:
        with open("/proc/net/arp") as table:
            for line in table:
                words = line.split()
                if words[0] == there and words[3] != "00:00:00:00:00:00":
                    return bytes.fromhex(words[3].replace(":", ""))
        time.sleep(0.05)
    sys.exit("no gateway")


def checksum(kind, data, source, target):
    """Sum up as TCP and ICMPv6 do, with the head of pretence before it."""
    text = source + target + struct.pack("!II", len(data), kind) + data + b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(text) // 2}H", text))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


class Wire:
    def __init__(self, interface="eth0"):
        self.raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x86DD))
        self.raw.bind((interface, 0x86DD))
        self.raw.settimeout(0.2)
        self.mac = self.raw.getsockname()[4]
        self.there = gateway()
        flipped = bytes([self.there[0] ^ 2]) + self.there[1:3] + b"\xff\xfe" + self.there[3:]
        self.target = bytes.fromhex("fe80000000000000") + flipped

    def send(self, kind, data, at):
        data = data[:at] + struct.pack("!H", checksum(kind, data, US, self.target)) + data[at + 2 :]
        head = struct.pack("!IHBB", 6 << 28, len(data), kind, 255) + US + self.target
        self.raw.send(self.there + self.mac + b"\x86\xdd" + head + data)

    def introduce(self):
        """Solicit the gateway, which notes our MAC, and advertise it, which confirms that."""
        self.send(58, struct.pack("!BBHI", 135, 0, 0, 0) + self.target + b"\1\1" + self.mac, 2)
        self.send(58, struct.pack("!BBHI", 136, 0, 0, 0x60000000) + US + b"\2\1" + self.mac, 2)

    def tcp(self, flags, number, confirmed, data=b""):
        head = struct.pack("!HHIIBBHHH", SOURCE_PORT, PORT, number, confirmed, 5 << 4, flags, 65535, 0, 0)
        self.send(6, head + data, 16)

    def answers(self, seconds):
        """Yield flags, number and data of segments for us, answering who asks for our MAC; None in a silence."""
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at:
            try:
                packet = self.raw.recv(65535)[14:]
            except TimeoutError:
                yield None, 0, b""
                continue
            kind, data = packet[6], packet[40 : 40 + struct.unpack("!H", packet[4:6])[0]]
            if kind == 58 and data[:1] == b"\x87":
                self.introduce()
            if kind == 6 and struct.unpack("!HH", data[:4]) == (PORT, SOURCE_PORT):
                yield data[13], struct.unpack("!I", data[4:8])[0], data[(data[12] >> 4) * 4 :]


def main():
    try:
        wire = Wire()
    except PermissionError as error:
        print("no raw socket:", error)
        return
    page, number = b"", 1000
    for flags, theirs, data in wire.answers(5):  # a new address answers after a second or two
        if flags is None:
            wire.introduce()
            wire.tcp(SYN, number, 0)
        elif flags & SYN:
            wire.tcp(ACK, number + 1, theirs + 1)
            wire.tcp(ACK | PUSH, number + 1, theirs + 1, b"GET /by-raw-frames HTTP/1.0\r\n\r\n")
        elif data:
            page += data
            if b"by-raw-frames" in page:
                break
    print("page:", page.decode(errors="replace").replace("\r\n", " ") or "none")


main()
