"""Exact privacy accounting of discrete Gaussian noise, as the 2020 Census used it: what a notebook imports.

Every figure is for bounded neighbours: one record is replaced by another. What a name needs is loaded when
the name is first used, so that importing this package takes no time; docs/python.md shows all of it at work.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for type checkers and editors; at run time __getattr__ finds the names
    from exact_census.composition import Allocation as Allocation
    from exact_census.composition import Composition as Composition
    from exact_census.composition import load_allocation as load_allocation
    from exact_census.curves import Curve as Curve
    from exact_census.curves import Curves as Curves
    from exact_census.curves import read_curves as read_curves
    from exact_census.exact import Bounded as Bounded
    from exact_census.exact import InputError as InputError
    from exact_census.exact import Interval as Interval
    from exact_census.exact import Refused as Refused
    from exact_census.plots import plot_profile as plot_profile
    from exact_census.plots import plot_tradeoff as plot_tradeoff
    from exact_census.questions import Conversion as Conversion
    from exact_census.questions import Profile as Profile
    from exact_census.questions import Reduction as Reduction
    from exact_census.questions import convert as convert
    from exact_census.questions import curve as curve
    from exact_census.questions import delta as delta
    from exact_census.questions import epsilon as epsilon
    from exact_census.questions import profile as profile
    from exact_census.questions import reduction as reduction
    from exact_census.questions import tradeoff as tradeoff
    from exact_census.tuning import Tuning as Tuning
    from exact_census.tuning import tune as tune

_HOMES = {
    ".composition": ("Allocation", "Composition", "load_allocation"),
    ".curves": ("Curve", "Curves", "read_curves"),
    ".exact": ("Bounded", "InputError", "Interval", "Refused"),
    ".plots": ("plot_profile", "plot_tradeoff"),
    ".questions": (
        "Conversion",
        "Profile",
        "Reduction",
        "convert",
        "curve",
        "delta",
        "epsilon",
        "profile",
        "reduction",
        "tradeoff",
    ),
    ".tuning": ("Tuning", "tune"),
}
_MODULE = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_MODULE)


if not TYPE_CHECKING:  # a checker would take every name for one of these

    def __getattr__(name: str) -> object:
        """A public name, from the module that has it (PEP 562)."""
        if name not in _MODULE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULE[name], __package__), name)
        return value


def __dir__() -> list[str]:
    """All public names, loaded or not."""
    return __all__
