"""MPI task farm: ranks take items as they become free, rank 0 hands them out and collects the results.

Rank 0 computes too, but only light items and only when no message waits, so that it soon answers the others.
Every other rank holds one heavy item and, while plenty of work is left, one light item to go on with until
rank 0 has answered. Heavy items come first. Near the end nobody holds more than the item that it computes.

What a first item needs to load or to compile is done before: by one rank of each node, then by the node's
others, who find it in the cache.

Waiting is done by probing and short sleeps: a blocking receive of most MPI libraries keeps a core busy.
"""

from __future__ import annotations

import logging
import os
import resource
import signal
import socket
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from kernels.errors import Refused
from workflow.errors import PlainError

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_HEAVY, _LIGHT, _WARM_UP, _STOP = range(1, 5)  # kinds of messages
_FORWARDING = 1.0  # seconds; a launcher drops what it has not passed on when it hears of the abort
_UNHEARD = 2  # seconds until a rank ends by itself; srun ignores the abort of a job that is being cancelled
_PROBES = 4  # the first one may only move a message along and report it the next time
_SHORTEST_SLEEP, _LONGEST_SLEEP = 0.0001, 0.005  # seconds


@dataclass(frozen=True, slots=True)
class Rank:
    """What one rank did: number of items, and CPU seconds of the whole process and its children, from its
    start; and on which node."""

    items: int
    cpu_seconds: float
    node: str


def run(
    communicator: Any,
    items: Sequence[Item],
    work: Callable[[Item], Answer],
    collect: Callable[[int, Answer, float], None],
    on_error: Callable[[str], None] = lambda text: None,
    on_start: Callable[[int, int], None] = lambda index, rank: None,
) -> list[Rank]:
    """Compute work(item) for every item on the ranks of `communicator` (None: in this process alone).

    All ranks call it. `items` (heaviest first), `collect` and `on_start` count on rank 0 only, where
    on_start(index, rank) is called when a rank is given an item, and collect(index, answer, cpu_seconds) once
    per item, in order of completion. Which rank computes an item is not determined, so `work` must not depend
    on it. Several ranks warm up with the last item, the lightest, whose answer they drop.

    Returns what every rank did, on rank 0; an empty list elsewhere. An exception on any rank ends all ranks
    within seconds, after its traceback, or the one line of a PlainError, was printed and given to `on_error`;
    in one process alone it is just raised.
    """
    if communicator is None or communicator.size == 1:
        for index, item in enumerate(items):
            on_start(index, 0)
            collect(index, *_timed(work, item))
        return [Rank(len(items), cpu_seconds(), node_name())]
    with _abort_all(communicator, on_error):
        nodes = communicator.gather(node_name())
        if communicator.rank > 0:
            _follow(communicator, work)
            return []
        log.info("ranks on nodes: %s", " ".join(nodes))
        others = range(1, communicator.size)
        for rank in others if items else ():
            communicator.send(items[-1], dest=rank, tag=_WARM_UP)
        if items:
            _warm_up(communicator, work, items[-1])
        done = _Leader(communicator, items, work, collect, on_start).run()
        for rank in others:
            communicator.send(None, dest=rank, tag=_STOP)
        cpu = [cpu_seconds(), *(_receive(communicator, rank)[0] for rank in others)]
        return [Rank(*columns) for columns in zip(done, cpu, nodes, strict=True)]


