"""A crowd that uses one book at once, and is killed: python crowd.py URL FOLDER PROCESSES ANSWERS SEED.

Everybody notes what the book answered, after it answered. The parent kills at random moments, and replaces who died,
until there are so many answers.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from gaussdp import GDP, BudgetExceeded, Ledger

SHARE = GDP(0.1)


def member(url, notes, seed):
    """Reserve, then commit, refund or leave it, over and over."""
    chance, number = random.Random(seed), 0
    book = Ledger.open(url, timeout=60.0)
    with notes.open("a") as out:

        def note(*words):
            out.write(" ".join(words) + "\n")
            out.flush()

        while True:
            number += 1
            key, budget = f"{notes.stem}-{seed}-{number}", chance.choice(["left", "right"])
            try:
                book.reserve(budget, SHARE, key=key)
            except BudgetExceeded:
                note("refused", key)
                continue
            note("reserved", key)
            what = chance.random()
            if what < 0.4:
                book.commit(key)
                note("committed", key)
            elif what < 0.8:
                book.refund(key, reason="nothing came out")
                note("refunded", key)


def main(url, folder, processes, answers, seed):
    chance, children = random.Random(seed), {}

    def start(place):
        child = os.fork()
        if child == 0:
            try:
                member(url, Path(folder) / f"{place}.txt", chance.random())
            finally:
                os._exit(1)
        children[child] = place

    Ledger.open(url).close()  # what it imports is shared by all children
    for place in range(int(processes)):
        start(place)
    heard, kill_at = 0, 0
    while heard < int(answers):
        time.sleep(chance.expovariate(100.0))
        heard = sum(file.read_bytes().count(b"\n") for file in Path(folder).glob("*.txt"))
        if heard < kill_at:
            continue
        kill_at = heard + chance.randrange(12)
        victim = chance.choice(sorted(children))
        os.kill(victim, signal.SIGKILL)
        _, status = os.waitpid(victim, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(f"process {victim} had ended by itself")
        chance.random()
        start(children.pop(victim))
    for child in children:
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(f"process {child} had ended by itself")


if __name__ == "__main__":
    main(*sys.argv[1:])
