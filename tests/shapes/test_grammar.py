# SPDX-License-Identifier: Apache-2.0
"""The text of a spec: what it means, what is refused, and what was probably meant."""

from __future__ import annotations

import pytest

from typedtensors.dims import Atom, Dim
from typedtensors.shapes import Axis, Intent, SpecError, Variadic, parse_spec


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        pytest.param("", "()", id="rank 0"),
        pytest.param("batch d", "(batch, d)", id="names"),
        pytest.param("  batch   d ", "(batch, d)", id="any spaces"),
        pytest.param("rows=3 4", "(3, 4)", id="fixed sizes, with a label or without"),
        pytest.param("in/out=2 rgb=3", "(2, 3)", id="labels of several words"),
        pytest.param("name=d", "(d,)", id="a labelled name is the name"),
        pytest.param("#batch #4", "(#batch, #4)", id="sizes that broadcast"),
        pytest.param("*batch d", "(*batch, d)", id="a named variadic"),
        pytest.param("*#batch d", "(*#batch, d)", id="a variadic that broadcasts"),
        pytest.param("#*batch d", "(*#batch, d)", id="its marks in the other order"),
        pytest.param("... d", "(..., d)", id="an anonymous variadic"),
        pytest.param("*_ *_"[:2], "(...,)", id="its other spelling"),
        pytest.param("n+1 2*h (h+1)//2 h%2", "(n+1, 2*h, (h+1)//2, h-2*(h//2))", id="arithmetic"),
        pytest.param("max(a,b) min(a,4)", "(max(a,b), min(4,a))", id="extremes"),
        pytest.param("#n+1", "(#n+1,)", id="arithmetic that broadcasts"),
        pytest.param("in from", "(in, from)", id="words that Python reserves"),
    ],
)
def test_a_spec_says_what_shape_its_value_has(text: str, shape: str) -> None:
    assert str(parse_spec(text).shape()) == shape


@pytest.mark.parametrize("text", ["_", "_d", "?d", "{self.d}", "{n}+1", "n**2", "n/2", "dim{i}"])
def test_what_a_spec_leaves_open_is_an_unknown_of_its_own(text: str) -> None:
    (axis,) = parse_spec(text).shape().axes
    (again,) = parse_spec(text).shape().axes
    assert isinstance(axis, Axis)
    assert not axis.dim.declared
    assert axis != again


def test_an_anonymous_variadic_is_an_unknown_of_its_own() -> None:
    assert parse_spec("...").shape() != parse_spec("...").shape()
    assert parse_spec("*a").shape().axes == (Variadic("a"),)


