"""`hwc asm` and `hwc disasm`: text, words and packages turn into each other and back."""

import itertools
import re

import numpy as np
import pytest
from unit.backend.choices import one_choice, two_choices

import hwc
from hwc import package as hwx
from hwc.cli.main import main
from hwc.plans.names import all_plans, plan_name


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def add(tmp_path, binary_package):
    hwx.save(binary_package(), tmp_path / "add.hwx")
    return tmp_path / "add.hwx"


@pytest.fixture
def one(tmp_path):
    hwx.save(one_choice(), tmp_path / "one.hwx")
    return tmp_path / "one.hwx"


@pytest.fixture
def assemble(tmp_path, capsys):
    """A function that assembles text; returns the exit code, the file it wrote and the errors."""

    def work(text, *options):
        (tmp_path / "t.s").write_text(text)
        output = tmp_path / "new.hwx"
        code, out, err = run(capsys, "asm", tmp_path / "t.s", "-o", output, *options)
        assert out == ""
        assert output.exists() == (code == 0)
        return code, output, err.replace(str(tmp_path), "")

    return work


@pytest.mark.parametrize("hexadecimal", [[], ["--hex"]])
def test_what_disasm_prints_assembles_to_the_same_package(
    capsys, tmp_path, assemble, binary_package, hexadecimal
):
    for number, package in enumerate((binary_package(), one_choice(), two_choices())):
        path = tmp_path / f"{number}.hwx"
        hwx.save(package, path)
        plans = [[]] + [["--plan", plan_name(package, p)] for p in all_plans(package) if p]
        for plan in plans:
            code, text, _ = run(capsys, "disasm", path, *plan, *hexadecimal)
            assert code == 0
            code, output, err = assemble(text, "--package", path, *plan)
            assert (code, err) == (0, "")
            assert output.read_bytes() == path.read_bytes()
            assert run(capsys, "disasm", output, *plan, *hexadecimal)[1] == text


def test_a_changed_instruction_changes_the_result(capsys, add, assemble):
    _, text, _ = run(capsys, "disasm", add)
    code, output, _ = assemble(text.replace("add.f32", "sub.f32"), "--package", add)
    assert code == 0
    three, one = np.full((1, 1), 3, np.float32), np.ones((1, 1), np.float32)
    assert hwc.load(add)(three, one).outputs[0].tolist() == [[4.0]]
    assert hwc.load(output)(three, one).outputs[0].tolist() == [[2.0]]


def test_a_changed_plan_leaves_the_other_kernels(capsys, one, assemble):
    _, text, _ = run(capsys, "disasm", one, "--plan", "keep-exp")
    text = text.replace("10: ", "10: mov v0, #0\n10: ")
    code, output, err = assemble(text, "--package", one, "--plan", "keep-exp")
    assert (code, err) == (0, "")
    before, after = hwx.load(one).steps[0].kernels, hwx.load(output).steps[0].kernels
    assert before[0] == after[0]
    assert [len(a.words) - len(b.words) for a, b in zip(after, before, strict=True)] == [0, 0, 1]


