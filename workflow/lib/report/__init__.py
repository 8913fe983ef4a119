"""The report of one allocation: what the results mean, as one page that opens offline, and as one picture."""

from .page import build_report, headline_figure
from .tables import ReportError

__all__ = ["ReportError", "build_report", "headline_figure"]