def test_what_a_spec_reads_of_the_program_is_kept_by_its_text() -> None:
    spec = parse_spec("{self.d}//2 {self.d} d")
    width = Dim.opaque("self.d")
    assert [axis.dim for axis in spec.axes] == [width // 2, width, Dim.name("d")]
    assert spec.axes[0].lookups == {Atom("self.d", declared=False)}


def test_one_text_read_twice_in_a_spec_is_one_size() -> None:
    first, second = parse_spec("{self.d} {self.d}+1").shape().dims or ()
    assert second == first + 1


def test_what_the_program_holds_can_be_filled_in() -> None:
    shape = parse_spec("{self.d}*2 {other}").shape({"self.d": Dim.of(8)}.get)
    assert shape.dims is not None
    assert shape.dims[0] == Dim.of(16)
    assert shape.dims[1].value is None


def test_a_literal_one_is_meant() -> None:
    (axis,) = parse_spec("1").shape().fixed or ()
    assert axis.intent is Intent.SPEC


def test_specs_are_equal_however_they_are_spaced() -> None:
    assert parse_spec(" a  b ") == parse_spec("a b")
    assert parse_spec(" a  b ").text == "a b"


def test_a_spec_lists_the_names_it_needs() -> None:
    spec = parse_spec("*batch n m+1 #k {self.d} _ 4")
    assert spec.names == {"n", "m", "k"}
    assert spec.variadic_names == {"batch"}
    assert spec.least_rank == 6


def test_a_nested_spec_has_the_outer_axes_first() -> None:
    assert parse_spec("c h w").inside(parse_spec("b")) == parse_spec("b c h w")
    assert parse_spec("... w").inside(parse_spec("b")) == parse_spec("b ... w")


def test_only_one_of_two_nested_specs_may_hold_a_variadic() -> None:
    with pytest.raises(SpecError, match="both hold a variadic") as caught:
        parse_spec("*a b").inside(parse_spec("..."))
    assert not caught.value.silent


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("batch,d", "separated by spaces, not commas", '"batch d"'),
        ("batch, d", "separated by spaces, not commas", '"batch d"'),
        ("B,C...", "separated by spaces, not commas", '"B C ..." or "B *C"'),
        ("b d#", "`#` goes before the name", '"b #d"'),
        ("b c...", "`...` is a word of its own", '"b c ..." or "b *c"'),
        ("##d", "`#` is written twice", '"#d"'),
        ("**d", "`*` is written twice", '"*d"'),
        ("__d", "`_` is written twice", '"_d"'),
        ("??d", "`?` is written twice", '"?d"'),
        ("#_", "`#_` is anonymous", '"_"'),
        ("b *4", "`*4` has a fixed size", '"b 4"'),
        ("_4", "`_4` has a fixed size", '"4"'),
        ("?4", "`?4` has a fixed size", '"4"'),
        ("*n+1", "`*n+1` is arithmetic", '"n+1"'),
        ("_n+1", "`_n+1` is arithmetic", '"n+1"'),
        ("?n+1", "`?n+1` is arithmetic", '"n+1"'),
        ("*a ...", "`*a` and `...` each take any number of axes", None),
    ],
)
def test_what_jaxtyping_rejects_is_refused(text: str, problem: str, hint: str | None) -> None:
    error = _refused(text)
    assert not error.silent
    assert problem in error.diagnostic.message
    assert error.diagnostic.hint == hint


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("3.5", "a size is an integer", None),
        ("a=b=c", "only `name=size` may hold a `=`", None),
        ("n==4", "only `name=size` may hold a `=`", None),
        ("n>=4", "only `name=size` may hold a `=`", None),
        ("=4", "only `name=size` may hold a `=`", None),
        ("n +1", "`+1` is no size", '"n+1"'),
        ("n + 1", "`+` is no axis", '"n+1"'),
        ("n+ 1", "`n+` is no axis", '"n+1"'),
        ("n -1", "`-1` is no size", '"n-1" or "n _"'),
        ("-1 3", "`-1` is no size", '"_ 3"'),
        ("h * w", "`*` stands alone", '"h*w"'),
        ("(h + 1)//2 w", "`(h` is no axis", '"(h+1)//2 w"'),
        ("{n + 1} d", "`{n` is no axis", '"{n+1} d"'),
        ("..a", "`..a` is no axis", None),
        ("self.d b", "`{self.d}` reads a variable", '"{self.d} b"'),
        ("2*self.d", "`{self.d}` reads a variable", '"2*{self.d}"'),
        ("(h w) c", "`(h` is no axis", '"h*w c" or "h w c"'),
        ("(b,c)", "separated by spaces, not commas", '"b c"'),
        ("2n", "`2n` is no axis", '"2*n"'),
        ("#", "", None),
        ("* d", "`*` stands alone", '"*d"'),
        ("x[0]", "`x[0]` is no integer", None),
        ("len(x)", "`len(x)` is no integer", None),
        ("a<b", "a comparison is no size", None),
        ("b:c", "`b:c` is no axis", None),
        ("-_", "`_` is anonymous", '"_"'),
        ("n n+_", "`_` is anonymous", '"n _"'),
        ("_n 2*_n", "`_n` is anonymous", '"n 2*n"'),
        ("n max(_m,3)", "`_m` is anonymous", '"n max(m,3)"'),
        ("m=n-_", "`_` is anonymous", '"_"'),
        ("1-2", "a size is not negative", None),
        ("{}", "do not hold an expression", None),
        ("{a", "do not hold an expression", None),
        ("a}", "do not hold an expression", None),
        ("{{a}}", "is no integer", None),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, problem: str, hint: str | None) -> None:
    error = _refused(text)
    assert error.silent or text == "#"
    assert problem in error.diagnostic.message
    assert error.diagnostic.hint == hint


def _refused(text: str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert caught.value.diagnostic.code.name == "tensor-spec"
    assert str(caught.value) == caught.value.diagnostic.text
    return caught.value


def test_what_jaxtyping_rejects_comes_before_what_it_takes_in_silence() -> None:
    assert not _refused("3.5 *4").silent
