"""Stored results of any shape, without the kernels."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from kernels.accounting.composition import Composition
from kernels.accounting.result import PlanFigures
from kernels.accounting.settings import Settings
from workflow.digests import content_key
from workflow.results.curves import Header, Identity, StoredResult

SETTINGS = Settings((Fraction(1, 10**6), Fraction(1, 10**300)), thresholds=401, eps_points=5)
HEADER = Header("made_up", "bounded", "name: made_up # π\n", SETTINGS, created_by={"python": "3"})


def stored(
    identity: Identity, seed: int = 0, rho: Fraction | None = None, cpu_seconds: float = 0.5
) -> StoredResult:
    """A result that nothing computed: random arrays, with values that a careless store would spoil."""
    random = np.random.default_rng(seed)
    composition = Composition.from_counts({rho or Fraction(1, 3 + seed): 2, Fraction(22, 7): 1})
    m, k, d = SETTINGS.thresholds, SETTINGS.eps_points, len(SETTINGS.deltas)
    tiny = random.random((m, 3)) * [1.0, 2.0**-60, 2.0**-120]
    tiny[0] = [5e-324, -0.0, 0.0]
    epsilon = random.random((d, 3))
    epsilon[-1] = np.inf
    return StoredResult(
        identity=identity,
        key=content_key(composition, SETTINGS),
        composition=composition,
        deltas=SETTINGS.deltas,
        summary=PlanFigures(
            lattice=Fraction(1, 21),
            total_rho=composition.total_rho,
            nodes=10**40 + 1,
            survivors=203,
            survivors_half=102,
            truncation_bound=1e-36,
            sieve_bound=2e-36,
            rounding_bound=3e-36,
            total_bound=6e-36,
            distinct_rhos=len(composition.cells),
            cells=composition.size,
        ),
        threshold_first=Fraction(-10, 3),
        threshold_step=Fraction(1, 7),
        threshold=np.linspace(-10 / 3, 1, m),
        alpha=tiny,
        beta=random.random((m, 3)),
        absolute_bound=9.5e-36,
        eps=random.random(k),
        delta=random.random(k),
        log10_delta=-400 * random.random(k),
        relative_bound=random.random(k),
        epsilon=epsilon,
        reduction=random.random((d, 3)),
        eps_zcdp=random.random((d, 3)),
        scale=random.random((d, 3)),
        cpu_seconds=cpu_seconds,
    )
