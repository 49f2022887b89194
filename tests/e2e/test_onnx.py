"""Whole ONNX models: regions on the machine, the rest in ONNX Runtime, one result."""

import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from e2e.support.onnx_models import data, expected, model, network, node
from onnx import helper

import hwc
import hwc.onnx
from hwc import compiler
from hwc.cli.main import main
from hwc.errors import DispatchError, UserError
from hwc.onnx import InferenceSession
from hwc.package import MachineStep, to_bytes

SHAPES = [(1, 3, 8, 8), (2, 3, 9, 17), (4, 3, 32, 5), (3, 3, 1, 1), (1, 3, 31, 64)]


@pytest.fixture(scope="module")
def net():
    return network()


@pytest.fixture(scope="module")
def program(net):
    return hwc.compile(net)


def kinds(program):
    return [step.kind for step in program.package.steps]


def assert_close(program, content, **feeds):
    result = program(*feeds.values())
    for got, wanted in zip(result.outputs, expected(content, feeds), strict=True):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    return result


def test_it_is_cut_at_what_is_not_element_wise(program):
    assert kinds(program) == ["machine", "host", "machine", "host", "machine"]
    assert [s.source for s in program.package.host_steps] == ["Conv", "GlobalAveragePool"]
    regions = [s for s in program.package.steps if isinstance(s, MachineStep)]
    assert regions[0].kernels[0].source == "Mul, Add, Gelu"
    assert program.package.inputs[0].shape == ("batch", 3, "height", "width")


@pytest.mark.parametrize("shape", SHAPES)
def test_one_package_many_sizes(program, net, shape):
    result = assert_close(program, net, x=data(*shape))
    assert [step.counters is None for step in result.steps] == [False, True, False, True, False]
    cycles = sum(step.counters["cycles"] for step in result.steps if step.counters is not None)
    assert result.cycles == cycles > 0


def test_the_package_is_the_same_bytes_and_runs_from_a_file(program, net, tmp_path):
    assert to_bytes(hwc.compile(net).package) == to_bytes(program.package)
    path = tmp_path / "net.hwx"
    program.save(path)
    assert_close(hwc.load(path), net, x=data(2, 3, 9, 17))


