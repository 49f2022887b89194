"""docs/packet.md: its generated parts are current."""

from bench.packets import PAGE, replaced


def test_generated_parts_are_current():
    page = PAGE.read_text(encoding="utf-8")
    assert replaced(page) == page, "run: python tests/bench/packets.py --write"


def test_a_changed_number_is_noticed():
    page = PAGE.read_text(encoding="utf-8")
    changed = page.replace("| GELU | ", "| GELU | 1")
    assert changed != page
    assert replaced(changed) == replaced(page)
