"""Facts as people write them become steps, and anything else is refused with a reason."""

import pytest

from hwc.shapes.facts import FactError, read_fact
from hwc.shapes.ranges import ANY
from hwc.shapes.steps import Among, Congruent, Differs, Equal, Within


def meaning(name):
    if name == "x":
        raise FactError("there is no size 'x'")
    return {"a.0": 4}.get(name, name.replace(".", "_"))


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("b.n in {1, a.n}", [Among("b_n", (1, "a_n"))]),
        ("n in{4}", [Among("n", (4,))]),
        ("a.d % 8 == 0", [Congruent("a_d", 8, 0)]),
        ("n%8==3", [Congruent("n", 8, 3)]),
        ("2 <= a.n <= 4096", [Within("a_n", 2, 4096)]),
        ("9 >= n > 1", [Within("n", 2, 9)]),
        ("n < 5", [Within("n", 0, 4)]),
        ("n >= 5", [Within("n", 5, ANY.high)]),
        ("4 < n", [Within("n", 5, ANY.high)]),
        ("n != 1", [Differs("n", 1)]),
        ("1 != n", [Differs("n", 1)]),
        ("n == m", [Equal(("n", "m"))]),
        ("n == m == 4", [Equal(("n", "m")), Equal(("m", 4))]),
        ("1 < n == m", [Within("n", 2, ANY.high), Equal(("n", "m"))]),
        ("a.0 == n", [Equal((4, "n"))]),
        ("5 <= a.0 <= 11", [Within(4, 5, 11)]),
        ("a.0 < 3", [Within(4, 0, 2)]),
        ("3 < a.0", [Within(4, 4, ANY.high)]),
        ("$x in {_y}", [Among("$x", ("_y",))]),
    ],
)
def test_facts(text, steps):
    assert list(read_fact(text, meaning)) == steps


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a size, got the end"),
        ("n", "expected 'in', '%' or one of == != < <= > >= after 'n', got the end"),
        ("n = 4", "expected 'in', '%' or one of == != < <= > >= after 'n', got '='"),
        ("n <", "expected a size after '<', got the end"),
        ("n == -1", "expected a size after '==', got '-'"),
        ("n == 4 m", "expected the end of the fact after '4', got 'm'"),
        ("n in 4", "expected '{' after 'in', got '4'"),
        ("n in {}", "expected a size after '{', got '}'"),
        ("n in {1 4}", "expected ',' after '1', got '4'"),
        ("n in {1} 4", "expected the end of the fact after '}', got '4'"),
        ("in == 4", "expected a size, got 'in'"),
        ("n % m == 0", "expected a number after '%', got 'm'"),
        ("n % 8", "expected '==' after '8', got the end"),
        ("n % 8 == 8", "no division by 8 leaves 8"),
        ("n % 0 == 0", "no division by 0 leaves 0"),
        ("n < m", "'<' compares two sizes that are not numbers; write '==', 'in' or a number"),
        ("n != m", "'!=' compares two sizes that are not numbers; write '==', 'in' or a number"),
        ("n < 0", "no size is < 0"),
        ("9 < n < 4", "no size is from 10 to 3"),
        ("n == 4294967296", "4294967296 is not a size: the largest is 2147483647"),
        ("x == 4", "there is no size 'x'"),
    ],
)
def test_what_is_no_fact(text, message):
    with pytest.raises(FactError) as raised:
        read_fact(text, meaning)
    assert str(raised.value) == message
