"""Progress of a batch on standard error: a bar on a terminal, now and then a plain line elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Literal, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Mode = Literal["auto", "bar", "lines"]
LINE_INTERVAL = 10.0  # seconds between plain lines


class BatchProgress:
    """Counts finished items; the bar and the remaining time go by their predicted cost.

    mode: "auto" looks whether standard error is a terminal. Below mpiexec it never is, so whoever starts
    mpiexec from a terminal says "bar".
    """

    def __init__(self, title: str, items: int, cost: float, mode: Mode = "auto") -> None:
        self._title = title
        self._items = items
        self._cost = cost or 1.0
        self._done = 0
        self._done_cost = 0.0
        self._last = self._start = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if mode == "bar" or (mode == "auto" and sys.stderr.isatty()):
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[count]}"),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                console=Console(file=sys.stderr, force_terminal=True),
                auto_refresh=False,
            )
            self._task = self._bar.add_task(title, total=self._cost, count=self._count())

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        else:
            self._line()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif kind is None:
            self._line()

    def advance(self, cost: float) -> None:
        """One more item of this predicted cost is done."""
        self._done += 1
        self._done_cost = self._cost if self._done == self._items else self._done_cost + cost
        now = time.monotonic()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done_cost, count=self._count())
            if now - self._last >= 0.1 or self._done == self._items:
                self._bar.refresh()
                self._last = now
        elif now - self._last >= LINE_INTERVAL:
            self._line()
            self._last = now

    def _count(self) -> str:
        return f"{self._done}/{self._items}"

    def _line(self) -> None:
        share = 100 * self._done_cost / self._cost if self._items else 100
        seconds = time.monotonic() - self._start
        print(
            f"{self._title}: {self._count()} done, {share:.0f} % of the work, {seconds:.0f} s",
            file=sys.stderr,
            flush=True,
        )
