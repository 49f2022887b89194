"""Targets: the sizes of one machine, read strictly from a YAML file such as configs/accel.yaml."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isa import strict_yaml
from isa.errors import TargetError
from isa.load import load
from isa.model import LANE_BITS

CONFIGS = Path(__file__).resolve().parent.parent / "configs"
"""Folder of the named targets, next to `isa` in a checkout and in an installation."""

LANE_BYTES = LANE_BITS // 8
BURST_BYTES = load().limits.window_alignment
"""AXI bursts do not cross a boundary of this many bytes."""


@dataclass(frozen=True)
class Target:
    """Sizes of one machine; `RULES` has the meaning and the range of each."""

    name: str
    lanes: int
    vlen: int
    vector_registers: int
    input_streams: int
    output_streams: int
    ring_bytes: int
    axi_bits: int
    outstanding: int
    burst_beats: int
    memory_latency: int
    special_rate: int
    instruction_words: int
    parameter_words: int
    address_bits: int

    @property
    def axi_bytes(self) -> int:
        """Bytes of a bus word."""
        return self.axi_bits // 8

    @property
    def row_bytes(self) -> int:
        """Bytes of a row of the ring: a bus word or a 32-bit element per lane, the larger."""
        return max(self.axi_bytes, LANE_BYTES * self.lanes)

    @property
    def ring_capacity(self) -> int:
        """Bytes that a ring holds: its nominal bytes and two guard rows."""
        return self.ring_bytes + 2 * self.row_bytes

    @property
    def burst_gap(self) -> int:
        """Least cycles between read requests, so that at most `outstanding` are in flight."""
        return -(-(self.memory_latency + load().timing.read_return) // self.outstanding)

    def rate(self, unit: str, lanes: int | None = None) -> int:
        """Points per cycle of a functional unit; `lanes`, if given, are the kernel's lanes."""
        if load().units[unit].rate == "lanes":
            return self.lanes if lanes is None else lanes
        return self.special_rate

    def registers(self, name: str, copies: int) -> int:
        """Operands of a class that each of `copies` strips has; all operands if not registers."""
        count = load().operands[name].count
        shared = {"vector": self.vector_registers, "result": load().limits.result_registers}
        return min(count, shared[name] // copies) if name in shared else count

    def to_dict(self) -> dict[str, Any]:
        """The keys of the target file, in the file's order."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], where: str = "target") -> Target:
        """The target with these values; raises TargetError, which starts with `where`."""
        return _build(values, lambda key: where)


def load_target(path_or_name: str | Path) -> Target:
    """The target in a YAML file, or a named target (`accel`).

    A file whose target has the name of a named target is a copy, perhaps changed, so the target
    gets the name of the file. Raises a TargetError that names the file, the line, the key, its
    value and what is allowed.
    """
    path = target_path(path_or_name)
    document = strict_yaml.read(path, TargetError)
    if not isinstance(document.data, dict):
        raise TargetError(
            f"{path}: error: expected the keys of a target, one `key: value` per line"
        )
    target = _build(document.data, lambda key: document.where((key,) if key else ()))
    if target.name in target_names():
        return dataclasses.replace(target, name=_name_of(path))
    return target


def _name_of(path: Path) -> str:
    """The name of a file, in the characters allowed in target names."""
    name = re.sub("[^a-z0-9_]", "_", path.stem.lower())
    return name if name[:1].isalpha() else f"target_{name}"


def target_names() -> list[str]:
    """Names that `load_target` accepts besides paths."""
    return sorted(path.stem for path in CONFIGS.glob("*.yaml"))


def target_path(path_or_name: str | Path) -> Path:
    """The file of a named target, or the given path; raises TargetError for other names."""
    text = str(path_or_name)
    if isinstance(path_or_name, str) and re.fullmatch(r"[A-Za-z0-9_-]+", text):
        path = CONFIGS / f"{text}.yaml"
        if path.is_file():
            return path
        raise TargetError(
            f"error: unknown target '{text}'; known targets: {', '.join(target_names())}; "
            "or give the path of a target file"
        )
    return Path(path_or_name)


@dataclass(frozen=True)
class Rule:
    """The meaning of one key and its allowed values: a range, perhaps only powers of two."""

    meaning: str
    low: int
    high: int
    power_of_two: bool = False

    def holds(self, value: int) -> bool:
        """Whether the value is allowed."""
        return self.low <= value <= self.high and not (self.power_of_two and value & (value - 1))

    def __str__(self) -> str:
        """The range in words."""
        what = "a power of two" if self.power_of_two else "an integer"
        return f"{what} from {self.low} to {self.high}"


RULES: dict[str, Rule] = {
    "lanes": Rule("points per cycle of the vector pipe", 2, 64, True),
    "vlen": Rule("points per strip", 16, 4096, True),
    "vector_registers": Rule("vector registers, shared by the copies of a loop", 1, 32, True),
    "input_streams": Rule("input streams", 1, 8),
    "output_streams": Rule("output streams", 1, 8),
    "ring_bytes": Rule("bytes of the ring of each input stream", 256, 1 << 20, True),
    "axi_bits": Rule("width of the data bus in bits", 64, 1024, True),
    "outstanding": Rule("read bursts on the way at a time", 1, 1024),
    "burst_beats": Rule("bus words of the longest burst", 1, 256, True),
    "memory_latency": Rule("cycles from a request to its first beat", 1, 65535),
    "special_rate": Rule("points per cycle of the units whose rate is `special`", 1, 64, True),
    "instruction_words": Rule("64-bit words of the instruction memory", 16, 65536),
    "parameter_words": Rule("64-bit words of the packet memory", 16, 2048),
    "address_bits": Rule("bits of an address", 20, 64),
}
"""Meaning and range of every key except the name; `RELATIONS` are the rules between keys.

Rings and their rows are powers of two, so a ring that is large enough is a whole number of rows.
"""


@dataclass(frozen=True)
class Relation:
    """A rule between keys: `text` for the manual, `allowed` for the error at one target's `key`."""

    key: str
    text: str
    holds: Callable[[Target], bool]
    allowed: Callable[[Target], str]


RELATIONS: tuple[Relation, ...] = (
    Relation(
        "vlen",
        "at least 8 times `lanes`",
        lambda t: t.vlen >= 8 * t.lanes,
        lambda t: f"at least {8 * t.lanes}, 8 times lanes ({t.lanes})",
    ),
    Relation(
        "special_rate",
        "at most `lanes`",
        lambda t: t.special_rate <= t.lanes,
        lambda t: f"at most lanes ({t.lanes})",
    ),
    Relation(
        "ring_bytes",
        "room for two strips of 32-bit elements and two bus words",
        lambda t: t.ring_bytes >= _ring_least(t),
        lambda t: (
            f"at least {_ring_least(t)}: two strips of {t.vlen} 32-bit elements and two bus words "
            f"of {t.axi_bytes} bytes"
        ),
    ),
    Relation(
        "burst_beats",
        f"a burst of at most {BURST_BYTES} bytes",
        lambda t: t.burst_beats * t.axi_bytes <= BURST_BYTES,
        lambda t: (
            f"at most {BURST_BYTES // t.axi_bytes}: "
            f"a burst of {t.axi_bits}-bit bus words has at most {BURST_BYTES} bytes"
        ),
    ),
    Relation(
        "burst_beats",
        "at least the cycles between requests, so that bursts can follow each other",
        lambda t: t.burst_beats >= t.burst_gap,
        lambda t: (
            f"at least {t.burst_gap}, the cycles between requests that memory_latency "
            f"({t.memory_latency}) and outstanding ({t.outstanding}) leave"
        ),
    ),
)


def _ring_least(target: Target) -> int:
    return 2 * target.vlen * LANE_BYTES + 2 * target.axi_bytes


def _build(values: Mapping[str, Any], where: Callable[[str], str]) -> Target:
    keys = [f.name for f in dataclasses.fields(Target)]
    for key in values:
        if key not in keys:
            raise TargetError(
                f"{where(key)}: error: unknown key '{key}'; allowed: {', '.join(keys)}"
            )
    for key in keys:
        if key not in values:
            allowed = RULES.get(key, "a name")
            raise TargetError(f"{where('')}: error: missing key '{key}'; allowed: {allowed}")
    name = values["name"]
    if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise TargetError(
            f"{where('name')}: error: name: got {name!r}; "
            "allowed: lower-case letters, digits and '_', a letter first"
        )
    for key, rule in RULES.items():
        value = values[key]
        if type(value) is not int or not rule.holds(value):
            raise TargetError(f"{where(key)}: error: {key}: got {value!r}; allowed: {rule}")
    target = Target(**values)
    for relation in RELATIONS:
        if not relation.holds(target):
            value = getattr(target, relation.key)
            raise TargetError(
                f"{where(relation.key)}: error: {relation.key}: got {value}; "
                f"allowed: {relation.allowed(target)}"
            )
    return target
