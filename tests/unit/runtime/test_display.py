"""What programs and results look like in an interactive session and in a notebook."""

import dataclasses
import re
from html.parser import HTMLParser

import numpy as np

import hwc
from hwc.runtime import Program
from hwc.runtime.display import LONGEST, ROWS

SOFTER = """func.func @main(%x: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tosa.exp %b : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = tosa.add %x, %0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
"""


class Page(HTMLParser):
    """A piece of HTML, whose elements have to be closed in order; `text` is what one reads."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert all(name == "style" and "color" not in value for name, value in attrs)
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data + "\n"


def many(count):
    """A program with many arguments and results."""
    names = [f"%a{n}" for n in range(count)]
    types = ", ".join(["tensor<?xf32>"] * count)
    arguments = ", ".join(f"{name}: tensor<?xf32>" for name in names)
    body = "".join(
        f"  %r{n} = tosa.abs {name} : (tensor<?xf32>) -> tensor<?xf32>\n"
        for n, name in enumerate(names)
    )
    results = ", ".join(f"%r{n}" for n in range(count))
    text = f"func.func @main({arguments}) -> ({types}) {{\n{body}  return {results} : {types}\n}}\n"
    return hwc.compile(text)


def test_a_program():
    program = hwc.compile(SOFTER)
    assert repr(program).splitlines() == [
        "hwc.Program: main of -",
        "  target      accel, on the device simulator",
        "  argument 0  %x: tensor<?x?xf32>",
        "  argument 1  %b: tensor<?x?xf32>",
        "  result 0    tensor<?x?xf32>",
        f"  plans       {', '.join(program.plans)}",
    ]
    assert len(program.plans) == 2
    page = Page(program._repr_html_())
    for line in repr(program).splitlines()[1:]:
        name, text = line.strip().split("  ", 1)
        assert f"{name}\n{text.strip()}\n" in page.text
    program.close()
    assert "main of - (closed)" in repr(program) and "(closed)" in program._repr_html_()


def test_a_result():
    program = hwc.compile(SOFTER)
    result = program(np.zeros((2, 3), np.float32), np.zeros((1, 1), np.float32))
    lines = repr(result).splitlines()
    assert lines[0].startswith(f"hwc.Result: {result.cycles:,} cycles, ")
    assert lines[0].endswith(f" of the roofline, 52 bytes moved, plan {result.plan}")
    assert lines[1:] == ["  result 0: float32 (2, 3)", "    [[1. 1. 1.]", "     [1. 1. 1.]]"]
    page = Page(result._repr_html_())
    assert lines[0] in page.text and "[[1. 1. 1.]\n [1. 1. 1.]]" in page.text
    assert page.tags.count("details") == 1
    for kernel in result.kernels:
        assert f"{kernel.operators}\n" in page.text and f"{kernel.limit}\n" in page.text
        assert repr(kernel).startswith(f"<kernel {kernel.kernel} of step 0: {kernel.operators}; ")
        assert f"; {kernel.cycles:,} cycles, " in repr(kernel)
        assert f"limit\n{kernel.limit}\n" in Page(kernel._repr_html_()).text
    (step,) = result.steps
    assert repr(step).startswith("<step on the machine: tosa.exp, tosa.add; ")
    assert f"cycles\n{result.cycles:,}\n" in Page(step._repr_html_()).text


def test_the_time_of_a_call():
    timing = hwc.compile(SOFTER).time((300, 400), (1, 400))
    shown = repr(timing)
    assert shown.startswith(f"hwc.Timing: {timing.cycles:,} cycles, ")
    assert shown.endswith(("1 kernel", "2 kernels"))
    assert shown in Page(timing._repr_html_()).text


def test_kernels_are_numbered_in_the_order_of_execution():
    """As in traces and reports, whatever the numbers in the package are."""
    program = hwc.compile(SOFTER)
    plan = "keep-exp"
    timing = program.time((300, 400), (1, 400), plan=plan)
    assert [kernel.kernel for kernel in timing.kernels] == [1, 2]
    html = timing._repr_html_()
    (first,) = re.findall(r"<tr><td[^>]*>0</td><td[^>]*>([^<]*)</td>", html)
    assert first == timing.kernels[0].operators
    assert re.search(r"<tr><td[^>]*>1</td><td[^>]*>tosa.add</td>", html)
    assert f'<td style="text-align:right">{timing.kernels[0].cycles:,}</td>' in html
    assert '<th style="text-align:right">cycles</th>' in html
    assert '<th style="text-align:left">operators</th>' in html


def test_a_large_array_is_short():
    result = hwc.compile(SOFTER)(np.zeros((100, 200), np.float32), np.zeros((1, 1), np.float32))
    assert len(repr(result).splitlines()) <= 10
    assert "..." in repr(result)
    deep = hwc.compile(
        "func.func @main(%x: tensor<?x?x?x?xi8>) -> tensor<?x?x?x?xi8> {"
        " %0 = tosa.abs %x : (tensor<?x?x?x?xi8>) -> tensor<?x?x?x?xi8>"
        " return %0 : tensor<?x?x?x?xi8> }"
    )
    assert len(repr(deep(np.zeros((9, 9, 9, 9), np.int8))).splitlines()) <= 10


def test_a_long_program_is_short():
    count = ROWS + 30
    program = many(count)
    text = repr(program)
    assert len(text.splitlines()) <= 2 * ROWS + 6
    assert text.count("and 30 more") == 2
    assert Page(program._repr_html_()).text.count("and 30 more") == 2
    result = program(*[np.zeros(2, np.float32)] * count)
    assert repr(result).endswith("  and 30 more")
    page = Page(result._repr_html_())
    assert page.text.count("and 30 more") == 2  # results and kernels
    assert "result 11\n" in page.text and "result 12\n" not in page.text


def test_names_are_escaped_and_cut(binary_package):
    name = "<script>&" + "x" * LONGEST
    program = Program(dataclasses.replace(binary_package(), source_name=name))
    html = program._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;&amp;" in html
    assert "x..." in Page(html).text and name not in repr(program)


def test_elements_that_numpy_lacks():
    program = hwc.compile(SOFTER.replace("f32", "bf16"))
    result = program(np.zeros((2, 3), "V2"), np.zeros((1, 1), "V2"))
    assert repr(result).splitlines()[1:] == [
        "  result 0: |V2 (2, 3)",
        "    elements of a type that NumPy lacks",
    ]