def test_commands(net, tmp_path, capsys):
    source, package, x, y = (tmp_path / n for n in ("net.onnx", "net.hwx", "x.npy", "y.npy"))
    source.write_bytes(net)
    np.save(x, data(1, 3, 8, 8))
    assert main(["compile", str(source), "--report"]) == 0
    report = capsys.readouterr().err.splitlines()
    told = "17.9 % if every free size is 128; `hwc time` and `hwc run` show it"
    host = {"conv": "it sums products (a contraction)", "pool": "it reduces a dimension"}
    names = {0: ["square", "sum", "gelu"], 1: ["conv"], 2: ["biased", "swish"], 3: ["pool"]}
    assert report[:6] == [
        "7 of 9 nodes on the machine, in 3 regions",
        f"arithmetic on the machine: {told}",
        "a call copies 4 values to the machine, and 3 back to the host",
        "2 of 9 nodes on the host",
        f"      1  Conv: {host['conv']}",
        f"      1  GlobalAveragePool: {host['pool']}",
    ]
    nodes = [(step, name) for step, own in (names | {4: ["gate", "y"]}).items() for name in own]
    assert report[6] == "" and report[7].split() == ["step", "on", "operator", "reason", "place"]
    for line, (step, name) in zip(report[8:], nodes, strict=True):
        number, on, _, rest = line.split(maxsplit=3)
        assert (number, on) == (str(step), "host" if name in host else "machine")
        assert rest.split("  ")[0] == host.get(name, f"{source}: node {name}")
        assert line.endswith(f"  {source}: node {name}")
    assert main(["compile", str(source)]) == 0
    assert capsys.readouterr().err.splitlines() == report[:6]
    assert main(["compile", str(source), "--report", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["run", str(package), "--input", f"@{x}", "--output", f"@{y}"]) == 0
    rows = [row.split() for row in capsys.readouterr().out.splitlines()[-8:]]
    assert rows[0][:3] == ["step", "on", "cycles"]
    where = ["machine", "host", "machine", "host", "machine"]
    assert [row[:2] for row in rows[1:6]] == [[str(n), on] for n, on in enumerate(where)]
    assert rows[1][rows[0].index("sizes") + 1] == "1x3x8x8"  # + 1: "%" is a word
    first, last = (row[2] for row in (rows[1], rows[6]))
    assert rows[6][:2] == ["all", "machine"] and int(last) > int(first) > 0
    assert rows[7][:2] == ["all", "host"]
    (wanted,) = expected(net, {"x": np.load(x)})
    np.testing.assert_allclose(np.load(y), wanted, rtol=1e-5, atol=1e-5)
    assert main(["info", str(package)]) == 0
    out = capsys.readouterr().out
    assert "step 1 on the host, by onnxruntime" in out
    assert "at_most(3, n" in out
    assert main(["disasm", str(package)]) == 0
    assert "; on the host, by onnxruntime: Conv" in capsys.readouterr().out


def test_a_table_of_the_steps(program):
    result = program(data(2, 3, 9, 17))
    table = result.table()
    assert [row["on"] for row in table] == kinds(program)
    assert [row["step"] for row in table] == list(range(5))
    assert table[1]["sizes"] == ((2, 4, 5, 9),)
    assert table[-1]["sizes"] == (result.outputs[0].shape,)
    machine = [row for row in table if row["on"] == "machine"]
    assert sum(row["cycles"] for row in machine) == result.cycles
    assert sum(row["bytes"] for row in machine) == sum(
        result.counters[name] for name in ("bytes_read", "bytes_written")
    )
    assert all(0 < row["roofline"] <= 1 for row in machine)
    assert all(row[name] is None for name in ("cycles", "bytes", "roofline") for row in table[1::2])


def test_progress_counts_steps(program, told):
    program(data(2, 3, 9, 17))
    steps = [tasks[0] for tasks in told if len(tasks) == 1]
    for done in range(1, 6):
        assert ("running", done, 5, "steps") in steps


def test_what_stays_on_the_host_by_request(net, tmp_path, capsys):
    source = tmp_path / "net.onnx"
    source.write_bytes(net)
    options = ["--min-ops", "3", "--keep-on-host", "Gelu", "--report"]
    assert main(["compile", str(source), *options]) == 0
    report = capsys.readouterr().err
    assert "0 of 9 nodes on the machine, in 0 regions" in report
    assert "warning: no part of the model runs on the machine" in report
    assert "Gelu: it is kept on the host by request" in report
    assert "Add: its region has fewer than 3 operators" in report
    assert_close(hwc.load(tmp_path / "net.hwx"), net, x=data(1, 3, 8, 8))


def test_sizes_that_do_not_fit_are_refused_before_anything_runs(program, monkeypatch):
    monkeypatch.setattr(program._runner, "_run_stretch", None)
    with pytest.raises(DispatchError, match=r"argument 0 \(%x\), dimension 1: got size 4"):
        program(data(1, 4, 8, 8))


def test_sizes_that_the_host_tells_are_checked():
    content = model(
        [node("NonZero", "x", "found"), node("Cast", "found", "f", to=1), node("Add", "f b", "y")],
        {"x": ("f4", ["n"]), "b": ("f4", [1, "m"])},
        {"y": ("f4", [1, "k"])},
    )
    program = hwc.compile(content)
    x, b = np.array([0, 1, 2, 0, 3], np.float32), np.array([[10, 20, 30]], np.float32)
    np.testing.assert_array_equal(program(x, b).outputs[0], [[11, 22, 34]])
    np.testing.assert_array_equal(program(x, b[:, :1]).outputs[0], [[11, 12, 14]])
    where = r"-: node y: error: 'Add' in dimension 1 of the result: sizes 3 \(dimension 1 of %f, "
    with pytest.raises(DispatchError, match=where + r"which step 0 computed\) and 2 "):
        program(x, b[:, :2])


def test_the_same_name_is_the_same_size():
    content = model(
        [node("Add", "a b", "y")],
        {"a": ("f4", ["n", 2]), "b": ("f4", ["n", 2])},
        {"y": ("f4", ["n", 2])},
    )
    program = hwc.compile(content)
    with pytest.raises(DispatchError, match="both are called 'n'"):
        program(data(4, 2), data(1, 2))


def test_a_name_that_is_not_one_names_nothing():
    content = model(
        [node("Add", "a b", "y")],
        {"a": ("f4", ["?", 2]), "b": ("f4", ["?", 2])},
        {"y": ("f4", ["?", 2])},
    )
    np.testing.assert_array_equal(
        hwc.compile(content)(data(4, 2), data(1, 2)).outputs[0], data(4, 2) + data(1, 2)
    )


def test_types_of_the_host_pass_by_the_machine():
    content = model(
        [
            node("Shape", "x", "sizes"),
            node("Exp", "x", "e"),
            node("Transpose", "e", "t", perm=[1, 0]),
            node("Abs", "t", "a"),
            node("Reshape", "a sizes", "y"),
            node("Identity", "i", "j"),
        ],
        {"x": ("f4", ["n", "m"]), "i": ("i8", [])},
        {"y": ("f4", ["n", "m"]), "j": ("i8", []), "sizes": ("i8", [2])},
    )
    program = hwc.compile(content)
    assert_close(program, content, x=data(3, 5), i=np.array(7))
    assert_close(program, content, x=data(1, 5), i=np.array(-(1 << 40)))


def test_results_that_are_arguments_and_constants():
    content = model(
        [node("Relu", "x", "y")],
        {"x": ("f4", ["n"])},
        {"x": ("f4", ["n"]), "c": ("i8", [2]), "y": ("f4", ["n"])},
        {"c": np.array([1, 2])},
    )
    assert_close(hwc.compile(content), content, x=data(5))


def test_what_nothing_needs_is_not_computed():
    content = model(
        [node("Exp", "x", "y"), node("Transpose", "x", "t"), node("Sin", "t", "s")],
        {"x": ("f4", ["n", "m"])},
        {"y": ("f4", ["n", "m"])},
    )
    assert kinds(hwc.compile(content)) == ["machine"]


VIEWS = {
    "a reshape that keeps a size": ([node("Reshape", "e s", "r")], "s", [0, -1]),
    "a reshape to static sizes": ([node("Reshape", "e s", "r")], "s", [-1, 6]),
    "unsqueeze": ([node("Unsqueeze", "e s", "r")], "s", [1, -1]),
    "squeeze": ([node("Unsqueeze", "e s", "u"), node("Squeeze", "u s", "r")], "s", [0, 2]),
    "flatten": ([node("Unsqueeze", "e s", "u"), node("Flatten", "u", "r", axis=-1)], "s", [0]),
    "flatten to a row": ([node("Flatten", "e", "r", axis=0)], "s", [0]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_part_of_a_region(name):
    nodes, constant, values = VIEWS[name]
    rank = {"unsqueeze": 5, "squeeze": 3}.get(name, 2)
    content = model(
        [node("Exp", "x", "e"), *nodes, node("Add", "r r", "y"), node("Transpose", "r", "t")],
        {"x": ("f4", ["n", "m", 6])},
        {"y": ("f4", ["p"] * rank), "t": ("f4", ["q"] * rank)},
        {constant: np.array(values)},
    )
    program = hwc.compile(content)
    assert kinds(program) == ["machine", "host"]
    for n, m in ((2, 5), (1, 1), (4, 3)):
        assert_close(program, content, x=data(n, m, 6))


def test_views_alone_are_nothing_for_the_machine(tmp_path, capsys):
    content = model(
        [node("Reshape", "x s", "r"), node("Transpose", "r", "t"), node("Identity", "t", "y")],
        {"x": ("f4", ["n", 6])},
        {"y": ("f4", ["m", 3])},
        {"s": np.array([3, -1])},
    )
    (tmp_path / "m.onnx").write_bytes(content)
    assert main(["compile", str(tmp_path / "m.onnx"), "--report"]) == 0
    reason = "nothing beside it is computed by the machine"
    report = capsys.readouterr().err
    assert f"Reshape: {reason}" in report and f"Identity: {reason}" in report
    assert_close(hwc.load(tmp_path / "m.hwx"), content, x=data(4, 6))


@pytest.mark.parametrize("version", [12, 20])
@pytest.mark.parametrize("end", ["Tanh", None])
def test_the_rank_after_computed_sizes(version, end):
    """Two reshapes in a row, to sizes that only the host knows."""
    last = [node("Reshape", "e sizes", "r2" if end else "y")]
    if end:
        last.append(node(end, "r2", "y"))
    content = model(
        [
            node("Shape", "x", "sizes"),
            node("Slice", "sizes zero two", "front"),
            node("Concat", "front rest", "joined", axis=0),
            node("Abs", "x", "a"),
            node("Reshape", "a joined", "r"),
            node("Exp", "r", "e"),
            *last,
        ],
        {"x": ("f4", ["n", "m", "k", 2])},
        {"y": ("f4", ["n", "m", "k", 2])},
        {"zero": np.array([0]), "two": np.array([2]), "rest": np.array([-1])},
        version=version,
    )
    program = hwc.compile(content)
    assert kinds(program).count("machine") == (3 if end else 2)
    for shape in ((2, 3, 4, 2), (1, 1, 5, 2)):
        assert_close(program, content, x=data(*shape))


def test_an_if_reads_values_around_it():
    def branch(operator):
        value = helper.make_tensor_value_info("b", onnx.TensorProto.FLOAT, ["n"])
        return helper.make_graph(
            [helper.make_node(operator, ["e", "w"], ["b"])], operator, [], [value]
        )

    content = model(
        [
            node("Exp", "x", "e"),
            helper.make_node(
                "If", ["p"], ["c"], then_branch=branch("Add"), else_branch=branch("Mul")
            ),
            node("Tanh", "c", "y"),
        ],
        {"x": ("f4", ["n"]), "p": ("?", [])},
        {"y": ("f4", ["n"])},
        {"w": np.array([2], np.float32)},
    )
    program = hwc.compile(content)
    assert kinds(program) == ["machine", "host", "machine"]
    for p in (True, False):
        assert_close(program, content, x=data(5), p=np.array(p))


def test_constants_are_in_the_package_once():
    weights = data(1000)
    content = model(
        [
            node("Add", "x w", "a"),
            node("Transpose", "a", "t"),
            node("Mul", "t w", "y"),
        ],
        {"x": ("f4", ["n", 1000])},
        {"y": ("f4", ["m", 1000])},
        {"w": weights},
    )
    package = hwc.compile(content).package
    assert kinds(hwc.compile(content)) == ["machine", "host", "machine"]
    assert to_bytes(package).count(weights.tobytes()) == 1


def test_weights_of_parts_on_the_host_are_mapped_and_shared(tmp_path):
    """Of every type; two steps have one of them together."""
    large = np.arange(1200).reshape(30, 40) % 100
    types = ("f4", "f8", "f2", "i8", "i4", "i2", "i1", "?")
    weights = {f"w{i}": (large % 100).astype(type_) for i, type_ in enumerate(types)}
    nodes = [node("Gather", f"{name} i", f"t{name}", axis=1) for name in weights]
    nodes += [node("MatMul", "x w0", "a"), node("Tanh", "a", "b")]
    nodes += [node("Transpose", "b", "c"), node("MatMul", "w0 c", "y")]
    outputs = {f"tw{i}": (type_, [30, "k"]) for i, type_ in enumerate(types)}
    inputs = {"x": ("f4", ["n", 30]), "i": ("i8", ["k"])}
    content = model(nodes, inputs, {"y": ("f4", [30, "n"]), **outputs}, weights)
    program = hwc.compile(content)
    assert kinds(program) == ["host", "machine", "host"]
    assert [len(step.weights) for step in program.package.host_steps] == [len(types), 1]
    assert to_bytes(program.package).count(weights["w0"].tobytes()) == 1
    program.save(tmp_path / "m.hwx")
    loaded = hwc.load(tmp_path / "m.hwx")
    for n in (3, 1):
        x = data(n, 30) / 64
        assert_close(program, content, x=x, i=np.arange(5))
        assert_close(loaded, content, x=x, i=np.array([3]))


def test_a_region_that_does_not_compile_stays_on_the_host(monkeypatch, net, capsys, tmp_path):
    original = compiler.build_package

    def refuse(module, target, name, digest):
        if name.endswith("Sigmoid"):
            raise UserError(f"{name}: error: too many streams")
        return original(module, target, name, digest)

    monkeypatch.setattr(compiler, "build_package", refuse)
    (tmp_path / "net.onnx").write_bytes(net)
    assert main(["compile", str(tmp_path / "net.onnx"), "--report"]) == 0
    assert "Sigmoid: its region does not compile: too many streams" in capsys.readouterr().err
    assert_close(hwc.load(tmp_path / "net.hwx"), net, x=data(1, 3, 8, 8))


def test_a_stand_in_for_the_session(net, tmp_path):
    proto = onnx.load_model_from_string(net)
    helper.set_model_props(proto, {"classes": "4"})
    path, package = tmp_path / "net.onnx", tmp_path / "net.hwx"
    onnx.save(proto, path)
    theirs = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    ours = InferenceSession(str(path), None, providers=["CPUExecutionProvider"])
    assert ours.get_modelmeta().custom_metadata_map == {"classes": "4"}
    assert ours.get_modelmeta().graph_name == theirs.get_modelmeta().graph_name
    (mine,), (other,) = ours.get_inputs(), theirs.get_inputs()
    assert (mine.name, mine.type, mine.shape) == (other.name, other.type, other.shape)
    assert [o.name for o in ours.get_outputs()] == [o.name for o in theirs.get_outputs()]
    feeds = {"x": data(1, 3, 8, 8)}
    ours.program.save(package)
    for session in (ours, InferenceSession(package), InferenceSession(net)):
        for names in (None, ["y"]):
            (got,), (wanted,) = session.run(names, feeds), theirs.run(names, feeds)
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
        assert session.result is not None and session.result.cycles > 0
    for names, given, message in (
        (["z"], feeds, "there is no result 'z': known are y"),
        (None, {"x": feeds["x"], "z": 1}, "there is no argument 'z': known are x"),
        (None, {}, "argument 'x' is missing"),
    ):
        with pytest.raises(DispatchError, match=message):
            ours.run(names, given)
    with pytest.raises(AttributeError, match=r"module 'hwc\.onnx' has no attribute 'Session'"):
        _ = hwc.onnx.Session


def test_an_application_puts_the_stand_in_in_onnxruntimes_place(net, monkeypatch):
    (wanted,) = expected(net, {"x": data(2, 3, 8, 8)})
    monkeypatch.setattr(onnxruntime, "InferenceSession", InferenceSession)
    session = onnxruntime.InferenceSession(net, providers=["CPUExecutionProvider"])
    (got,) = session.run(["y"], {"x": data(2, 3, 8, 8).tolist()})  # a list takes the model's type
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    with pytest.raises(DispatchError, match="'x': cannot make an array of f32 from a list"):
        session.run(None, {"x": [[1.0], [1.0, 2.0]]})


def test_other_names_are_those_of_onnxruntime(monkeypatch):
    assert hwc.onnx.SessionOptions is onnxruntime.SessionOptions
    assert hwc.onnx.get_device is onnxruntime.get_device
    assert hwc.onnx.InferenceSession is not onnxruntime.InferenceSession
    for name in ("Session", "__version"):
        with pytest.raises(AttributeError, match=f"module 'hwc.onnx' has no attribute '{name}'"):
            getattr(hwc.onnx, name)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert not hasattr(hwc.onnx, "SessionOptions")
