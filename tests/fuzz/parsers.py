"""Broken input to every reader: `python -m tests.fuzz.parsers --runs 1000000`.

Only the project's own errors may come out, each of one printable line. What else comes out is kept in OUT, by
kind of error, with its traceback. Interesting inputs are kept to be changed further: those that
were read, and those refused with a message not seen before.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from click import BadParameter

from tests.fuzz.mutate import mutated
from tests.fuzz.targets import EXPECTED, Target, targets
from workflow.words import one_line

SLOW = 5.0  # seconds for one input
_KEPT = 400  # inputs by reader
_MEMORY = 4 << 30
_LARGEST = 20_000  # bytes of an input that is changed further


@dataclass
class Outcome:
    """Counts by reader; faults: kind of error -> (reader, input, traceback)."""

    runs: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    messages: dict[str, set[str]] = field(default_factory=dict)
    faults: dict[str, tuple[str, bytes, str]] = field(default_factory=dict)
    slowest: float = 0.0


class Fuzzer:
    """Feeds one reader after the other."""

    def __init__(self, readers: dict[str, Target], seed: int, out: Path | None = None) -> None:
        self.readers = readers
        self._out = out
        self.rng = random.Random(seed)
        self.outcome = Outcome()
        self._kept = {name: list(target.seeds) for name, target in readers.items()}
        self._names = list(readers)
        self._weights = [target.weight for target in readers.values()]

    def step(self, name: str | None = None) -> None:
        """One input, to the reader of this name or to any."""
        name = name or self.rng.choices(self._names, self._weights)[0]
        target, kept = self.readers[name], self._kept[name]
        binary = target.seeds[0].startswith(b"\x89HDF")
        start = self.rng.choice(target.seeds if self.rng.random() < 0.5 else kept)
        data = mutated(self.rng, start, target.seeds, words=not binary)
        if self.feed(name, data) and len(data) <= _LARGEST and not binary:
            if len(kept) < _KEPT:
                kept.append(data)
            else:
                kept[self.rng.randrange(len(target.seeds), _KEPT)] = data

    def feed(self, name: str, data: bytes) -> bool:
        """Give an input to a reader. Returns whether the outcome is a new one."""
        outcome = self.outcome
        outcome.runs[name] += 1
        started = time.perf_counter()
        try:
            self.readers[name].read(data)
            outcome.read[name] += 1
            return self.rng.random() < 0.02
        except EXPECTED as error:
            line = one_line(error.format_message()) if isinstance(error, BadParameter) else str(error)
            if not line.isprintable() or not line.strip() or len(line) > 3000:
                self._fault(f"message {type(error).__name__}", name, data, repr(line))
            known = outcome.messages.setdefault(name, set())
            shape = re.sub(r"'[^']*'|\"[^\"]*\"|[0-9]+", "#", line)[-100:]
            new = shape not in known
            if new and len(known) < 5000:
                known.add(shape)
            return new
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            place = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} {Path(place.filename).name}:{place.lineno}"
            self._fault(kind, name, data, traceback.format_exc())
            return False
        finally:
            took = time.perf_counter() - started
            outcome.slowest = max(outcome.slowest, took)
            if took > SLOW:
                self._fault(f"slow {name}", name, data, f"{took:.1f} s")

    def _fault(self, kind: str, name: str, data: bytes, told: str) -> None:
        if kind not in self.outcome.faults:
            self.outcome.faults[kind] = (name, data, told)
            if self._out is not None:
                number = len(self.outcome.faults)
                (self._out / f"{number}.input").write_bytes(data)
                (self._out / f"{number}.txt").write_text(f"{kind}\n{name}\n{told}")


def main() -> int:
    """Feed all readers, say what came out, keep what should not have. Returns 1 when there is any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--reader", help="one reader instead of all")
    parser.add_argument("--out", type=Path, default=Path("results/fuzz/parsers"))
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # told to stop, it says what came out so far
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    given.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(targets(Path(folder)), given.seed, given.out)
        with suppress(KeyboardInterrupt):
            for number in range(given.runs):
                if number % 1000 == 0:
                    (given.out / "last.json").write_text(json.dumps([number, len(fuzzer.outcome.faults)]))
                fuzzer.step(given.reader)
    outcome = fuzzer.outcome
    for name, runs in outcome.runs.most_common():
        messages = len(outcome.messages.get(name, ()))
        print(f"{name}: {runs} inputs, {outcome.read[name]} read, {messages} kinds of messages")
    for number, (kind, (name, _, _)) in enumerate(outcome.faults.items(), start=1):
        print(f"fault {number}: {kind} ({name})")
    print(f"inputs: {sum(outcome.runs.values())}, faults: {len(outcome.faults)}, ", end="")
    print(f"slowest {outcome.slowest:.2f} s, seconds: {time.monotonic() - started:.0f}")
    return int(bool(outcome.faults))


if __name__ == "__main__":
    sys.exit(main())
