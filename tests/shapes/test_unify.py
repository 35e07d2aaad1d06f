# SPDX-License-Identifier: Apache-2.0
"""What names stand for after a call, and what is said where its arguments disagree."""

from __future__ import annotations

import pytest

from typedtensors.dims import Dim, Facts, Verdict
from typedtensors.shapes import (
    Argument,
    Axis,
    AxisMismatch,
    Bindings,
    Intent,
    Match,
    Mismatch,
    Place,
    RankMismatch,
    Shape,
    Spec,
    Variadic,
    instantiate,
    match,
    match_all,
    parse_spec,
)

x, y, d = map(Dim.name, "xyd")
width = Dim.opaque("self.d")


def shape(text: str) -> Shape:
    """A shape of the caller: its spec's words, `?k` for the opaque `k`."""
    words = [_part(word) for word in text.split()]
    return Shape(tuple(words))


def _part(word: str) -> Axis | Variadic:
    if word.startswith("?"):
        return Axis(Dim.opaque(word[1:]))
    (part,) = parse_spec(word).shape().axes
    return part


def call(*arguments: tuple[str, str], facts: Facts | None = None) -> Match | Mismatch:
    """Match specs with shapes; arguments are called `a0`, `a1`, ..."""
    return match_all(
        [
            Argument(f"a{position}", parse_spec(spec), shape(given))
            for position, (spec, given) in enumerate(arguments)
        ],
        facts=facts,
        teach=True,
    )


def returned(spec: str, *arguments: tuple[str, str]) -> str:
    found = call(*arguments)
    assert isinstance(found, Match)
    return str(instantiate(parse_spec(spec), found.bindings))


@pytest.mark.parametrize(
    ("spec", "arguments", "expected"),
    [
        pytest.param("b k", [("b n", "x 3"), ("n k", "3 y")], "(x, y)", id="a matrix product"),
        pytest.param("n", [("n+1", "8")], "(7,)", id="arithmetic is solved"),
        pytest.param("n", [("n+1", "x")], "(x-1,)", id="in the caller's dims"),
        pytest.param("2*n", [("n+m", "8"), ("m", "3")], "(10,)", id="names come first"),
        pytest.param("n", [("2*n", "2*x")], "(x,)", id="a multiple is divided"),
        pytest.param("n b", [("b", "n"), ("n", "b")], "(b, n)", id="names of both sides are apart"),
        pytest.param("*r k", [("*r n", "2 x 3"), ("n k", "3 4")], "(2, x, 4)", id="a variadic"),
        pytest.param(
            "*r k", [("*r n", "*batch 3"), ("n k", "3 4")], "(*batch, 4)", id="kept whole"
        ),
        pytest.param("*r", [("*r n", "*batch x 3")], "(*batch, x)", id="with the axes beside it"),
        pytest.param("*r", [("n *r", "3 ... x")], "(..., x)", id="an anonymous one too"),
        pytest.param("b", [("#b", "1"), ("#b", "x")], "(x,)", id="a size of 1 settles no name"),
        pytest.param("b", [("#b", "#x"), ("b", "y")], "(y,)", id="nor does one that may be 1"),
        pytest.param("#b", [("b", "x")], "(#x,)", id="a result that broadcasts"),
        pytest.param("*r", [("*#r", "1 x"), ("*#r", "y 1")], "(y, x)", id="runs broadcast"),
        pytest.param("*r", [("*#r", "x"), ("*#r", "y 1")], "(y, x)", id="also of other lengths"),
        pytest.param("*r", [("*#r", "x"), ("*r", "y x")], "(y, x)", id="to the run that is rigid"),
        pytest.param("n", [("n", "?k"), ("n", "x")], "(x,)", id="the plainer name is kept"),
        pytest.param("4 rows=2", [], "(4, 2)", id="literals"),
    ],
)
def test_a_call_returns_a_shape_in_the_callers_dims(
    spec: str, arguments: list[tuple[str, str]], expected: str
) -> None:
    assert returned(spec, *arguments) == expected
    assert returned(spec, *reversed(arguments)) == expected


