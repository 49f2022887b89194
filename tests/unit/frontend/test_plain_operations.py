"""Plain operations are read at once, and become what reading them token by token makes of them."""

import pytest
from parsed import outcome

from hwc.frontend import xdsl_parser

ROWS, ROW = "tensor<?x?xf32>", "tensor<1x?xf32>"
TWO = f"({ROWS}, {ROW}) -> {ROWS}"

BODIES = {
    "pretty": f"%0 = tosa.add %a, %b : {TWO}\n  %1 = tosa.add %0 , %b: {TWO}",
    "generic": f'%0 = "tosa.add"(%a, %b) : {TWO}\n  %1 = "tosa.sub"(%0, %b) {{}} : {TWO}',
    "two on a line": f"%0 = tosa.add %a, %b : {TWO} %1 = tosa.add %0, %b : {TWO}",
    "locations": f"%0 = tosa.add %a, %b : {TWO} loc(#l)\n %1 = tosa.add %0, %b : {TWO}\n loc(#l)",
    "comments": f"%0 = tosa.add %a, %b : {TWO} // first\n // second\n %1 = tosa.add %0, %b : {TWO}",
    "names": f"%x.1-a = tosa.add %a, %b : {TWO}\n  %$_ = tosa.sub %x.1-a, %b : {TWO}",
    "a number of results": f"%0:1 = tosa.add %a, %b : {TWO}\n %1 = tosa.sub %0#0, %b : {TWO}",
    "attributes": f"%0 = tosa.maximum %a, %b {{nan_mode = PROPAGATE}} : {TWO}\n"
    f' %1 = "tosa.maximum"(%0, %b) {{nan_mode = "IGNORE"}} : {TWO}',
    "lines": f"%0 = tosa.add %a, %b : {TWO}\n %1 =\n tosa.add\n %0, %b\n : {TWO}",
    "defined twice": f"%0 = tosa.add %a, %b : {TWO}\n  %0 = tosa.sub %a, %b : {TWO}",
    "defined below": f"%0 = tosa.add %a, %b : {TWO}\n  %1 = tosa.sub %2, %b : {TWO}",
    "another type": f"%0 = tosa.add %a, %b : {TWO}\n  %1 = tosa.sub %b, %a : {TWO}",
    "operands missing": f"%0 = tosa.add %a, %b : {TWO}\n  %1 = tosa.sub %a : {TWO}",
    "operands too many": f"%0 = tosa.add %a, %b : {TWO}\n  %1 = tosa.sub %a, %b, %b : {TWO}",
    "no operator": f"%0 = tosa.add %a, %b : {TWO}\n  %1 = tosa.added %a, %b : {TWO}",
    "a shape": f"%0 = tosa.add %a, %b : {TWO}\n  %1 = tosa.concat_shape %a, %b : {TWO}",
}


def read(body):
    """Return everything that a program with this body becomes, or its error."""
    return outcome(
        f"#l = loc(unknown)\nfunc.func @main(%a: {ROWS}, %b: {ROW}) {{\n  {body}\n  return\n}}\n"
    )


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_both_ways_give_the_same(body, monkeypatch):
    at_once = read(body)
    monkeypatch.setattr(xdsl_parser, "find_plain", lambda *_: None)
    assert at_once == read(body)


@pytest.mark.parametrize("kind", ["pretty", "generic", "two on a line", "names"])
def test_plain_operations_are_read_at_once(kind, monkeypatch):
    """The second one is, whose types are those of the first one."""
    token_by_token: list[str] = []
    original = xdsl_parser.LocatingParser._get_op_by_name  # noqa: SLF001 - what reads names

    def noted(parser, name):
        token_by_token.append(name)
        return original(parser, name)

    monkeypatch.setattr(xdsl_parser.LocatingParser, "_get_op_by_name", noted)
    assert not read(BODIES[kind]).startswith("error")
    assert [name for name in token_by_token if name.startswith("tosa.")] == ["tosa.add"]
