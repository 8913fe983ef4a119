"""The HDF5 store: exact, whole or absent, independent of order, clear about damage."""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import h5py
import numpy as np
import pytest

from kernels.accounting.composition import Composition
from tests.refused import refused
from tests.workflow.results.stored import HEADER, SETTINGS, stored
from workflow import files as atomic
from workflow.results.curves import RESULT_ARRAYS, CurveFile, Identity, level_path, open_results, pair_path
from workflow.results.file import StoreError
from workflow.results.values import put_array

IDENTITIES = [Identity("level", "US"), Identity("pair", "00", "00"), Identity("pair", "00", "01")]
RESULTS = [stored(identity, seed) for seed, identity in enumerate(IDENTITIES)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "results.h5"
    CurveFile.write(path, HEADER, RESULTS)
    return path


def test_results_come_back_bit_for_bit(file: Path) -> None:
    with open_results(file) as results:
        for expected in RESULTS:
            read = results.read(expected.identity.path)
            for name, value in vars(expected).items():
                found = getattr(read, name)
                if name in RESULT_ARRAYS:
                    assert (found.shape, found.tobytes()) == (value.shape, value.tobytes()), name
                else:
                    assert found == value, name
            assert read.digest == expected.digest


def test_header_and_index_come_back(file: Path) -> None:
    with open_results(file) as results:
        assert results.header() == HEADER
        assert list(results.pairs()) == [("00", "00"), ("00", "01")]
        assert list(results.levels()) == ["US"]
        assert results.read(pair_path("00", "01")).identity == IDENTITIES[2]
        assert pair_path("00", "01") in results
        assert level_path("County") not in results
        row = results.index()[1]
        assert row["path"] == pair_path("00", "00")
        assert row["nodes"] == 10**40 + 1
        assert row["lattice"] == Fraction(1, 21)
        assert row["key"] == RESULTS[1].key
        results.verify()


def test_file_describes_itself_to_any_reader(file: Path) -> None:
    """Plain h5py, without this project's code."""
    with h5py.File(file) as plain:
        assert plain.attrs["format"] == b"exact-census"
        assert plain.attrs["neighbours"] == b"bounded"
        assert plain["allocation_yaml"][()].decode() == HEADER.allocation_yaml
        group = plain["pairs/00,01"]
        for name in ("tradeoff/threshold", "tradeoff/alpha", "tradeoff/beta", "profile/log10_delta"):
            assert set(group[name].attrs) == {"dims", "units", "description"}
        assert group["epsilon"].dtype.names == ("delta", "value", "lower", "upper")
        assert group["reduction"].dtype.names[4:] == (
            *("eps_zcdp_value", "eps_zcdp_lower", "eps_zcdp_upper"),
            *("scale_value", "scale_lower", "scale_upper"),
        )
        assert [Fraction(text.decode()) for text in group["epsilon"]["delta"]] == list(SETTINGS.deltas)
        assert plain["index"]["path"][0] == b"/levels/US"


def test_digest_depends_on_content_not_on_order_or_cost(tmp_path: Path, file: Path) -> None:
    with open_results(file) as results:
        digest = results.digest
    backwards = [replace(result, cpu_seconds=9.0) for result in reversed(RESULTS)]
    assert CurveFile.write(tmp_path / "backwards.h5", HEADER, backwards) == digest
    changed = RESULTS[0].beta.copy()
    changed[3, 2] = np.nextafter(changed[3, 2], 1)
    others = [replace(RESULTS[0], beta=changed), *RESULTS[1:]]
    assert CurveFile.write(tmp_path / "changed.h5", HEADER, others) != digest


def test_same_content_gives_the_same_bytes(tmp_path: Path, file: Path) -> None:
    CurveFile.write(tmp_path / "again.h5", HEADER, RESULTS)
    assert (tmp_path / "again.h5").read_bytes() == file.read_bytes()


def test_merged_file_equals_one_written_at_once(tmp_path: Path, file: Path) -> None:
    parts = [tmp_path / f"{i}.h5" for i in range(len(RESULTS))]
    for path, result in zip(parts, RESULTS, strict=True):
        CurveFile.write(path, HEADER, [result])
    seen = []
    with open_results(parts[0]) as a, open_results(parts[1]) as b, open_results(parts[2]) as c:
        groups = [(IDENTITIES[i].path, source) for i, source in enumerate((a, b, c))]
        digest = CurveFile.merge(
            tmp_path / "merged.h5", HEADER, groups, lambda result: seen.append(result.identity)
        )
    assert seen == IDENTITIES
    with open_results(file) as results:
        assert digest == results.digest
        expected = results.index()
    with open_results(tmp_path / "merged.h5") as merged:
        assert merged.index() == expected
        merged.verify()


def test_no_results_make_a_valid_file(tmp_path: Path) -> None:
    CurveFile.write(tmp_path / "none.h5", HEADER, [])
    with open_results(tmp_path / "none.h5") as results:
        assert results.index() == []
        results.verify()


def test_text_longer_than_an_attribute_may_be(tmp_path: Path) -> None:
    counts = {Fraction(10**99 + i, 10**100): 1 for i in range(400)}
    long = replace(RESULTS[0], composition=Composition.from_counts(counts))
    header = replace(HEADER, allocation_yaml="# " + "x" * 200_000)
    long = replace(long, summary=replace(long.summary, cells=400, distinct_rhos=400))
    CurveFile.write(tmp_path / "long.h5", header, [long])
    with open_results(tmp_path / "long.h5") as results:
        assert results.header().allocation_yaml == header.allocation_yaml
        assert results.read(IDENTITIES[0].path).composition == long.composition


def test_two_results_for_one_pair_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="two results for"):
        CurveFile.write(tmp_path / "twice.h5", HEADER, [RESULTS[0], RESULTS[1], RESULTS[0]])
    assert list(tmp_path.iterdir()) == []