def node_name() -> str:
    """The node's name in Slurm, elsewhere the host's."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def cpu_seconds() -> float:
    """User and system CPU seconds of this process and its finished children, from its start."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class _Leader(Generic[Item, Answer]):
    """Rank 0: hands out, collects, and computes light items in between."""

    def __init__(
        self,
        communicator: Any,
        items: Sequence[Item],
        work: Callable[[Item], Answer],
        collect: Callable[[int, Answer, float], None],
        on_start: Callable[[int, int], None],
    ) -> None:
        self.communicator = communicator
        self.work = work
        self.collect = collect
        self.on_start = on_start
        self.queue = deque(enumerate(items))
        self.held = [0] * communicator.size
        self.done = [0] * communicator.size
        self.arriving: list[tuple[int, Any]] = []  # rank and request of answers on their way

    def run(self) -> list[int]:
        """Compute all items; returns the number of items of every rank."""
        others = range(1, self.communicator.size)
        for rank in others:
            self._hand_out(rank, heavy=True)
        for rank in others:
            self._hand_out(rank, heavy=False)
        waits = _sleeps()
        while self.queue or self.arriving or any(self.held):
            if self._notice_answer() or self._take_answers():
                waits = _sleeps()
            elif self.queue:
                index, item = self.queue.pop()
                self.on_start(index, 0)
                self._collected(0, index, *_timed(self.work, item))
            else:
                time.sleep(next(waits))
        return self.done

    def _hand_out(self, rank: int, heavy: bool) -> None:
        """The next heavy item, if any; or a light one, if the rank has nothing or there is plenty."""
        if not self.queue or (self.held[rank] and len(self.queue) <= self.communicator.size):
            return
        index, item = self.queue.popleft() if heavy else self.queue.pop()
        self.held[rank] += 1
        self.on_start(index, rank)
        self.communicator.send((index, item), dest=rank, tag=_HEAVY if heavy else _LIGHT)

    def _notice_answer(self) -> bool:
        """Begin to receive one answer and hand out the next item; False when no answer waits."""
        status = _mpi().Status()
        for _ in range(_PROBES):
            message = self.communicator.improbe(status=status)
            if message is not None:
                break
        else:
            return False
        rank = status.Get_source()
        self.arriving.append((rank, message.irecv()))
        self.held[rank] -= 1
        self._hand_out(rank, heavy=status.Get_tag() == _HEAVY)
        return True

    def _take_answers(self) -> bool:
        """Collect the answers that have arrived whole; False when there is none."""
        arriving, self.arriving = self.arriving, []
        for rank, request in arriving:
            whole, answer = request.test()
            if whole:
                self._collected(rank, *answer)
            else:
                self.arriving.append((rank, request))
        return len(self.arriving) < len(arriving)

    def _collected(self, rank: int, index: int, answer: Answer, seconds: float) -> None:
        self.done[rank] += 1
        self.collect(index, answer, seconds)


def _follow(communicator: Any, work: Callable[[Any], Any]) -> None:
    """Any other rank: compute what rank 0 hands out until it says stop.

    An answer leaves while the next item is computed: rank 0 may be busy, and waiting for it would be idling.
    """
    leaving: list[Any] = []
    while True:
        task, tag = _receive(communicator, 0)
        if tag == _STOP:
            break
        if tag == _WARM_UP:
            _warm_up(communicator, work, task)
            continue
        index, item = task
        leaving = [request for request in leaving if not request.test()[0]]
        leaving.append(communicator.isend((index, *_timed(work, item)), dest=0, tag=tag))
    for request in leaving:
        request.wait()
    communicator.send(cpu_seconds(), dest=0, tag=_STOP)


def _warm_up(communicator: Any, work: Callable[[Any], Any], item: Any) -> None:
    """Compute an item for what it loads and compiles: first one rank of each node, then the node's others."""
    node = communicator.Split_type(_mpi().COMM_TYPE_SHARED)
    if node.rank == 0:
        work(item)
    request, waits = node.Ibarrier(), _sleeps()
    while not request.Test():
        time.sleep(next(waits))
    if node.rank > 0:
        work(item)
    node.Free()


def _receive(communicator: Any, source: int) -> tuple[Any, int]:
    """The next message from a rank and its tag, waiting without keeping a core busy."""
    status = _mpi().Status()
    waits = _sleeps()
    while (message := communicator.improbe(source, status=status)) is None:
        time.sleep(next(waits))
    return message.recv(), status.Get_tag()


def _mpi() -> Any:
    from mpi4py import MPI  # starts MPI, which one process alone can do without

    return MPI


def _timed(work: Callable[[Item], Answer], item: Item) -> tuple[Answer, float]:
    start = time.process_time()
    answer = work(item)
    return answer, time.process_time() - start


def _sleeps() -> Iterator[float]:
    """Growing pauses in seconds."""
    pause = _SHORTEST_SLEEP
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_SLEEP)


@contextmanager
def _abort_all(communicator: Any, on_error: Callable[[str], None]) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        plain = isinstance(error, PlainError | Refused)
        told = f" {type(error).__name__}: {error}" if plain else f"\n{traceback.format_exc()}"
        text = f"rank {communicator.rank} of {communicator.size} failed:{told}"
        try:
            print(text, file=sys.stderr, flush=True)
            on_error(text)
            time.sleep(_FORWARDING)
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(_UNHEARD)
            communicator.Abort(1)
        raise
