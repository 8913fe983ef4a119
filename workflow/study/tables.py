"""surveys.csv and limits.csv: one row per survey, and one per domain and eps of the regime map."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from kernels.uldp.regimes import REGIMES
from workflow.results.survey_result import Scalar, StudyResult
from workflow.results.tables import exact_text

SURVEYS = (
    *("source", "symbols", "sensitive", "eps", "mechanism", "bits", "clients", "repetitions", "seed"),
    *("m_star", "m_star_lower", "m_star_upper", "gap", "alpha_star", "t_star"),
    *("n_mse", "n_mse_error", "exact_n_mse", "worst_n_mse", "worst_alpha"),
    *("projected_n_mse", "projected_n_mse_error"),
)
LIMITS = ("symbols", "sensitive", "eps", "m_star", "alpha_star", "t_star", "gap", "regime")


def survey_row(result: StudyResult) -> dict[str, str]:
    """The row of surveys.csv. Doubles are written so that they are read back unchanged."""
    row = {name: _text(value) for name, value in result.attributes.items() if name in SURVEYS}
    row["eps"] = exact_text(Fraction(row["eps"]))
    sizes, shares = result.arrays["size"], result.arrays["share"]
    return row | {"t_star": _mixture(dict(zip(sizes.tolist(), shares.tolist(), strict=True)))}


def limit_rows(result: StudyResult) -> Iterator[dict[str, str]]:
    """The rows of limits.csv for one row of the regime map; none for a survey."""
    if result.attributes["kind"] != "map":
        return
    arrays = result.arrays
    for i, eps in enumerate(arrays["eps"].tolist()):
        shares = {k: share for k, share in enumerate(arrays["shares"][i].tolist(), start=1) if share}
        yield {
            "symbols": str(result.attributes["symbols"]),
            "sensitive": str(result.attributes["sensitive"]),
            "eps": repr(eps),
            "m_star": repr(float(arrays["m_star"][i])),
            "alpha_star": repr(float(arrays["alpha_star"][i])),
            "t_star": _mixture(shares),
            "gap": f"{arrays['gap'][i]:.1e}",
            "regime": REGIMES[int(arrays["regime"][i])],
        }


def _mixture(shares: dict[int, float]) -> str:
    return " ".join(f"{k}:{share!r}" for k, share in shares.items())


def _text(value: Scalar) -> str:
    return repr(value) if isinstance(value, float) else str(value)
