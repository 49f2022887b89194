"""The sizes of one target as a SystemVerilog package, for the build of that target's hardware."""

from __future__ import annotations

from isa.gen.names import camel, constant, generated, package
from isa.target import RULES, Target

_DERIVED = {
    "axi_bytes": "bytes of a bus word",
    "row_bytes": "bytes of a row of a ring",
    "ring_capacity": "bytes that a ring holds, guard rows included",
    "burst_gap": "least cycles between read requests",
}


def sv_target(target: Target) -> str:
    """Text of hwc_target_pkg.sv."""
    rows = [constant(camel(key), getattr(target, key), rule.meaning) for key, rule in RULES.items()]
    rows += [constant(camel(key), getattr(target, key), text) for key, text in _DERIVED.items()]
    return f"// Sizes of a target.\n// {generated(f'the target `{target.name}`')}\n\n" + package(
        "hwc_target_pkg", "".join(rows)
    )
