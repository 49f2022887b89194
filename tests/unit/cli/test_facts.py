"""`hwc compile` takes what a caller says about sizes, and `hwc info` shows it."""

import pytest

from hwc.cli.main import main

TEXT = """\
func.func @main(%a: tensor<?x?xf32> {hwc.symbols = ["n", "d"]},
                %b: tensor<?x?xf32> {hwc.symbols = ["m", "d"]}, %c: tensor<?xf32>)
    -> (tensor<?x?xf32>, tensor<?xf32>) attributes {hwc.assume = ["n in {1, m}", "d % 8 == 0"]} {
  %0 = tosa.add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.exp %c : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?xf32>
}
"""


@pytest.fixture
def info(tmp_path, capsys):
    """Compiles with some options and returns the lines of `hwc info`."""
    source, package = tmp_path / "m.mlir", tmp_path / "m.hwx"

    def run(options=(), show=(), text=TEXT):
        source.write_text(text)
        assert main(["compile", str(source), *options]) == 0
        assert main(["info", str(package), *show]) == 0
        return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    return run


def test_info_shows_the_facts_of_every_size(info):
    options = ["--assume", "8 <= d <= 4096", "--assume", "c.0 == 4"]
    assert info(options, ["--facts"]) == [
        "facts: 4 sizes",
        "n %a.0 1 or m",
        "d %a.1, %b.1 8 to 4096, a multiple of 8",
        "m %b.0 0 or more",
        "s0 %c.0 equal to 4",
    ]


def test_a_size_that_an_operation_gives(info):
    text = TEXT.replace('["n in {1, m}", "d % 8 == 0"]', "[]")
    assert "d0 d0 = broadcast(n, m) 0 or more" in info(show=["--facts"], text=text)


def test_a_value_that_is_not_a_size_has_no_facts(info):
    text = """\
func.func @main(%a: tensor<?x?xf32>) -> tensor<?xf32> {
  %n = tosa.dim %a {axis = 0 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %d = tosa.dim %a {axis = 1 : i32} : (tensor<?x?xf32>) -> !tosa.shape<1>
  %0 = tosa.sub_shape %n, %d : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %1 = tosa.add_shape %0, %n : (!tosa.shape<1>, !tosa.shape<1>) -> !tosa.shape<1>
  %2 = tosa.reshape %a, %1 : (tensor<?x?xf32>, !tosa.shape<1>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
"""
    assert info(show=["--facts"], text=text) == [
        "facts: 3 sizes",
        "s0 %a.0 0 or more",
        "s1 %a.1 0 or more",
        "n1 n1 = addi(n0, s0) 0 or more",
    ]


def test_info_shows_the_modes(info):
    assert "broadcast numpy, ranks pad" in info()
    assert "broadcast strict, ranks equal" in info(["--broadcast", "strict", "--ranks", "equal"])


def test_info_uses_the_names(info):
    lines = info()
    assert any(line.startswith("%a tensor<?x?xf32> nxdxf32") for line in lines)
    assert any(line.startswith("packet version ") and " n d m" in line for line in lines)


def test_a_fact_that_cannot_be_read_is_one_error(tmp_path, capsys):
    source = tmp_path / "m.mlir"
    source.write_text(TEXT)
    assert main(["compile", str(source), "--assume", "n <"]) == 1
    error = capsys.readouterr().err
    assert error.startswith(
        f"{source}:1:1: error: cannot read the fact 'n <' of function @main: "
        "expected a size after '<', got the end\n"
    )
    assert not (tmp_path / "m.hwx").exists()
