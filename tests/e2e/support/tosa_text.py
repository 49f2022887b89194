"""Programs as MLIR text, written from shapes and operator names."""

from collections.abc import Sequence

Shape = Sequence[int | None]


def tensor(shape: Shape, element_type: str) -> str:
    """A tensor type; None is a dynamic size."""
    return "tensor<" + "".join(f"{'?' if d is None else d}x" for d in shape) + f"{element_type}>"


def dynamic(rank: int) -> tuple[None, ...]:
    """A fully dynamic shape."""
    return (None,) * rank


def constant(name: str, value: str, element_type: str, rank: int = 1) -> str:
    """One line that defines a constant of one element."""
    of = tensor((1,) * rank, element_type)
    return f'  {name} = "tosa.const"() {{values = dense<{value}> : {of}}} : () -> {of}\n'


def one_operator(
    operator: str,
    operands: Sequence[tuple[Shape, str]],
    result: tuple[Shape, str],
    attributes: str = "",
    constants: Sequence[tuple[str, str]] = (),
) -> str:
    """A program of one operator in generic form.

    `operands` are shapes and element types of the arguments %a, %b, ...; `constants` the values and
    types of further constant operands of one element.
    """
    names = [f"%{chr(ord('a') + i)}" for i in range(len(operands))]
    types = [tensor(*operand) for operand in operands]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    text = f"func.func @main({arguments}) -> {tensor(*result)} {{\n"
    for i, (value, element_type) in enumerate(constants):
        text += constant(f"%k{i}", value, element_type)
        names.append(f"%k{i}")
        types.append(tensor((1,), element_type))
    text += f'  %r = "tosa.{operator}"({", ".join(names)}) {{{attributes}}} : '
    text += f"({', '.join(types)}) -> {tensor(*result)}\n"
    return text + f"  return %r : {tensor(*result)}\n}}\n"


def add_program(a: Shape, b: Shape, result: Shape, element_type: str = "f32") -> str:
    """A program of one addition."""
    return one_operator("add", [(a, element_type), (b, element_type)], (result, element_type))


def chain_program(shapes: Sequence[Shape], result: Shape) -> str:
    """tanh((a + b) * c) - d over four shapes of one rank; sizes between come from broadcasting."""
    types = [tensor(s, "f32") for s in shapes]
    between = [shapes[0]]
    for shape in shapes[1:]:
        sizes = []
        for x, y in zip(between[-1], shape, strict=True):
            sizes.append(None if x is None or y is None else max(x, y))
        between.append(tuple(sizes))
    t1, t2 = tensor(between[1], "f32"), tensor(between[2], "f32")
    out = tensor(result, "f32")
    arguments = ", ".join(f"%{n}: {t}" for n, t in zip("abcd", types, strict=True))
    return (
        f"func.func @main({arguments}) -> {out} {{\n"
        + constant("%s", "0", "i8")
        + f"  %0 = tosa.add %a, %b : ({types[0]}, {types[1]}) -> {t1}\n"
        + f"  %1 = tosa.mul %0, %c, %s : ({t1}, {types[2]}, tensor<1xi8>) -> {t2}\n"
        + f"  %2 = tosa.tanh %1 : ({t2}) -> {t2}\n"
        + f"  %3 = tosa.sub %2, %d : ({t2}, {types[3]}) -> {out}\n"
        + f"  return %3 : {out}\n}}\n"
    )
