"""Waiting for a process to be at work, however busy the machine is."""

import os
import time


def use_processor(process, seconds):
    """Wait until a process has used so many CPU seconds: its search goes on by then."""
    used = 0
    while process.poll() is None and used < seconds * os.sysconf("SC_CLK_TCK"):
        time.sleep(0.05)
        with open(f"/proc/{process.pid}/stat") as stat:
            used = sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))
