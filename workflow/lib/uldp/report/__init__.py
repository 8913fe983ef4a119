"""The report of a study: what its results mean, as one page that opens offline."""

from .page import build_study_report

__all__ = ["build_study_report"]
