"""Operators on sequences: recurrent layers and attention."""

from __future__ import annotations

from collections.abc import Mapping

from hwc.models.sizes import Sizes
from hwc.onnx.host_rules.use import Results, Rule, Use
from hwc.shapes import Size

_DIRECTIONS = {"forward": 1, "reverse": 1, "bidirectional": 2}


def _recurrent(use: Use, gates: int) -> Results:
    """X is S x B x I, W is D x gates * H x I, R is D x gates * H x H; see ONNX for the others.

    The initial cell and the peepholes are those of LSTM. With `layout`, X and the results begin
    with the batch.
    """
    write = use.write
    sequence, batch, inner = use.given(0, 3, 3)
    if use.integer("layout", 0):
        sequence, batch = batch, sequence
    directions = _DIRECTIONS.get(use.word("direction", "forward"))
    if directions is None:
        use.refuse(f"has direction = {use.word('direction', '')}")
    hidden: Size = use.given(2, 3, 3)[2]
    if "hidden_size" in use.attributes:
        hidden = write.equal(use.integer("hidden_size", 0), hidden, about="in the hidden size")
    if gates == _GRU:  # ONNX Runtime ends the process
        for size, what in ((sequence, "length"), (batch, "batch"), (hidden, "hidden size")):
            use.positive(size, f"in the {what} of its sequences")
    rows = write.compute("muli", hidden, gates)
    both = write.compute("muli", rows, 2)
    state = (batch, directions, hidden) if use.integer("layout", 0) else (directions, batch, hidden)
    wanted: list[tuple[int, str, Sizes]] = [
        (1, "W", (directions, rows, inner)),
        (2, "R", (directions, rows, hidden)),
        (3, "B", (directions, both)),
        (4, "sequence_lens", (batch,)),
        (5, "initial_h", state),
    ]
    if gates == _LSTM:
        peepholes = write.compute("muli", hidden, 3)
        wanted += [(6, "initial_c", state), (7, "P", (directions, peepholes))]
    for number, name, sizes in wanted:
        use.shaped(number, name, sizes)
    all_states = (batch, sequence, directions, hidden)
    if not use.integer("layout", 0):
        all_states = (sequence, directions, batch, hidden)
    return (all_states, state, state)[: use.results]


_GRU, _LSTM = 3, 4
"""The numbers of gates."""


def _attention(use: Use) -> Results:
    """Q, K and V are B x heads x S x E; of rank 3, B x S x heads * E."""
    write = use.write
    q, k, v = (_heads(use, number, name) for number, name in enumerate(("q", "kv", "kv")))
    batch = write.equal(q[0], k[0], v[0], about="in the batches of Q, K and V")
    write.equal(k[1], v[1], about="in the heads of K and V")
    write.equal(k[2], v[2], about="in the lengths of K and V")
    write.equal(q[3], k[3], about="in the last dimension of Q and K")
    if isinstance(k[1], int) and k[1] > 0:
        write.multiple(q[1], k[1], "in the heads of Q")
    past: Size = 0
    if use.optional(4) is not None:
        past = use.given(4, 4, 4)[2]
        use.shaped(4, "past_key", (batch, k[1], past, k[3]))
        use.shaped(5, "past_value", (batch, k[1], past, v[3]))
    total = write.compute("addi", k[2], past)
    _mask(use, (batch, q[1], q[2], total))
    result = (batch, q[1], q[2], v[3])
    if len(use.given(0)) == _FLAT:
        result = (batch, q[2], write.compute("muli", q[1], v[3]))
    present = ((batch, k[1], total, k[3]), (batch, k[1], total, v[3]))
    return (result, *present, (batch, q[1], q[2], total))[: use.results]


_FLAT = 3


def _heads(use: Use, number: int, name: str) -> Sizes:
    """Return the sizes of Q, K or V as batch, heads, length, size of a head."""
    sizes = use.given(number, 3, 4)
    if len(sizes) != _FLAT:
        return sizes
    heads = use.integer(f"{name}_num_heads", 0)
    if heads < 1:
        use.refuse(f"has {name}_num_heads = {heads}, expected at least 1 for inputs of rank 3")
    write = use.write
    write.multiple(sizes[2], heads, f"of the {heads} heads of input {number}")
    return (sizes[0], heads, sizes[1], write.compute("divui", sizes[2], heads))


def _mask(use: Use, wanted: Sizes) -> None:
    """The mask broadcasts to batch x heads x length x total length, which it may not reach."""
    mask = use.optional(3)
    if mask is None:
        return
    use.given(3, 2, 4)
    for place in range(2, len(mask) + 1):
        use.one_or(mask[-place], wanted[-place], f"in dimension {len(mask) - place} of the mask")
    if use.version < 24:  # noqa: PLR2004 - the mask may be shorter since then
        use.one_or(mask[-1], wanted[-1], "in the last dimension of the mask")
    else:
        use.write.at_most(mask[-1], wanted[-1], "in the last dimension of the mask")


def _rotary_embedding(use: Use) -> Results:
    """Caches of positions x half a head, or of batch x length x half a head without positions."""
    sizes = use.given(0, 3, 4)
    batch, length = sizes[0], sizes[-2] if len(sizes) > _FLAT else sizes[1]
    cosines = use.given(1, 2, 3)
    use.same(cosines, use.given(2))
    if use.optional(3) is not None:
        use.shaped(3, "position_ids", (batch, length))
        use.indices(3, use.given(1, 2, 2)[0], from_end=False)
    else:
        use.given(1, 3, 3)
        use.shaped(1, "cos_cache", (batch, length, cosines[2]))
    return (sizes,)


def _tensor_scatter(use: Use) -> Results:
    """An update of some places along `axis` of a cache, the same sizes elsewhere."""
    sizes = use.given(0, 2)
    update = use.given(1, len(sizes), len(sizes))
    axis = use.axis(len(sizes), -2)
    for dimension, (own, size) in enumerate(zip(update, sizes, strict=True)):
        if dimension == axis:
            use.write.at_most(own, size, f"in dimension {dimension} of the update")
        else:
            use.write.equal(own, size, about=f"in dimension {dimension} of the update")
    use.vector(2, sizes[0], "write_indices")
    return (sizes,)


RULES: Mapping[str, Rule] = {
    "Attention": _attention,
    "RotaryEmbedding": _rotary_embedding,
    "TensorScatter": _tensor_scatter,
    "GRU": lambda use: _recurrent(use, _GRU),
    "LSTM": lambda use: _recurrent(use, _LSTM),
    "RNN": lambda use: _recurrent(use, 1),
}