def damaged_files(whole: bytes) -> dict[str, bytes]:
    flipped = bytearray(whole)
    position = whole.index(RESULTS[2].beta.tobytes()) + 40
    flipped[position] ^= 1
    return {
        "empty": b"",
        "half": whole[: len(whole) // 2],
        "last byte missing": whole[:-1],
        "text": b"not HDF5 at all\n",
        "one bit flipped": bytes(flipped),
    }


def verify(file: Path) -> None:
    with open_results(file) as results:
        results.verify()


@pytest.mark.parametrize("damage", ["empty", "half", "last byte missing", "text", "one bit flipped"])
def test_damage_is_told_in_one_line(file: Path, damage: str) -> None:
    file.write_bytes(damaged_files(file.read_bytes())[damage])
    assert str(file) in refused(verify, file, error=StoreError)


def test_every_cut_is_noticed(file: Path) -> None:
    whole = file.read_bytes()
    for length in range(1, len(whole), len(whole) // 40):
        file.write_bytes(whole[:length])
        refused(verify, file, error=StoreError)


def test_missing_and_foreign_files_are_refused(tmp_path: Path, file: Path) -> None:
    with pytest.raises(StoreError, match="no such file"):
        open_results(tmp_path / "absent.h5")
    with pytest.raises(StoreError, match="cannot be read"):
        open_results(tmp_path)
    with h5py.File(tmp_path / "foreign.h5", "w") as foreign:
        foreign["data"] = [1, 2]
    with pytest.raises(StoreError, match="not a result file"):
        open_results(tmp_path / "foreign.h5")
    with h5py.File(file, "r+") as newer:
        newer.attrs["format_version"] = 99
    with pytest.raises(StoreError, match="format version 99"):
        open_results(file)


def test_absent_group_is_named(file: Path) -> None:
    with open_results(file) as results, pytest.raises(StoreError, match="holds no /pairs/11,11"):
        results.read(pair_path("11", "11"))


def test_failing_writer_leaves_the_old_file_and_nothing_else(file: Path) -> None:
    before = file.read_bytes()

    def fail():
        yield RESULTS[0]
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        CurveFile.write(file, HEADER, fail())
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_file_that_does_not_verify_is_not_installed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file.read_bytes()
    sync = atomic._sync

    def spoil(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[content.index(RESULTS[2].beta.tobytes()) + 3] ^= 4
        path.write_bytes(content)
        sync(path)

    monkeypatch.setattr(atomic, "_sync", spoil)
    with pytest.raises(StoreError, match="does not match its digest"):
        CurveFile.write(file, HEADER, RESULTS)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_target_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(StoreError, match="cannot be written"):
        CurveFile.write(tmp_path / "folder" / "x.h5", HEADER, RESULTS)


def _write_until_killed(path: Path) -> None:
    seed = 0
    while True:
        seed += 1
        CurveFile.write(path, HEADER, [stored(identity, seed) for identity in IDENTITIES])


def test_killed_and_racing_writers_leave_a_whole_file(file: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_until_killed, args=(file,)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for i in range(20):
        writers[0].join(0.05)
        verify(file)
        if i == 10:
            os.kill(writers[0].pid, signal.SIGKILL)
    for writer in writers:
        writer.kill()
        writer.join()
    verify(file)
    CurveFile.write(file, HEADER, RESULTS)
    assert list(file.parent.iterdir()) == [file], "temporary files of killed writers are removed"


@pytest.mark.parametrize("size", [10, 10_000])
def test_arrays_are_written_once(tmp_path: Path, size: int) -> None:
    """Neither a small dataset nor a large one is filled before it is written."""
    with h5py.File(tmp_path / "x.h5", "w") as file:
        put_array(file.id, "array", np.arange(size, dtype=np.float64))
        properties = file["array"].id.get_create_plist()
    assert properties.get_fill_time() == h5py.h5d.FILL_TIME_NEVER
