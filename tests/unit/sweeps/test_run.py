"""Sweeps in this process: the rows, what goes on after an interruption, and what is refused."""

from __future__ import annotations

import dataclasses
import gc
import json
import shutil
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest
from distributed import Client, KilledWorker
from e2e.test_accounts import MATMUL
from unit.reports.html_reader import text

import hwc
from hwc.errors import UserError
from hwc.sweeps import folder as folders
from hwc.sweeps import run, work
from hwc.sweeps.folder import Folder
from hwc.sweeps.job import Chunk
from hwc.sweeps.variants import Variant
from isa.target import load_target

PROGRAM = """
func.func @main(%x: tensor<?x?xf32> {hwc.symbols = ["n", "d"]},
                %b: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {hwc.assume = ["d % 2 == 0"]} {
  %0 = tosa.add %x, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.tanh %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
"""
SHAPES = {"n": [1, 3, 40], "d": [2, 64, 5], "b.0": [1, 3], "b.1": 1}


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr("hwc.sweeps.job.CHUNK", 4)


def sweep(folder=None, **changed):
    given = {"shapes": SHAPES, "targets": ["tiny"], "vary": {"lanes": [2, 4]}, "workers": 1}
    return hwc.sweep(PROGRAM, **{**given, **changed}, folder=folder)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a finished sweep, and its table."""
    folder = tmp_path_factory.mktemp("sweep") / "kept"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hwc.sweeps.job.CHUNK", 4)
        return folder, sweep(folder)


def test_a_row_for_each_point_in_order(finished):
    _, table = finished
    points = [
        (lanes, n, d, b)
        for lanes in (2, 4)
        for n in SHAPES["n"]
        for d in SHAPES["d"]
        for b in SHAPES["b.0"]
    ]
    assert list(zip(table.lanes, table.n, table.d, table["b.0"], strict=True)) == points
    assert (table.target == "tiny").all()
    assert (table["b.1"] == 1).all()


def test_rows_are_what_runs_count(finished):
    _, table = finished
    for lanes in (2, 4):
        program = hwc.compile(PROGRAM, dataclasses.replace(load_target("tiny"), lanes=lanes))
        for row in table[table.lanes == lanes].to_dict("records"):
            x = np.zeros((row["n"], row["d"]), np.float32)
            b = np.zeros((row["b.0"], 1), np.float32)
            try:
                result = program(x, b)
            except UserError as refused:
                assert row["error"] == str(refused)
                continue
            assert row["cycles"] == result.cycles
            assert {name: row[name] for name in result.counters} == dict(result.counters)
            width = program.target.axi_bytes
            assert row["ideal_reads"] == -(-result.counters["bytes_read"] // width)
            assert row["ideal_writes"] == -(-result.counters["bytes_written"] // width)
            assert row["ideal_lanes"] == result.counters["lane_busy"]
            assert row["ideal_special_functions"] == result.counters["special_busy"]
            assert row["roofline"] == row["ideal_cycles"] / result.cycles
            ideal = {name: row[f"ideal_{name}"] for name in ("reads", "writes", "lanes")}
            ideal["special functions"] = row["ideal_special_functions"]
            assert row["ideal_cycles"] == ideal[row["bound"]] == max(ideal.values())
            (kernel,) = result.kernels
            assert row["limit"] == kernel.limit


def test_points_that_cannot_run_say_why(finished):
    _, table = finished
    odd = table[table.d == 5]
    assert odd.error.str.contains("size 5 .* divided by 2 leaves 1").all()
    assert odd.cycles.isna().all()
    unlike = table[(table.n == 40) & (table["b.0"] == 3) & (table.d != 5)]
    assert len(unlike) == 4
    assert unlike.error.str.contains("sizes 40 .* and 3 .* do not broadcast").all()
    assert table.error.isna().sum() == 2 * (3 * 2 * 2 - 2)


def test_targets_that_cannot_exist_or_run_the_program():
    table = sweep(
        shapes={"n": 3, "d": 2, "b.0": 1, "b.1": 1},
        vary={"lanes": [3, 4], "input_streams": [1, 2], "instruction_words": [512]},
    )
    errors = list(table.error)
    assert errors[0] == errors[1].replace("input_streams=2", "input_streams=1")
    assert "lanes: got 3; allowed: a power of two from 2 to 64" in errors[0]
    assert "input stream" in errors[2]
    assert table.error.isna().iloc[3]
    assert list(table.cycles.isna()) == [True, True, True, False]
    assert list(table.cells.isna()) == [True, True, False, False]


def test_what_is_finished_is_not_repeated(finished, tmp_path, monkeypatch):
    """A sweep is interrupted again and again, and goes on each time with what is left."""
    whole, _ = finished
    counted: list[int] = []
    timed, keep = work.timed, Folder.keep

    def counting(job, package, chunk):
        counted.append(chunk.number)
        return timed(job, package, chunk)

    def interrupted(self, chunk, rows):
        keep(self, chunk, rows)
        kept.append(chunk.number)
        if len(kept) % 3 == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(work, "timed", counting)
    monkeypatch.setattr(Folder, "keep", interrupted)
    kept: list[int] = []
    interruptions = 0
    while not (tmp_path / folders.TABLE).exists():
        assert interruptions < 4
        before, counted[:] = list(kept), []
        try:
            sweep(tmp_path)
        except KeyboardInterrupt:
            interruptions += 1
        assert not set(counted) & set(before)
    assert interruptions == 3
    assert sorted(kept) == list(range(10))
    for name in (folders.TABLE, folders.MANIFEST, folders.PAGE):
        assert (tmp_path / name).read_bytes() == (whole / name).read_bytes()
    assert not (tmp_path / "chunks").exists()


def test_a_finished_sweep_only_writes_its_page_again(finished, monkeypatch):
    folder, table = finished
    monkeypatch.setattr(work, "timed", None)
    page = (folder / folders.PAGE).read_bytes()
    (folder / folders.PAGE).unlink()
    assert sweep(folder).equals(table)
    assert (folder / folders.PAGE).read_bytes() == page


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shapes": {**SHAPES, "n": 7}}, "the shapes are others"),
        ({"vary": {"lanes": [2]}}, "the targets are others"),
        ({"targets": ["accel"]}, "the targets are others"),
        ({"assume": ["n != 9"]}, "the program is another"),
    ],
)
def test_another_sweep_in_the_same_folder(finished, changed, message):
    folder, _ = finished
    with pytest.raises(UserError) as refused:
        sweep(folder, **changed)
    assert str(refused.value) == (
        f"{folder}/manifest.json: error: this folder holds another sweep: {message}; give another "
        f"folder, or remove {folder}"
    )


def test_another_hwc_in_the_same_folder(finished, monkeypatch):
    folder, _ = finished
    monkeypatch.setattr("hwc.sweeps.api.code_digest", lambda: "other")
    with pytest.raises(UserError, match="holds another sweep: hwc is another version; give"):
        sweep(folder)


def test_folders_that_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="has files and is not of a sweep; give another$"):
        sweep(tmp_path)
    with pytest.raises(UserError, match=r"file: error: cannot write: "):
        sweep(tmp_path / "file")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / folders.MANIFEST).write_text("{")
    with pytest.raises(UserError, match="manifest.json: error: damaged; remove "):
        sweep(damaged)


def test_a_folder_is_one_process_s(finished, monkeypatch):
    folder, _ = finished
    found: list[str] = []

    def run(*_):
        with pytest.raises(UserError) as refused:
            sweep(folder)
        found.append(str(refused.value))

    monkeypatch.setattr("hwc.sweeps.run.run", run)
    sweep(folder)
    assert found == [f"{folder}: error: another process writes this sweep now"]


def test_a_damaged_chunk(tmp_path, monkeypatch):
    keep = Folder.keep
    monkeypatch.setattr(Folder, "keep", lambda self, chunk, rows: keep(self, chunk, rows[:50]))
    with pytest.raises(UserError, match=r"00000000.parquet: error: damaged; remove it, and give"):
        sweep(tmp_path)


def test_a_damaged_table(finished, tmp_path):
    whole, _ = finished
    folder = tmp_path / "copy"
    shutil.copytree(whole, folder)
    table = folder / folders.TABLE
    kept = table.read_bytes()
    table.write_bytes(kept[:300])
    with pytest.raises(UserError, match=r"parquet: error: damaged \(cannot be read\); remove it"):
        sweep(folder)
    pq.write_table(pq.read_table(whole / folders.TABLE).slice(1), table)
    with pytest.raises(UserError, match=r"damaged \(35 rows instead of 36\); remove it, and give"):
        sweep(folder)
    table.unlink()
    sweep(folder)
    assert table.read_bytes() == kept


@pytest.mark.parametrize("name", ["compile_package", "resource_cycles"])
def test_a_bug_on_one_target_is_an_error_of_its_points(monkeypatch, name):
    working = getattr(work, name)

    def failing(source, target, **options):
        if target.lanes == 2:
            raise KeyError("no\nsuch value")
        return working(source, target, **options)

    monkeypatch.setattr(work, name, failing)
    table = sweep(shapes={"n": 3, "d": 2, "b.0": 1, "b.1": 1})
    reason = "error: hwc itself failed, please report this: KeyError: 'no\\nsuch value'"
    assert list(table.error.fillna("")) == [reason, ""]


def test_the_manifest_says_what_the_sweep_is(finished):
    folder, _ = finished
    manifest = json.loads((folder / folders.MANIFEST).read_text())
    assert manifest["shapes"]["sizes"] == {
        "n": [1, 3, 40],
        "d": [2, 64, 5],
        "b.0": [1, 3],
        "b.1": [1],
    }
    assert [t["varied"] for t in manifest["targets"]] == [{"lanes": 2}, {"lanes": 4}]
    assert manifest["hwc"]["version"] == hwc.__version__


def test_types_of_columns(finished):
    folder, table = finished
    schema = pq.read_schema(folder / folders.TABLE)
    types = {name: str(schema.field(name).type) for name in schema.names}
    assert types["target"] == types["plan"] == types["limit"] == types["error"] == "string"
    assert types["lanes"] == types["n"] == types["cycles"] == types["cells"] == "int64"
    assert types["roofline"] == "double"
    assert list(table.columns) == schema.names


def test_a_size_whose_name_another_column_has():
    text = PROGRAM.replace('["n", "d"]', '["cycles", "lanes"]').replace("d % 2", "lanes % 2")
    table = hwc.sweep(
        text, "cycles=3, lanes=2, b.0=1, b.1=1", targets=["tiny"], vary={"lanes": 4}, workers=1
    )
    (row,) = table.to_dict("records")
    assert (row["size.cycles"], row["size.lanes"], row["lanes"]) == (3, 2, 4)
    assert row["cycles"] > 3


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shapes": "m=1"}, "shapes: error: no size is called 'm'"),
        ({"shapes": {"n": []}}, "shapes: n: error: no values"),
        ({"shapes": None}, "shapes: error: got NoneType, expected values for each size"),
        ({"targets": []}, "targets: error: no target"),
        ({"targets": "tiny,"}, "targets: error: got 'tiny,', expected names of targets or paths"),
        ({"vary": {"lane": 4}}, "vary: error: unknown key 'lane'"),
        ({"vary": {"lanes": 3}}, "tiny lanes=3: error: lanes: got 3; allowed: a power of two"),
        ({"workers": 0}, "workers: error: got 0, expected 1 or more"),
        (
            {"shapes": dict.fromkeys(SHAPES, "1..1000")},
            "error: the sweep has 2,000,000,000,000 points, 1,000,000,000,000 shapes on each of 2",
        ),
        ({"scheduler": "nowhere"}, "scheduler nowhere: error: no Dask scheduler answers there"),
    ],
)
def test_what_is_refused_before_anything_starts(changed, message, tmp_path, monkeypatch):
    monkeypatch.setattr("hwc.sweeps.cluster.TIMEOUT", 1)
    with pytest.raises(UserError) as refused:
        sweep(tmp_path / "kept", **changed)
    assert str(refused.value).startswith(message)
    assert not (tmp_path / "kept" / folders.TABLE).exists()


@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1:1"])
def test_a_client_that_cannot_connect_is_closed_at_once(address, monkeypatch):
    """Closing takes a lock of Dask's: Python, which looks for garbage at any time, must not."""
    monkeypatch.setattr("hwc.sweeps.cluster.TIMEOUT", 1)
    with pytest.raises(UserError) as refused:
        sweep(scheduler=address)
    clients = [each for each in gc.get_objects() if type(each) is Client]
    assert clients, refused.value
    assert {client.status for client in clients} == {"closed"}


