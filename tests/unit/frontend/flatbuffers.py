"""Writing flatbuffers from the tables of the schema, also ones that no program would write."""

from __future__ import annotations

from dataclasses import fields

from flatbuffers import Builder

from hwc.frontend import tosa_schema as schema

IDENTIFIER = b"TOSA"
_NUMBERS = {
    "bool": Builder.PrependBool,
    "uint8": Builder.PrependUint8,
    "int32": Builder.PrependInt32,
    "uint32": Builder.PrependUint32,
    "uint64": Builder.PrependUint64,
}
VERSION = schema.Version(1, 0, 0, draft=False)


def write(table, identifier=IDENTIFIER):
    """The file whose root is a table."""
    builder = Builder()
    builder.Finish(_table(builder, table), file_identifier=identifier)
    return bytes(builder.Output())


def _table(builder, table):
    parts = []
    for number, field in enumerate(fields(table)):
        what, value = field.metadata["stored"], getattr(table, field.name)
        if value is not None and not (isinstance(value, tuple) and not value):
            many = [_part(builder, what.kind, one) for one in value] if what.many else None
            parts.append((number, what.kind, many, value))
    made = [
        (number, None, _vector(builder, kind, many))
        if many
        else (number, kind, _part(builder, kind, value))
        for number, kind, many, value in parts
    ]
    builder.StartObject(len(fields(table)))
    for number, kind, value in made:
        _NUMBERS.get(kind, Builder.PrependUOffsetTRelative)(builder, value)
        builder.Slot(number)
    return builder.EndObject()


def _part(builder, kind, value):
    """A number, or the offset of what is written apart."""
    if kind in _NUMBERS:
        return value
    if kind == "string":
        return builder.CreateString(value)
    if kind == "bytes":
        return builder.CreateByteVector(bytes(value))
    return _table(builder, value)


def _vector(builder, kind, values):
    builder.StartVector(4, len(values), 4)
    for value in reversed(values):
        _NUMBERS.get(kind, Builder.PrependUOffsetTRelative)(builder, value)
    return builder.EndVector()


def tensor(name, type_, shape, data=None):
    """A tensor, with the name of its element type."""
    number = schema.TYPES.index(type_)
    return schema.Tensor(name, tuple(shape), number, None if data is None else memoryview(data))


def operator(name, inputs, outputs, attribute=None):
    """An operator, with its name."""
    number = schema.OPERATORS.index(name)
    return schema.Operator(number, number, attribute, tuple(inputs), tuple(outputs))


def graph(operators, tensors, inputs, outputs, shapes=()):
    """A graph of one region and one block."""
    names = tuple(inputs), tuple(outputs)
    block = schema.BasicBlock("main", tuple(operators), tuple(tensors), *names, tuple(shapes))
    return schema.Graph(VERSION, (schema.Region("main", (block,)),))


def unary(name="abs", type_="FP32", shape=(2, -1), attribute=None):
    """A graph of one operator with one operand."""
    one = operator(name, ["x"], ["y"], attribute)
    return graph([one], [tensor("x", type_, shape), tensor("y", type_, shape)], ["x"], ["y"])


ADD = graph(
    [operator("add", ["x", "c"], ["y"])],
    [
        tensor("x", "INT32", (2, -1)),
        tensor("c", "INT32", (2, 1)),
        tensor("y", "INT32", (2, -1)),
    ],
    ["x", "c"],
    ["y"],
)