def test_words_alone(capsys, add, assemble):
    _, text, _ = run(capsys, "disasm", add)
    code, output, _ = assemble(text)
    dispatch = hwx.load(add).dispatches[0]
    assert code == 0
    assert output.read_bytes() == b"".join(w.to_bytes(8, "little") for w in dispatch.words)
    code, words, _ = run(capsys, "disasm", "--words", output, "--hex")
    assert code == 0
    bare = [line.partition(";")[0].rstrip() for line in text.splitlines() if line[0] != ";"]
    assert [line.partition(";")[0].rstrip() for line in words.splitlines()] == bare
    assert words.splitlines()[-1].split() == ["12:", "halt", ";", "0" * 16]
    output.write_bytes(b"\xff" * 8)
    _, words, _ = run(capsys, "disasm", "--words", output, "--hex")
    assert words.split() == [
        "0:", ".word", "0x" + "f" * 16, ";", "f" * 16,
        "illegal_instruction:", "no", "opcode", "0xff",
    ]  # fmt: skip
    output.write_bytes(b"123")
    code, _, err = run(capsys, "disasm", "--words", output)
    assert (code, err) == (1, f"{output}: error: got 3 bytes, expected words of 8 bytes\n")
    code, _, err = run(capsys, "disasm", "--words", output, "--plan", "fused")
    assert (code, err.startswith("--plan: error: plain words have no plans")) == (1, True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("add.f32", "add.f64", "22: error: unknown instruction 'add.f64'; the manual lists"),
        ("loop", "14:", "21: error: expected an instruction"),
        ("p8", "p9", "20: error: there is no parameter p9; there are p0 to p8"),
        ("p0, +0", "p3, +0", "12: error: 'base' takes an address, got the size a0"),
        ("1, p8", "1, p2", "20: error: 'size' takes a size, got the address of r"),
        ("loop", ".word 0xff", "21: error: 0x00000000000000ff: no opcode 0xff"),
        ("loop", "halt", "21: error: 'halt' is not part of a kernel"),
        ("halt", "", "23: error: expected 'halt' after this kernel"),
        ("halt", "loop", "24: error: expected 'halt' after this kernel"),
        ("halt", "halt\nend", "25: error: expected no more words after 1 kernel"),
        ("end", "", "24: error: a kernel ends with 'end': expected 1 kernel"),
        ("loop", "loop\n" * 1024, "12: error: the kernel needs more than the target's 1024 instr"),
    ],
)
def test_what_a_package_cannot_have_is_an_error_with_its_line(
    capsys, add, assemble, old, new, message
):
    _, text, _ = run(capsys, "disasm", add)
    text = "\n".join(line.partition(";")[0][3:].strip() for line in text.splitlines())
    assert old in text
    code, _, err = assemble(text.replace(old, new), "--package", add)
    assert code == 1
    assert err.startswith(f"/t.s:{message}")


def test_texts_without_kernels(add, assemble):
    code, _, err = assemble("; nothing", "--package", add)
    assert code == 1
    assert err == (
        "/t.s: error: the text has no instructions; there are too few kernels: expected 1 kernel\n"
    )


def test_a_stored_kernel_has_no_halt_and_all_kernels_are_expected(capsys, one, assemble):
    _, text, _ = run(capsys, "disasm", one)
    code, _, err = assemble(f"{text}halt\n", "--package", one)
    assert code == 1
    assert "expected no more words after 3 kernels" in err
    plan = plan_name(one_choice(), next(iter(all_plans(one_choice()))))
    _, of_plan, _ = run(capsys, "disasm", one, "--plan", plan)
    code, _, err = assemble(of_plan, "--package", one)
    assert code == 1
    assert "'halt' ends the program of a plan, expected a stored kernel: name the plan" in err
    lines = text.splitlines()
    first = list(itertools.takewhile(lambda line: not line.endswith(": end"), lines))
    code, _, err = assemble("\n".join([*first, "end"]), "--package", one)
    assert code == 1
    assert "there are too few kernels: expected 3 kernels" in err


def test_options_that_need_each_other(capsys, tmp_path, add):
    text = tmp_path / "t.s"
    text.write_text("halt")
    code, _, err = run(capsys, "asm", text, "-o", "-", "--plan", "fused")
    assert (code, err) == (1, "--plan: error: this option needs --package\n")
    code, _, err = run(capsys, "asm", "-", "-o", "-", "--package", "-")
    assert (code, err) == (
        1,
        "-: error: standard input is given 2 times (FILE, --package), expected once at most; "
        "name files for the others\n",
    )


def test_the_word_of_a_fault_has_its_number_in_the_listing(capsys, add, assemble):
    _, text, _ = run(capsys, "disasm", add)
    assert "size o0, 0, p7" in text
    text = text.replace("size o0, 0, p7", "size o0, 0, #99")
    code, wrong, _ = assemble(text, "--package", add)
    assert code == 0
    values = ["--input", "random:64x1", "--input", "random:64x8"]
    code, _, err = run(capsys, "run", wrong, *values)
    assert code == 1
    found = re.search(r"machine fault output_shape in dispatch 0, kernel 0 .*, word (\d+),", err)
    assert found is not None
    assert err.endswith("; `hwc disasm` shows the words\n")
    _, text, _ = run(capsys, "disasm", wrong)
    shown = [
        line.split()[1] for line in text.splitlines() if line.strip().startswith(f"{found[1]}:")
    ]
    assert shown == ["loop"]
