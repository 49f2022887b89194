"""Models of MediaPipe in MediaPipe: the reference for operators that no other engine has."""

from __future__ import annotations

from pathlib import Path

import numpy as np

_GRAPH = """\
input_stream: "image"
{outputs}
node {{
  calculator: "ImageToTensorCalculator" input_stream: "IMAGE:image" output_stream: "TENSORS:given"
  options: {{ [mediapipe.ImageToTensorCalculatorOptions.ext] {{
    output_tensor_width: {width} output_tensor_height: {height} keep_aspect_ratio: false
    output_tensor_float_range {{ min: 0.0 max: 1.0 }} border_mode: BORDER_ZERO }} }}
}}
node {{
  calculator: "TfLiteCustomOpResolverCalculator" output_side_packet: "OP_RESOLVER:operators"
  options: {{ [mediapipe.TfLiteCustomOpResolverCalculatorOptions.ext] {{ use_gpu: false }} }}
}}
node {{
  calculator: "InferenceCalculator" input_side_packet: "OP_RESOLVER:operators"
  input_stream: "TENSORS:given" output_stream: "TENSORS:made"
  options: {{ [mediapipe.InferenceCalculatorOptions.ext] {{
    model_path: "{path}" delegate {{ tflite {{}} }} }} }}
}}
node {{
  calculator: "SplitTensorVectorCalculator" input_stream: "made" {parts}
  options: {{ [mediapipe.SplitVectorCalculatorOptions.ext] {{ {ranges} }} }}
}}
{floats}
"""
_FLOATS = """\
node {{
  calculator: "TensorsToFloatsCalculator"
  input_stream: "TENSORS:part{number}" output_stream: "FLOATS:floats{number}"
}}"""


def results(path: Path, image: np.ndarray, count: int) -> list[np.ndarray]:
    """Return the `count` results of a model, each in one dimension.

    `image` is height x width x 3 of uint8, in the size of the model; the model sees it from 0 to 1.
    """
    import mediapipe  # noqa: F401, PLC0415 - slow to import; its calculators come with it
    from mediapipe.python import packet_creator, packet_getter  # noqa: PLC0415
    from mediapipe.python._framework_bindings import calculator_graph, image_frame  # noqa: PLC0415

    def each(text: str) -> str:
        return " ".join(text.format(number=n, end=n + 1) for n in range(count))

    graph = calculator_graph.CalculatorGraph(
        graph_config=_GRAPH.format(
            outputs=each('output_stream: "floats{number}"'),
            parts=each('output_stream: "part{number}"'),
            ranges=each("ranges: {{ begin: {number} end: {end} }}"),
            floats=each(_FLOATS),
            path=path,
            height=image.shape[0],
            width=image.shape[1],
        )
    )
    found: dict[str, list[float]] = {}
    for number in range(count):
        graph.observe_output_stream(
            f"floats{number}",
            lambda name, packet: found.update({name: packet_getter.get_float_list(packet)}),
        )
    graph.start_run()
    frame = packet_creator.create_image_frame(
        np.ascontiguousarray(image), image_format=image_frame.ImageFormat.SRGB
    )
    graph.add_packet_to_input_stream("image", frame.at(1))
    graph.wait_until_idle()
    graph.close()
    return [np.array(found[f"floats{number}"], np.float32) for number in range(count)]
