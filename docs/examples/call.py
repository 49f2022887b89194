"""Compile a program once, call it with several shapes, and see what a call costs."""

import numpy as np

import hwc

SHAPES = [((64, 128), (1, 128)), ((64, 128), (64, 1)), ((64, 128), (1, 1)), ((1, 3), (5, 1))]

program = hwc.compile("bias_tanh.mlir", target="accel")
rng = np.random.default_rng(0)

print(f"{'shape of x':12} {'shape of bias':15} {'cycles':>6}  bytes read")
for shapes in SHAPES:
    x, bias = (rng.standard_normal(shape, dtype=np.float32) for shape in shapes)
    result = program(x, bias)
    (y,) = result.outputs
    assert np.allclose(y, np.tanh(x + bias), rtol=1e-6, atol=1e-7)
    shown = ("x".join(map(str, shape)) for shape in shapes)
    read = result.counters["bytes_read"]
    print("{:12} {:15} {:6}  {:10}".format(*shown, result.cycles, read))

# A call that does not fit raises before anything runs.
try:
    program(np.ones((4, 5), np.float32), np.ones((3, 5), np.float32))
except hwc.DispatchError as error:
    print("refused:", error)

# Nothing is converted silently.
try:
    program(np.ones((4, 5)), np.ones((1, 5)))
except hwc.DispatchError as error:
    print("refused:", error)

# A package holds the program for later, and for other processes.
program.save("bias_tanh.hwx")
loaded = hwc.load("bias_tanh.hwx")
print("loaded:", ", ".join(map(str, loaded.inputs)), "->", ", ".join(map(str, loaded.outputs)))
