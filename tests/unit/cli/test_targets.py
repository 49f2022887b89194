"""`hwc targets`: the named targets, target files, and what it refuses."""

import json

from hwc.cli.main import main
from isa.target import CONFIGS, load_target, target_names


def run(capsys, *argv):
    code = main(["targets", *map(str, argv)])
    captured = capsys.readouterr()
    return code, captured.out.splitlines(), captured.err


def test_every_named_target(capsys):
    code, lines, err = run(capsys)
    assert (code, err) == (0, "")
    files = ["file", *(str(CONFIGS / f"{name}.yaml") for name in target_names())]
    assert [line.removesuffix(file).split() for line, file in zip(lines, files, strict=True)] == [
        ["name", "lanes", "bus", "memory", "latency"],
        ["accel", "8", "256", "bits", "1", "TiB", "64", "cycles"],
        ["tiny", "2", "64", "bits", "4", "GiB", "32", "cycles"],
        ["wide", "16", "512", "bits", "256", "TiB", "100", "cycles"],
    ]


def test_a_file(capsys, tmp_path):
    path = tmp_path / "mine.yaml"
    text = (CONFIGS / "tiny.yaml").read_text()
    for bits, reach in ((20, "1 MiB"), (29, "512 MiB"), (64, "16 EiB")):
        path.write_text(text.replace("address_bits: 32", f"address_bits: {bits}"))
        code, lines, _ = run(capsys, "accel", path)
        assert (code, len(lines)) == (0, 3)
        assert reach in lines[2]
        assert lines[2].endswith(str(path))


def test_json_has_every_value(capsys):
    code, lines, _ = run(capsys, "wide", "--json")
    assert code == 0
    wide = {**load_target("wide").to_dict(), "path": str(CONFIGS / "wide.yaml")}
    assert json.loads("\n".join(lines)) == {"targets": [wide]}


def test_a_name_that_is_not_known(capsys):
    code, lines, err = run(capsys, "tiny", "huge")
    assert (code, lines) == (1, [])
    assert "unknown target 'huge'; known targets: accel, tiny, wide; or give the path" in err