@pytest.mark.parametrize(
    ("arguments", "at", "expected", "actual", "bound_at"),
    [
        pytest.param(
            [("b n", "x y"), ("b", "y")], ("a1", 0), "x", "y", ("a0", 0), id="two arguments"
        ),
        pytest.param([("n n", "x y")], ("a0", 1), "x", "y", ("a0", 0), id="one argument"),
        pytest.param([("b 4", "x 3")], ("a0", 1), "4", "3", None, id="a literal"),
        pytest.param([("n+1 n", "9 7")], ("a0", 0), "8", "9", None, id="arithmetic is last"),
        pytest.param([("#4", "3")], ("a0", 0), "4", "3", None, id="neither the size nor 1"),
        pytest.param(
            [("b", "x"), ("b", "#y")], ("a1", 0), "x", "#y", ("a0", 0), id="neither y nor 1"
        ),
        pytest.param(
            [("n *r", "x 2 3"), ("*r", "2 4")], ("a1", 1), "3", "4", ("a0", 1), id="in a run"
        ),
        pytest.param(
            [("*r d", "2 ... y"), ("d", "x")], ("a1", 0), "y", "x", ("a0", -1), id="from the end"
        ),
        pytest.param(
            [("d", "x"), ("*r d", "... y")], ("a1", -1), "x", "y", ("a0", 0), id="at the end"
        ),
        pytest.param(
            [("*#r", "2 3"), ("*#r d", "2 4 5")], ("a1", 1), "3", "4", ("a0", 0), id="broadcast"
        ),
    ],
)
def test_a_mismatch_says_which_axis_what_it_is_and_where_the_other_size_comes_from(
    arguments: list[tuple[str, str]],
    at: tuple[str, int],
    expected: str,
    actual: str,
    bound_at: tuple[str, int] | None,
) -> None:
    found = call(*arguments)
    assert isinstance(found, AxisMismatch)
    assert found.at == Place(*at)
    assert found.argument == at[0]
    assert (str(found.expected), str(found.actual)) == (expected, actual)
    assert found.bound_at == (None if bound_at is None else Place(*bound_at))


@pytest.mark.parametrize(
    ("arguments", "argument", "expected", "actual"),
    [
        pytest.param([("b n", "x")], "a0", "b n", "x", id="too few"),
        pytest.param([("b", "x y")], "a0", "b", "x y", id="too many"),
        pytest.param([("b ... n", "x")], "a0", "b ... n", "x", id="fewer than at least"),
        pytest.param([("b", "x *s y")], "a0", "b", "x *s y", id="more than at most"),
        pytest.param([("*r", "2 3"), ("*r", "2")], "a1", "2 3", "2", id="runs of two lengths"),
        pytest.param([("n *r", "x 2"), ("*r n", "x")], "a1", "2 n", "x", id="a run and a name"),
        pytest.param([("*r", "2"), ("*#r", "2 3")], "a1", "2", "2 3", id="broadcast to shorter"),
    ],
)
def test_a_rank_mismatch_says_what_was_expected(
    arguments: list[tuple[str, str]], argument: str, expected: str, actual: str
) -> None:
    found = call(*arguments)
    assert isinstance(found, RankMismatch)
    assert found.argument == argument
    assert (found.expected.text, found.actual.text) == (expected, actual)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param([("n", "x"), ("n", "?k")], id="an opaque size"),
        pytest.param([("b", "x"), ("b", "#x")], id="a size that may be 1"),
        pytest.param([("a b", "...")], id="an unknown rank"),
        pytest.param([("b n", "x *s")], id="a variadic may be one axis"),
        pytest.param([("*r", "*s"), ("*r", "2 3")], id="a variadic against fixed axes"),
        pytest.param([("*r", "*s"), ("*r", "*t")], id="two variadics"),
        pytest.param([("n m *r", "x *s y")], id="the spec reaches into the variadic"),
        pytest.param([("#b", "?k"), ("b", "3")], id="an opaque size that may be 1"),
        pytest.param([("2*(n//2)", "x"), ("n", "x")], id="an even size"),
        pytest.param([("_ ... _n", "1 2 3 4")], id="anonymous axes"),
        pytest.param([("n+m", "3")], id="arithmetic of unbound names"),
        pytest.param([("3//n", "3"), ("n", "0")], id="a division by zero"),
        pytest.param([("{self.d}", "3")], id="what only the program knows"),
        pytest.param([("?n", "3"), ("?n", "4")], id="names that depend on a tree"),
    ],
)
def test_what_cannot_be_decided_matches(arguments: list[tuple[str, str]]) -> None:
    assert isinstance(call(*arguments), Match)


def test_a_match_says_whether_it_is_certain() -> None:
    certain, open_ = call(("n", "x"), ("n", "x")), call(("n", "x"), ("n", "?k"))
    assert isinstance(certain, Match)
    assert isinstance(open_, Match)
    assert (certain.verdict, open_.verdict) == (Verdict.EQUAL, Verdict.UNDECIDED)


@pytest.mark.parametrize("spec", ["#b", "*#b", "#b ..."])
def test_an_axis_that_may_be_1_certainly_matches_its_own_spec(spec: str) -> None:
    parsed = parse_spec(spec)
    found = match(parsed, parsed.shape(), Bindings.declared([parsed]))
    assert isinstance(found, Match)


def test_a_call_teaches_the_callers_dims_a_return_does_not() -> None:
    argument = Argument("x", parse_spec("b 784"), Shape.of("batch", "features"))
    found = match_all([argument], teach=True)
    assert isinstance(found, Match)
    assert found.facts.compare(Dim.name("features"), Dim.of(784)) is Verdict.EQUAL
    assert isinstance(match_all([argument]), AxisMismatch)


