"""A slow cable between two network devices: packets are late by a fixed time and leave at a fixed rate.

    wire.py DELAY_SECONDS BYTES_A_SECOND DEVICE PID DEVICE PID

Each DEVICE is made in the network namespace of the process PID, which its packets seem to come from. It is what `tc qdisc
add ... netem delay rate` does; the kernel's netem is a module that many machines lack, a TUN device is nearly everywhere.
The word "ready" is printed when both devices are there. SIGUSR1 cuts the cable without a word to either side.
"""

import collections
import ctypes
import fcntl
import os
import select
import signal
import struct
import sys
import time

TUNSETIFF, TAP_WITHOUT_HEADER = 0x400454CA, 0x0002 | 0x1000
CLONE_NEWNET = 0x40000000
LONGEST_QUEUE = 1 << 20  # bytes under way in one direction; what comes then is dropped, as a switch does


def enter(namespace):
    """Makes a network namespace that of this process."""
    if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "cannot enter a network namespace")


def device(name, pid):
    """A TAP device in the network namespace of `pid`."""
    with open("/proc/self/ns/net", "rb") as own, open(f"/proc/{pid}/ns/net", "rb") as its:
        enter(its)
        file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", name.encode(), TAP_WITHOUT_HEADER))
        enter(own)
    return file


class Direction:
    """Packets on their way from one device to the other, each with the time at which it is through."""

    def __init__(self, source, target, delay, rate):
        self.source, self.target, self.delay, self.rate = source, target, delay, rate
        self.packets, self.bytes, self.free_at = collections.deque(), 0, 0.0

    def take(self):
        while True:
            try:
                packet = os.read(self.source, 65536)
            except BlockingIOError:
                return
            if self.bytes + len(packet) > LONGEST_QUEUE:
                continue
            self.free_at = max(self.free_at, time.monotonic()) + len(packet) / self.rate
            self.packets.append((self.free_at + self.delay, packet))
            self.bytes += len(packet)

    def deliver(self):
        """Hands over what is through; seconds until the next one is."""
        while self.packets and self.packets[0][0] <= time.monotonic():
            _, packet = self.packets.popleft()
            self.bytes -= len(packet)
            try:
                os.write(self.target, packet)
            except OSError:
                pass  # a device that is down takes nothing
        return max(0.0, self.packets[0][0] - time.monotonic()) if self.packets else 1.0


def main():
    delay, rate = float(sys.argv[1]), float(sys.argv[2])
    ends = [device(sys.argv[i], int(sys.argv[i + 1])) for i in (3, 5)]
    directions = [Direction(ends[0], ends[1], delay, rate), Direction(ends[1], ends[0], delay, rate)]
    signal.signal(signal.SIGUSR1, lambda *_: directions.clear())
    print("ready", flush=True)
    while directions:
        wait = min(direction.deliver() for direction in directions)
        select.select(ends, [], [], wait)
        for direction in list(directions):
            direction.take()
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
