"""Curves as arrays, computed and stored; plots; tuning; what importing the package loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

import exact_census as ec
from tests.paths import TINY
from tests.reference.convolution import ConvolutionTail
from tests.workflow.results.stored import HEADER, stored
from workflow.results.curves import CurveFile, Identity

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

COMPOSITION = ec.Composition({"1/3": 5, "2/7": 3})


def test_a_curve_s_points_are_the_true_ones() -> None:
    found = ec.curve(COMPOSITION, thresholds=50, eps_points=9)
    reference = ConvolutionTail(dict(COMPOSITION.cells), bits=420)
    assert found.threshold.shape == found.alpha.shape == found.beta.shape
    assert len(found.alpha) >= 50
    assert (
        found.eps.shape == found.delta.shape == found.log10_delta.shape == found.relative_bound.shape == (9,)
    )
    for tau, alpha, beta in zip(found.threshold[::5], found.alpha[::5], found.beta[::5], strict=True):
        assert alpha == pytest.approx(float(reference.alpha(F(tau)).middle), rel=1e-15, abs=1e-35)
        assert beta == pytest.approx(float(1 - reference.power(F(tau)).middle), rel=1e-15, abs=1e-35)
    for eps, delta in zip(found.eps, found.delta, strict=True):
        assert delta == pytest.approx(float(reference.delta(F(eps)).middle), rel=1e-13)
    assert found.deltas == ()
    assert found.epsilon.value.shape == (0,)


def test_a_result_file_is_a_mapping_of_its_curves(tmp_path: Path) -> None:
    known = np.ones((2, 3))
    written = [
        replace(stored(identity, seed), epsilon=known, reduction=known)
        for seed, identity in enumerate([Identity("pair", "00", "01"), Identity("level", "County")])
    ]
    digest = CurveFile.write(tmp_path / "curves.h5", HEADER, written)
    with ec.read_curves(tmp_path / "curves.h5") as curves:
        assert list(curves) == [("00", "01"), "County"]
        assert (len(curves), curves.digest, curves.neighbours) == (2, digest, "bounded")
        assert curves.allocation == HEADER.allocation
        for key, result in zip(curves, written, strict=True):
            found = curves[key]
            assert np.array_equal(found.alpha, result.alpha[:, 0])
            assert np.array_equal(found.delta, result.delta)
            assert found.composition == result.composition
            assert found.deltas == result.deltas
        with pytest.raises(KeyError):
            curves["Town"]
    (tmp_path / "cut.h5").write_bytes((tmp_path / "curves.h5").read_bytes()[:3000])
    with pytest.raises(ec.InputError, match=r"cut\.h5"):
        ec.read_curves(tmp_path / "cut.h5")


@pytest.mark.parametrize("plot", [ec.plot_tradeoff, ec.plot_profile])
def test_plots_show_the_exact_curve_and_its_bound(plot) -> None:  # type: ignore[no-untyped-def]
    curve = ec.curve(COMPOSITION, thresholds=50, eps_points=40)
    axes = plot(curve, label="eight cells", color="black")
    exact, bound = axes.get_lines()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["eight cells", "zCDP bound"]
    x = np.linspace(0.02, 0.9, 50) * axes.get_xlim()[1]
    order = np.argsort(exact.get_xdata())
    best = np.interp(x, np.asarray(exact.get_xdata())[order], np.asarray(exact.get_ydata())[order])
    loose = np.interp(x, bound.get_xdata(), bound.get_ydata())
    assert np.all(best >= loose if plot is ec.plot_tradeoff else best <= loose)
    assert plot(COMPOSITION, axes) is axes
    assert len(axes.get_lines()) == 4
    matplotlib.pyplot.close("all")


def test_tune_meets_its_target_and_leaves_other_levels_alone() -> None:
    before = ec.load_allocation(TINY)
    found = ec.tune(before, "12", "1e-6", levels=["Block"], jobs=1)
    assert isinstance(found, ec.Tuning)
    assert F(11) < F(found.worst_eps.upper) <= 12
    assert found.after.level_rho("Region") == before.level_rho("Region")
    assert found.after.level_rho("Block") > before.level_rho("Block")
    with pytest.raises(ec.InputError, match="delta = 1e-06"):
        ec.tune(before, 12, 1e-6)
    with pytest.raises(ec.InputError, match="Town"):
        ec.tune(before, 12, "1e-6", levels=["Town"])


def test_every_public_name_is_there_and_documented() -> None:
    assert set(ec.__all__) <= set(dir(ec))
    for name in ec.__all__:
        assert getattr(ec, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'epsilom'"):
        ec.epsilom  # noqa: B018


def test_type_checkers_see_the_names_where_they_are_found() -> None:
    tree = ast.parse(Path(ec.__file__).read_text(encoding="utf-8"))
    seen = {
        (name.asname, node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.asname
    }
    assert seen == {(name, ec.__name__ + home) for home, names in ec._HOMES.items() for name in names}
    assert {name for name, _ in seen} == set(ec.__all__)


NEEDED = {
    "__all__": set[str](),
    "Bounded": {"numpy"},
    "read_curves": {"numpy", "h5py"},
    "load_allocation": {"numpy", "pydantic"},
}


@pytest.mark.parametrize("name", NEEDED)
def test_a_name_loads_what_it_needs(name: str) -> None:
    """Importing the package loads nothing heavy, and what computes nothing loads no compiler."""
    heavy = {"numpy", "numba", "matplotlib", "h5py", "pydantic", "flint", "click"}
    program = f"import exact_census, sys; exact_census.{name}; print(*{heavy} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == NEEDED[name]
