"""Target files: the three that have names, derived sizes, and every error."""

import dataclasses

import pytest

from isa.errors import TargetError
from isa.target import CONFIGS, RULES, Target, load_target, target_names

ACCEL = (CONFIGS / "accel.yaml").read_text()


@pytest.fixture
def write(tmp_path):
    def write_target(*replacements):
        text = ACCEL
        for old, new in replacements:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        path = tmp_path / "mine.yaml"
        path.write_text(text)
        return path

    return write_target


def refused(path):
    with pytest.raises(TargetError) as caught:
        load_target(path)
    return str(caught.value)


def test_the_targets_of_the_checkout():
    assert target_names() == ["accel", "tiny", "wide"]
    values = {name: tuple(load_target(name).to_dict().values()) for name in target_names()}
    assert values == {
        "accel": ("accel", 8, 256, 16, 6, 2, 8192, 256, 64, 64, 64, 2, 1024, 256, 40),
        "tiny": ("tiny", 2, 64, 16, 4, 1, 2048, 64, 16, 64, 32, 1, 512, 64, 32),
        "wide": ("wide", 16, 512, 32, 8, 4, 16384, 512, 64, 64, 100, 4, 4096, 1024, 48),
    }


def test_the_configurations_have_the_same_keys_in_the_same_order():
    keys = {
        path.stem: [line.split(":")[0] for line in path.read_text().splitlines() if line[0] != "#"]
        for path in CONFIGS.glob("*.yaml")
    }
    expected = [field.name for field in dataclasses.fields(Target)]
    assert keys == dict.fromkeys(target_names(), expected)


def test_derived_sizes():
    accel, tiny, wide = map(load_target, ("accel", "tiny", "wide"))
    assert [t.axi_bytes for t in (accel, tiny, wide)] == [32, 8, 64]
    assert [t.row_bytes for t in (accel, tiny, wide)] == [32, 8, 64]
    assert [t.ring_capacity for t in (accel, tiny, wide)] == [8256, 2064, 16512]
    assert [t.burst_gap for t in (accel, tiny, wide)] == [2, 3, 2]
    assert [t.rate("alu") for t in (accel, tiny, wide)] == [8, 2, 16]
    assert [t.rate("sfu") for t in (accel, tiny, wide)] == [2, 1, 4]
    narrow_bus = dataclasses.replace(accel, axi_bits=64)
    assert narrow_bus.row_bytes == 32
    assert dataclasses.replace(accel, memory_latency=61, outstanding=1).burst_gap == 64


def test_round_trip_through_a_dictionary():
    for name in target_names():
        target = load_target(name)
        assert Target.from_dict(target.to_dict()) == target
        with pytest.raises(dataclasses.FrozenInstanceError):
            target.lanes = 4  # type: ignore[misc]


def test_a_file_by_its_path(write):
    path = write(("name: accel", "name: mine"), ("lanes: 8", "lanes: 4"))
    assert load_target(path) == load_target(str(path))
    assert load_target(path).lanes == 4


@pytest.mark.parametrize(
    ("file", "name", "expected"),
    [
        ("mine.yaml", "accel", "mine"),
        ("my-Accel 2.yaml", "tiny", "my_accel_2"),
        ("8.yaml", "accel", "target_8"),
        ("accel.yaml", "accel", "accel"),
        ("mine.yaml", "other", "other"),
    ],
)
def test_a_copy_is_named_after_its_file(tmp_path, file, name, expected):
    (tmp_path / file).write_text(ACCEL.replace("name: accel", f"name: {name}"))
    target = load_target(tmp_path / file)
    assert target == dataclasses.replace(load_target("accel"), name=expected)
    assert Target.from_dict(target.to_dict()) == target


def test_unknown_key_with_file_and_line(write):
    path = write(("vlen: 256", "vlem: 256"))
    message = refused(path)
    assert message.startswith(f"{path}:4: error: unknown key 'vlem'; allowed: name, lanes, vlen, ")


def test_missing_key(write):
    path = write(("vlen: 256", "# "))
    expected = f"{path}:1: error: missing key 'vlen'; allowed: a power of two from 16 to 4096"
    assert refused(path) == expected


def test_duplicate_key(write):
    path = write(("vlen: 256", "lanes: 256"))
    assert refused(path) == f"{path}:4: error: duplicate key 'lanes', first given in line 3"