def test_what_a_match_learned_holds_for_the_next_one() -> None:
    first = call(("n", "?k"), ("n", "x"))
    assert isinstance(first, Match)
    assert isinstance(call(("n", "?k"), ("n", "y"), facts=first.facts), AxisMismatch)


def test_a_name_that_may_be_1_is_settled_by_the_next_axis_that_is_not() -> None:
    found = call(("#b", "#x"), ("b", "y"), ("b", "z"))
    assert isinstance(found, AxisMismatch)
    assert found.bound_at == Place("a1", 0)


class TestReturns:
    """Inside a function, its own names are rigid, and a name first seen in a return is free."""

    own = Bindings.declared([parse_spec("b d *r"), parse_spec("n+1 *r")])

    def check(self, spec: str, given: str) -> Match | Mismatch:
        return match(parse_spec(spec), shape(given), self.own)

    @pytest.mark.parametrize(
        ("spec", "given"),
        [
            ("b d", "b d"),
            ("d b", "d b"),
            ("b *r", "b *r"),
            ("n+1", "n+1"),
            ("b k", "b 3"),
            ("k k", "7 7"),
            ("#b", "1"),
            ("#b", "#b"),
            ("b", "#b"),
            ("_ ...", "d b d"),
        ],
    )
    def test_what_the_annotation_promises_is_returned(self, spec: str, given: str) -> None:
        assert isinstance(self.check(spec, given), Match)

    @pytest.mark.parametrize(
        ("spec", "given"),
        [
            ("b d", "d b"),
            ("b d", "b 3"),
            ("b d", "b 1"),
            ("k k", "b d"),
            ("n", "n+1"),
            ("b", "b d"),
            ("#b", "d"),
            ("b *r", "d *r"),
        ],
    )
    def test_anything_else_is_not(self, spec: str, given: str) -> None:
        assert not isinstance(self.check(spec, given), Match)


def test_an_intended_1_is_still_intended_after_the_call() -> None:
    one = Shape((Axis(Dim.of(1), intent=Intent.KEEPDIM),))
    found = match(parse_spec("n"), one)
    assert isinstance(found, Match)
    (axis,) = instantiate(parse_spec("n"), found.bindings).fixed or ()
    assert axis.intent is Intent.KEEPDIM


def test_a_name_that_nothing_settles_is_one_unknown_in_all_specs_that_share_it() -> None:
    specs: list[Spec] = [parse_spec("k *r"), parse_spec("k+1 *r")]
    bindings = Bindings().complete(specs)
    first, second = (instantiate(spec, bindings) for spec in specs)
    assert second.axes[0] == Axis(first.prefix[0].dim + 1)
    assert first.axes[1] == second.axes[1]
    assert first != instantiate(specs[0], Bindings())


def test_what_only_the_program_knows_can_be_filled_in() -> None:
    spec, read = parse_spec("b {self.d}//2"), {"self.d": Dim.of(8)}.get
    argument = Argument("x", spec, Shape.of("x", 3))
    assert isinstance(match_all([argument]), Match)
    found = match_all([argument], read=read)
    assert isinstance(found, AxisMismatch)
    assert found.expected.dim == Dim.of(4)
    assert str(instantiate(spec, Bindings().bind("b", x), read)) == "(x, 4)"


def test_what_only_the_program_knows_is_looked_up_once() -> None:
    """A size that is unknown is the same one each time: settling such sizes comes to an end."""
    spec, seen = parse_spec("{self.n} {self.d}"), list[str]()

    def read(text: str) -> None:
        seen.append(text)
        assert len(seen) < 10, "it is looked up for ever"

    assert isinstance(match(spec, shape("x y"), read=read), Match)
    assert sorted(seen) == ["self.d", "self.n"]
    both = [Argument("a", spec, shape("x y")), Argument("b", spec, shape("x d"))]
    assert isinstance(match_all(both), AxisMismatch)


def test_nothing_is_said_to_be_bound_by_a_value_without_a_name() -> None:
    first = match(parse_spec("k"), shape("x"))
    assert isinstance(first, Match)
    later = match(parse_spec("k"), shape("y"), first.bindings)
    assert isinstance(later, AxisMismatch)
    assert later.diagnostic("it").message == "it: axis 0 is y, expected x"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([("b n", "x y"), ("b", "y")], "it: axis 0 is y, expected x from axis 0 of `a0`"),
        ([("n n", "x y")], "it: axis 1 is y, expected x from its axis 0"),
        ([("4", "x y")], "it: 2 axes (x, y), expected 1 axis (4,)"),
        ([("4", "3")], "it: axis 0 is 3, expected 4"),
        ([("n+1 n", "9 7")], 'it: axis 0 is 9, expected 8 from "n+1"'),
    ],
)
def test_a_mismatch_has_its_words(arguments: list[tuple[str, str]], text: str) -> None:
    found = call(*arguments)
    assert not isinstance(found, Match)
    assert found.diagnostic("it").message == text
