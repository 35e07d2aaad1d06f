# SPDX-License-Identifier: Apache-2.0
"""What an equation teaches: opaque dims are learned once, and contradicted ever after."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.dims.drawn_dims import dims
from typedtensors.dims import Dim, Facts, Verdict, parse_dim

EQUAL, DIFFERENT, UNDECIDED = Verdict.EQUAL, Verdict.DIFFERENT, Verdict.UNDECIDED
batch, seq, d = map(Dim.name, ("batch", "seq", "d"))


def learned(*equations: tuple[Dim, Dim]) -> Facts:
    facts = Facts()
    for left, right in equations:
        verdict, facts = facts.equate(left, right)
        assert verdict is UNDECIDED
    return facts


def test_an_opaque_dim_is_learned_and_only_then_contradicted() -> None:
    width = Dim.opaque("self.d")
    facts = learned((width, d))
    assert facts.compare(width, d) is EQUAL
    assert facts.compare(width, seq) is DIFFERENT
    assert facts.resolve(2 * width) == 2 * d


def test_declared_dims_teach_nothing() -> None:
    assert Facts().equate(batch, seq) == (DIFFERENT, Facts())
    assert Facts().equate(batch, Dim.of(4)) == (DIFFERENT, Facts())


def test_a_view_into_heads_teaches_what_the_width_is() -> None:
    """`x.view(b, t, heads, d_head)` on `b t d`."""
    heads, d_head = Dim.opaque("self.heads"), Dim.opaque("self.d_head")
    facts = learned((batch * seq * d, batch * seq * heads * d_head))
    assert facts.compare(d, heads * d_head) is EQUAL


def test_what_every_term_holds_is_divided_out() -> None:
    rows = Dim.opaque("rows")
    facts = learned((4 * batch * batch * seq * d, 2 * batch * batch * seq * rows))
    assert facts.resolve(rows) == 2 * d


def test_an_opaque_dim_can_turn_out_to_be_0() -> None:
    empty = Dim.opaque("empty")
    assert learned((empty, Dim.of(0))).resolve(empty) == Dim.of(0)
    assert learned((2 * empty, Dim.of(0))).resolve(empty) == Dim.of(0)


def test_a_dim_that_divides_by_what_is_learned_to_be_0_stays_as_it_is() -> None:
    step = Dim.opaque("step")
    facts = learned((step, Dim.of(0)))
    assert facts.resolve(d // step) == d // step
    count = Dim.opaque("count")
    assert learned((count, d // step), (step, Dim.of(0))).resolve(count) == d // step


def test_two_results_of_one_call_may_be_the_same_size() -> None:
    one, other = Dim.fresh("k"), Dim.fresh("k")
    facts = learned((one, other))
    assert facts.compare(one, other) is EQUAL


def test_knowledge_flows_through_chains_in_any_order() -> None:
    x, y, z = map(Dim.opaque, "xyz")
    for equations in ([(x, y), (y, z), (z, d)], [(z, d), (x, y), (y, z)], [(y, z), (z, d), (x, y)]):
        facts = learned(*equations)
        assert all(facts.compare(one, d) is EQUAL for one in (x, y, z))


def test_what_was_learned_fills_in_what_was_learned_before() -> None:
    total, heads, width = map(Dim.opaque, ("total", "heads", "width"))
    facts = learned((total, heads * width), (heads, Dim.of(8)))
    assert facts.resolve(total) == 8 * width


def test_no_equation_mentions_what_another_one_solves() -> None:
    x, y, z = map(Dim.opaque, "xyz")
    facts = learned((x, y + 1), (y, z * 2), (z, d))
    used = frozenset().union(*(dim.atoms for dim in facts.equations.values()))
    assert used.isdisjoint(facts.equations)


def test_a_layer_teaches_what_a_declared_dim_is_and_a_second_one_contradicts_it() -> None:
    """`nn.Linear(784, 10)` on `batch features`."""
    features = Dim.name("features")
    verdict, facts = Facts().require(features, Dim.of(784))
    assert verdict is UNDECIDED
    assert facts.compare(features, Dim.of(784)) is EQUAL
    assert facts.require(features, Dim.of(512))[0] is DIFFERENT


def test_a_layer_teaches_nothing_about_a_literal_size() -> None:
    assert Facts().require(Dim.of(3), Dim.of(4)) == (DIFFERENT, Facts())


def test_a_named_precondition_does_not_rename_the_callers_dims() -> None:
    assert Facts().require(batch, seq) == (DIFFERENT, Facts())


def test_an_impossible_size_is_not_learned() -> None:
    missing = Dim.opaque("k")
    verdict, facts = Facts().equate(missing + 5, Dim.of(3))
    assert verdict is not EQUAL
    assert facts == Facts()


@pytest.mark.parametrize("text", ["2*k", "k*k", "k//2", "max(k,3)"])
def test_what_cannot_be_solved_stays_undecided(text: str) -> None:
    (atom,) = Dim.opaque("k").atoms
    dim = parse_dim(text).substitute({next(iter(Dim.name("k").atoms)): Dim.atom(atom)})
    verdict, facts = Facts().equate(dim, Dim.of(7))
    assert verdict is UNDECIDED
    assert facts == Facts()


def test_after_a_branch_only_what_both_learned_is_known() -> None:
    x, y = Dim.opaque("x"), Dim.opaque("y")
    both = learned((x, d))
    one = both.equate(y, seq)[1]
    assert one.join(both) == both == both.join(one)
    assert learned((x, d)).join(learned((x, seq))) == Facts()


@given(dims(), dims())
def test_declared_dims_are_compared_without_facts_as_with_none(left: Dim, right: Dim) -> None:
    assert Facts().compare(left, right) is Facts().equate(left, right)[0]


@given(dims())
def test_learning_makes_the_equation_true(dim: Dim) -> None:
    width = Dim.opaque("self.d")
    verdict, facts = Facts().equate(width, dim)
    assert verdict is UNDECIDED
    if facts != Facts():
        assert facts.compare(width, dim) is EQUAL


def test_members_of_a_scope_are_different_sizes_and_strangers_are_learned() -> None:
    """`nn.Linear(d_in, hidden)` on `batch d`, and then a layer for another size of the object."""
    scope = Dim.scope()
    d_in, hidden = Dim.member("d_in", scope), Dim.member("hidden", scope)
    assert Facts().compare(d_in, hidden) is DIFFERENT
    assert Facts().compare(d_in, Dim.member("hidden", Dim.scope())) is UNDECIDED
    facts = learned((d_in, d))
    assert facts.compare(d_in, hidden) is DIFFERENT
    assert facts.equate(d, hidden) == (DIFFERENT, facts)
    assert facts.require(d, hidden) == (DIFFERENT, facts)
    assert facts.equate(d, d_in)[0] is EQUAL


def test_members_may_have_one_literal_size() -> None:
    scope = Dim.scope()
    d_in, hidden = Dim.member("d_in", scope), Dim.member("hidden", scope)
    facts = learned((d_in, Dim.of(64)), (hidden, Dim.of(64)))
    assert facts.compare(d_in, hidden) is EQUAL


def test_a_member_is_some_multiple_of_its_part() -> None:
    scope = Dim.scope()
    width, heads = Dim.member("width", scope), Dim.member("heads", scope)
    assert Facts().compare(heads * (width // heads), width) is UNDECIDED
    assert Facts().compare(heads * width, width) is DIFFERENT


def test_members_that_the_code_says_are_equal_are() -> None:
    scope = Dim.scope()
    d_in, hidden = Dim.member("d_in", scope), Dim.member("hidden", scope)
    facts = Facts().learn(d_in, hidden)
    assert facts.equate(d_in, d)[0] is UNDECIDED
    assert facts.equate(d_in, d)[1].compare(hidden, d) is EQUAL


def test_a_layer_made_of_a_size_takes_no_size_of_that_name() -> None:
    width = Dim.member("width", Dim.scope())
    assert Facts().require(Dim.name("width"), width * 3)[0] is DIFFERENT
    assert Facts().require(Dim.name("features"), width * 3)[0] is UNDECIDED
    assert Facts().require(Dim.name("width"), width)[0] is UNDECIDED


def test_a_size_is_no_axis_that_its_method_names_otherwise() -> None:
    """`channels` of the constructor meets `length`, where an axis is called `channels` too."""
    channels = Dim.member("channels", Dim.scope())
    facts = Facts(called=channels.atoms)
    assert facts.equate(channels, Dim.name("length")) == (DIFFERENT, facts)
    assert facts.equate(2 * channels, Dim.name("length"))[0] is UNDECIDED
    verdict, facts = facts.equate(channels, Dim.name("channels"))
    assert verdict is UNDECIDED
    assert facts.compare(channels, Dim.name("length")) is DIFFERENT


def test_two_names_cannot_both_be_what_one_size_is() -> None:
    """`frames-1` is the batch, and the number of joints."""
    frames, joints = Dim.name("frames"), Dim.name("joints")
    facts = learned((frames - 1, batch))
    assert facts.equate(frames - 1, joints) == (DIFFERENT, facts)
    assert facts.equate(frames - 1, batch)[0] is EQUAL
