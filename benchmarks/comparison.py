"""Our kernels against other methods on [M_0, M_0] of the DHC (160 cells), all measured by turns in one run.

python -m benchmarks.comparison [--peer PYTHON] [--repeats 5] [--write docs/performance.md]

PYTHON is the interpreter of an environment with benchmarks/requirements.txt. CPU seconds on one core,
start-up and compilation not counted; ratios are medians over the turns, with the least and the greatest.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import other_methods as other
from benchmarks.measure import by_turns, command_line, cpu_seconds, first_pair, ratios, show, spread
from kernels.accounting.accountant import Accountant
from kernels.accounting.composition import Composition
from kernels.accounting.evaluate import evaluate
from kernels.accounting.settings import Settings
from kernels.accounting.tiers import Tiers
from kernels.numerics.absolute.grid import GridTails, grid_tails

EPS = ("10", "20", "26.34", "30")
GRID = 1e-4
STRIDE = 100  # mpmath is measured on one node of so many
PEER = Path(__file__).with_name("peer.py")


def ours(composition: Composition) -> Callable[[], float]:
    """Seconds of everything: curve, profile on 256 eps, exact eps and reductions at three deltas."""
    return lambda: cpu_seconds(lambda: evaluate([composition], Settings()))


def our_curve(composition: Composition) -> GridTails:
    """The curve alone, plan included."""
    tiers = Tiers(composition)
    return grid_tails([tiers.plan], [tiers.rule])[0]


def curve_difference(composition: Composition, tails: np.ndarray) -> float:
    """Largest difference of P(S >= 1), P(S >= 2), ... as doubles from ours, at our thresholds."""
    curve = our_curve(composition)
    s = (curve.first + curve.step * np.arange(len(curve.upper)) + Tiers(composition).plan.width + 1) // 2
    known = (s >= 1) & (s <= len(tails))
    return float(np.abs(tails[s[known] - 1] - curve.upper[known, 0]).max())


def other_methods(composition: Composition, repeats: int, document: Path | None) -> None:
    plan = Tiers(composition).plan
    rhos = [rho for rho, _ in composition.cells]
    n = other.smooth_modulus(plan)
    one_in = ((n + 1) // 2) / len(range(1, n + 1, 2 * STRIDE))
    by_fft = curve_difference(composition, other.double_curve(plan, n))
    by_convolution = curve_difference(composition, other.double_convolution(composition, plan.spacing))
    _, lost, bits = other.exact_convolution(composition)
    calls = {
        "everything": ours(composition),
        "curve": lambda: cpu_seconds(lambda: our_curve(composition)),
        "mpmath": lambda: one_in * cpu_seconds(lambda: other.mpmath_coefficients(plan, rhos, n, STRIDE)),
        "no sieve": lambda: cpu_seconds(lambda: other.double_curve(plan, n)),
        "double": lambda: cpu_seconds(lambda: other.double_convolution(composition, plan.spacing)),
        "exact": lambda: cpu_seconds(lambda: other.exact_convolution(composition)),
    }
    evaluate([composition], Settings())
    seconds = by_turns(calls, repeats)
    labels = {
        "everything": ("ours: curve, profile on 256 eps, eps and reductions at 3 deltas", "as below"),
        "curve": ("ours: the curve, 1,008 thresholds", f"{our_curve(composition).bound:.1e}, proven"),
        "mpmath": (f"mpmath, 50 digits, one tail, N = {n:,} (from one node in {STRIDE})", "below 1e-35"),
        "no sieve": (f"rule over all N = {n:,} nodes and one FFT, double precision", f"{by_fft:.0e}"),
        "double": ("direct convolution on the lattice, double precision", f"{by_convolution:.0e}"),
        "exact": (
            f"convolution by exact integer polynomials, {bits} bits",
            f"{float(Fraction(lost, 2**bits)):.1e}, proven",
        ),
    }
    rows = [
        [
            label,
            spread(seconds[name]),
            error,
            *(ratios(seconds[name], seconds[of]) for of in ("curve", "everything")),
        ]
        for name, (label, error) in labels.items()
    ]
    header = ["method", "CPU time", "absolute error of a tail", "against our curve", "against all of ours"]
    show("other methods", header, rows, document)


def installed(python: str) -> bool:
    """Whether that interpreter exists and has dp-accounting."""
    try:
        subprocess.run([python, "-c", "import dp_accounting"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def peer_answer(python: str, composition: Composition) -> dict[str, Any]:
    """What dp-accounting computes and needs."""
    cells = [[float(1 / rho) ** 0.5, count] for rho, count in composition.cells]
    question = {"cells": cells, "eps": [float(eps) for eps in EPS], "grid": GRID}
    done = subprocess.run(
        [python, str(PEER)], input=json.dumps(question), stdout=subprocess.PIPE, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def dp_accounting(composition: Composition, python: str, repeats: int, document: Path | None) -> None:
    accountant = Accountant(composition)
    points = accountant.profile([Fraction(eps) for eps in EPS])
    _, relative = accountant.log_profile(np.array([float(eps) for eps in EPS]))
    evaluate([composition], Settings())
    everything, seconds, answers = ours(composition), [], []
    for _ in range(repeats):
        seconds.append(everything())
        answers.append(peer_answer(python, composition))
    rows = []
    for number, (eps, point) in enumerate(zip(EPS, points, strict=True)):
        stored = float(relative[number]) * float(point.delta.value)
        both = max(point.delta.upper - point.delta.value, point.delta.value - point.delta.lower)
        row = [eps, f"{point.delta.value:.12e}", f"{stored:.1e}", f"{both:.1e}"]
        for method in answers[0].values():
            error = float(abs(Fraction(method["delta"][number]) - Fraction(point.delta.value)))
            row += [f"{error:.1e}", f"{error / stored:.0e}", f"{error / float(both):.0e}"]
        rows.append(row)
    header = ["eps", "delta", "our bound, stored profile", "one question"]
    for name in answers[0]:
        header += [f"error, {name}", "of the first bound", "of the second"]
    show("dp-accounting, error of delta", header, rows, document)
    rows = [["ours: curve, profile on 256 eps, eps and reductions at 3 deltas", spread(seconds), "1"]]
    for name in answers[0]:
        theirs = [answer[name]["seconds"] for answer in answers]
        rows.append([f"dp-accounting, {name}: one composition", spread(theirs), ratios(theirs, seconds)])
    show("dp-accounting, time", ["method", "CPU time", "against ours"], rows, document)


def main() -> None:
    parser = command_line(__doc__, "repeats", "write")
    parser.add_argument("--peer", help="interpreter of the environment with dp-accounting")
    options = parser.parse_args()
    composition = first_pair()
    if options.peer and installed(options.peer):
        dp_accounting(composition, options.peer, options.repeats, options.write)
    else:
        print("dp-accounting is not measured: it is not installed (benchmarks/requirements.txt)")
    other_methods(composition, options.repeats, options.write)


if __name__ == "__main__":
    main()
