"""The contents of a package as JSON values: what `hwc info --json` prints.

`docs/info.schema.json` describes every key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import isa
from hwc import package as hwx
from hwc.cli.facts import facts
from hwc.package import (
    Buffer,
    BufferRef,
    Choice,
    Dispatch,
    HostStep,
    Kernel,
    MachineStep,
    Package,
    Parameter,
    Tensor,
)
from hwc.plans.cases import FREE, cases
from hwc.plans.choose import Planner
from hwc.plans.names import plan_name
from hwc.shapes.steps import Step
from isa.target import Target

SCHEMA = 1
"""The version of the schema; it goes up when a key is removed or changes its meaning."""

Json = dict[str, Any]


def contents(package: Package, path: str) -> Json:
    """Return everything that `hwc info` says about a package, except facts."""
    return {
        "schema": SCHEMA,
        "package": path,
        "source": package.source_name,
        "entry": package.entry,
        "format": hwx.FORMAT_VERSION,
        "instruction_set": isa.load().version,
        "words": sum(len(kernel.words) for step in package.steps for kernel in step.kernels),
        "constant_bytes": len(package.constants),
        "broadcast": package.broadcast,
        "ranks": package.ranks,
        "target": Target.from_dict(package.target, where=path).to_dict(),
        "inputs": [_tensor(t) for t in package.inputs],
        "outputs": [_tensor(t) for t in package.outputs],
        "shape_program": [_step(step) for step in package.shape_program.steps],
        "buffers": [_buffer(b) for b in package.buffers],
        "host_steps": [
            _host_step(i, step)
            for i, step in enumerate(package.steps)
            if isinstance(step, HostStep)
        ],
        "choices": _choices(package),
        "plan": plan_name(package, package.first_plan) if package.choices else None,
        "dispatches": [_dispatch(dispatch) for dispatch in package.dispatches],
    }


def contents_with_facts(package: Package, path: str) -> Json:
    """Return everything that `hwc info` and `hwc info --facts` say."""
    return {**contents(package, path), "facts": [fact.to_json() for fact in facts(package)]}


def _tensor(tensor: Tensor) -> Json:
    return {
        "name": tensor.name,
        "type": tensor.type,
        "shape": list(tensor.shape),
        "buffer": tensor.buffer,
    }


def _buffer(buffer: Buffer) -> Json:
    return {
        "name": buffer.name,
        "kind": buffer.kind,
        "type": buffer.type,
        "shape": list(buffer.shape),
        "values": list(buffer.values),
    }


def _step(step: Step) -> Json:
    origin = step.origin
    return {
        "step": str(step),
        "operation": origin.operation if origin else None,
        "location": origin.location if origin else None,
    }


def _host_step(number: int, step: HostStep) -> Json:
    return {
        "step": number,
        "engine": step.engine,
        "operators": step.source,
        "inputs": [_tensor(tensor) for tensor in step.inputs],
        "outputs": [_tensor(tensor) for tensor in step.outputs],
        "bytes": len(step.model),
        "function": step.function,
        "weight_bytes": sum(weight.nbytes for weight in step.weights),
    }


def _dispatch(dispatch: Dispatch) -> Json:
    return {
        "words": len(dispatch.words),
        "parameters": [_parameter(p) for p in dispatch.parameters],
        "kernels": list(dispatch.kernels),
    }


def _parameter(parameter: Parameter) -> Json:
    return {"buffer" if isinstance(parameter, BufferRef) else "symbol": parameter.name}


def _choices(package: Package) -> list[Json]:
    if not package.choices:
        return []
    target = Target.from_dict(dict(package.target), where=package.source_name)
    planner = Planner(package, target)
    choices = [
        (step, choice)
        for step in package.steps
        if isinstance(step, MachineStep)
        for choice in step.choices
    ]
    return [
        {
            "alternatives": _alternatives(step, choice),
            "cases": _cases(package, planner, number),
        }
        for number, (step, choice) in enumerate(choices)
    ]


def _alternatives(step: MachineStep, choice: Choice) -> list[Json]:
    return [
        {"name": a.name, "kernels": _kernels([step.kernels[n] for n in a.kernels])}
        for a in choice.alternatives
    ]


def _kernels(kernels: Sequence[Kernel]) -> list[Json]:
    return [{"words": len(kernel.words), "operations": kernel.source} for kernel in kernels]


def _cases(package: Package, planner: Planner, number: int) -> list[Json]:
    names = [alternative.name for alternative in planner.decisions[number].alternatives]
    return [
        {
            "shapes": [list(shape) for shape in case.shapes],
            "free": FREE,
            "best": [{"from": n, "alternative": names[a]} for n, a in case.best],
        }
        for case in cases(package, planner, number)
    ]