@pytest.mark.parametrize("text", ["8.0", "'8'", "true", "~", "[8]", "{a: 8}", "eight", "-8", "1e1"])
@pytest.mark.parametrize("key", RULES)
def test_wrong_types(write, key, text):
    value = load_target("accel").to_dict()[key]
    path = write((f"\n{key}: {value}", f"\n{key}: {text} #"))
    line = list(load_target("accel").to_dict()).index(key) + 2
    message = refused(path)
    assert message.startswith(f"{path}:{line}: error: {key}: got ")
    assert message.endswith(f"; allowed: {RULES[key]}")


@pytest.mark.parametrize("name", ["8", "''", "Accel", "a b", "~", "[a]", "../a"])
def test_wrong_names(write, name):
    path = write(("name: accel", f"name: {name}"))
    message = refused(path)
    assert message.startswith(f"{path}:2: error: name: got ")
    assert message.endswith("allowed: lower-case letters, digits and '_', a letter first")


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("lanes", 1, "a power of two from 2 to 64"),
        ("lanes", 7, "a power of two from 2 to 64"),
        ("lanes", 128, "a power of two from 2 to 64"),
        ("vlen", 255, "a power of two from 16 to 4096"),
        ("vlen", 8192, "a power of two from 16 to 4096"),
        ("vlen", 32, "at least 64, 8 times lanes (8)"),
        ("vector_registers", 0, "a power of two from 1 to 32"),
        ("vector_registers", 12, "a power of two from 1 to 32"),
        ("vector_registers", 64, "a power of two from 1 to 32"),
        ("input_streams", 0, "an integer from 1 to 8"),
        ("input_streams", 9, "an integer from 1 to 8"),
        ("output_streams", 0, "an integer from 1 to 8"),
        ("output_streams", 9, "an integer from 1 to 8"),
        ("ring_bytes", 8000, "a power of two from 256 to 1048576"),
        (
            "ring_bytes",
            2048,
            "at least 2112: two strips of 256 32-bit elements and two bus words of 32 bytes",
        ),
        ("axi_bits", 32, "a power of two from 64 to 1024"),
        ("axi_bits", 2048, "a power of two from 64 to 1024"),
        ("axi_bits", 96, "a power of two from 64 to 1024"),
        ("outstanding", 0, "an integer from 1 to 1024"),
        ("burst_beats", 0, "a power of two from 1 to 256"),
        ("burst_beats", 48, "a power of two from 1 to 256"),
        (
            "burst_beats",
            256,
            "at most 128: a burst of 256-bit bus words has at most 4096 bytes",
        ),
        (
            "burst_beats",
            1,
            "at least 2, the cycles between requests that memory_latency (64) and "
            "outstanding (64) leave",
        ),
        ("memory_latency", 0, "an integer from 1 to 65535"),
        ("special_rate", 0, "a power of two from 1 to 64"),
        ("special_rate", 3, "a power of two from 1 to 64"),
        ("special_rate", 16, "at most lanes (8)"),
        ("instruction_words", 15, "an integer from 16 to 65536"),
        ("parameter_words", 15, "an integer from 16 to 2048"),
        ("parameter_words", 2049, "an integer from 16 to 2048"),
        ("address_bits", 19, "an integer from 20 to 64"),
        ("address_bits", 65, "an integer from 20 to 64"),
    ],
)
def test_values_out_of_range(key, value, allowed):
    values = {**load_target("accel").to_dict(), key: value}
    with pytest.raises(TargetError) as caught:
        Target.from_dict(values, where="a.hwx: target")
    assert str(caught.value) == f"a.hwx: target: error: {key}: got {value}; allowed: {allowed}"


@pytest.mark.parametrize("bad", ["none", "Accel", "accel2"])
def test_unknown_names(bad):
    expected = f"error: unknown target '{bad}'; known targets: accel, tiny, wide; or give the path"
    assert refused(bad).startswith(expected)


def test_files_that_cannot_be_read(tmp_path):
    missing = tmp_path / "none.yaml"
    assert refused(missing) == f"{missing}: error: cannot be read: No such file or directory"
    assert refused(tmp_path) == f"{tmp_path}: error: cannot be read: Is a directory"


@pytest.mark.parametrize("text", ["", "- 1\n", "accel\n", "7\n"])
def test_files_without_keys(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    expected = f"{path}: error: expected the keys of a target, one `key: value` per line"
    assert refused(path) == expected


def test_broken_yaml(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("name: accel\nlanes: [8\n")
    assert refused(path).startswith(f"{path}:3:1: error: is not valid YAML: ")