def test_a_missing_extra(monkeypatch):
    monkeypatch.setattr("hwc.sweeps.extra._NEEDED", ("numpy", "no_such", "nor_this"))
    with pytest.raises(UserError) as refused:
        sweep()
    assert str(refused.value) == (
        "error: a sweep needs no_such, nor_this: pip install 'hwc[sweep]'"
    )


def test_a_worker_with_another_hwc(monkeypatch):
    monkeypatch.setattr(work, "code_digest", lambda: "other")
    with pytest.raises(UserError, match="^error: a worker has another version of hwc than this"):
        sweep()


class _Lost:
    """A future of a task that ended its workers."""

    def result(self):
        raise KilledWorker("timed", None, 3)


def test_workers_that_end_are_counted():
    """Any scheduler has its own limit."""
    job = SimpleNamespace(variants=[Variant("tiny", {"lanes": 4}, {})])
    with pytest.raises(UserError) as error:
        run._result(_Lost(), job, Chunk(0, 0, 10, 20))
    assert str(error.value).startswith(
        "error: 4 workers ended while 10 to 19 of the shapes were timed on tiny lanes=4; they may"
    )


def test_models_have_columns_about_both_sides(finished, tmp_path):
    """Each row has what `hwc time` says of the point; programs of the machine alone have none."""
    pytest.importorskip("iree.compiler", reason="parts on the host need the extra iree")
    table = hwc.sweep(MATMUL, {"b": [2], "k": [3, 6]}, workers=1, folder=tmp_path / "model")
    assert table.error.isna().all()
    model = hwc.compile(MATMUL)
    for row, k in zip(table.itertuples(), (3, 6), strict=True):
        accounts = model.time((2, 4, k), (2, k, 8)).accounts
        copies = accounts.copies
        assert row.machine_operations == accounts.machine.operations == 2 * 4 * k + 2 * 4 * 8
        assert row.host_operations == accounts.host.operations == 2 * 2 * 4 * 8 * k
        assert row.uncounted_nodes == 0
        assert (row.copies_to_machine, row.bytes_to_machine) == (2, copies.bytes_to_machine)
        assert (row.copies_to_host, row.bytes_to_host) == (2, copies.bytes_to_host)
    machine, host = table.machine_operations.sum(), table.host_operations.sum()
    page = text((tmp_path / "model" / "index.html").read_text())
    assert f" for {100 * machine / (machine + host):.1f} % of the arithmetic" in page
    _, alone = finished
    assert alone.machine_operations.isna().all() and alone.bytes_to_host.isna().all()
