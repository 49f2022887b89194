"""The operators of a TFLite model under the names of its file, and the places of errors in it.

The converter keeps the name of the tensor that an operator of TFLite computes as the location of
the operators of TOSA that it becomes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property

from hwc.frontend.diagnostics import LocatedError
from hwc.frontend.flatbuffer import FlatbufferError, parse
from hwc.frontend.source import Location, Place, Source
from hwc.frontend.tflite_schema import ABSENT, Model
from hwc.frontend.unsupported import unknown_custom

_ALIAS = re.compile(r'^(#loc\d*) = loc\((?:"((?:[^"\\]|\\.)*)"|fused\[(#loc\d*))', re.MULTILINE)
_LAST = re.compile(r"loc\((#loc\d*)\)$")
_ERROR = re.compile(r'^loc\((?:fused\[)?"((?:[^"\\]|\\.)*)".*\): error: (.+)$', re.MULTILINE)
_ABOUT = re.compile(r"^'[\w.]+' op ")
_TAIL = 32
"""The characters at the end of a line in which its location is looked for."""


class Names:
    """The operators of the model `content`, the file `name`; none if it cannot be read."""

    def __init__(self, content: bytes, name: str) -> None:
        self._file = name
        self.first_graph: list[Place] = []
        """The operators of the first graph."""
        self._places: dict[str, Place] = {}
        self._custom: list[Place] = []
        try:
            model = parse(content, Model)
        except FlatbufferError:
            model = Model()  # the converter refuses it
        self.model = model
        for number, graph in enumerate(model.graphs):
            inside = f" of graph {number}" if number else ""
            for index, operator in enumerate(graph.operators):
                where = f"operator {index}{inside}"
                if operator.code >= len(model.codes):
                    raise self._damaged(where, "kind", operator.code, len(model.codes))
                code = model.codes[operator.code]
                for tensor in (*operator.inputs, *operator.outputs):
                    if not ABSENT <= tensor < len(graph.tensors):
                        where = f"{where} ({code.name})"
                        raise self._damaged(where, "tensor", tensor, len(graph.tensors))
                results = [graph.tensors[t].name for t in operator.outputs if t != ABSENT]
                result = f", '{results[0]}'" if results else ""
                place = Place(name, f"{where} ({code.name}{result})", code.name)
                if not number:
                    self.first_graph.append(place)
                for each in results:
                    self._places.setdefault(each, place)
                if code.is_custom:
                    self._custom.append(place)

    def place(self, tensor: str) -> Place:
        """Return the place of the operator that computes a tensor; the file if none does."""
        return self._places.get(tensor, Place(self._file))

    def refuse_custom(self, known: Collection[str]) -> None:
        """Refuse the first custom operator that is not `known`.

        Raises:
            LocatedError: there is one.
        """
        for place in self._custom:
            if place.operator not in known:
                raise LocatedError(place, *unknown_custom(place.operator, known))

    def refusal(self, messages: str) -> LocatedError | None:
        """Return the first error among the messages of the converter; None if it writes none."""
        found = _ERROR.search(messages)
        if found is None:
            return None
        reason = _ABOUT.sub("", found[2].strip())
        place = self.place(found[1])
        what = "the converter to TOSA refuses this"
        if not place.part:
            what = "cannot convert the TFLite model to TOSA"
        return LocatedError(place, f"{what}: {reason}")

    def _damaged(self, where: str, kind: str, number: int, count: int) -> LocatedError:
        message = f"this model is damaged: {kind} {number} does not exist, the model has {count}"
        return LocatedError(Place(self._file, where), message, "write the file again")


class ConvertedText(Source):
    """The program that the converter wrote for a model, with places in the model's file."""

    def __init__(self, text: str, names: Names, name: str) -> None:
        super().__init__(name, text)
        self._names = names

    def place(self, position: int) -> Location | Place:
        """Return the operator of TFLite that became the operation at `position`."""
        return self._by_line.get(self.locate(position).line, Place(self.name))

    @cached_property
    def _by_line(self) -> dict[int, Place]:
        tensors: dict[str, str] = {}
        for alias, tensor, first in _ALIAS.findall(self.text):
            tensors[alias] = tensors.get(first, "") if first else tensor
        return {
            line: self._names.place(tensors.get(alias, "")) for line, alias in self._locations()
        }

    def _locations(self) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(self.text.split("\n"), 1):
            if found := _LAST.search(line[-_TAIL:]):
                yield number, found[1]
