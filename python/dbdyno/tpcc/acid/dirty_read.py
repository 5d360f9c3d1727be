"""Isolation tests 1 and 2: Order-Status beside a New-Order that has not ended."""

from __future__ import annotations

from dbdyno.tpcc.acid.new_order import new_order
from dbdyno.tpcc.acid.order_status import order_status
from dbdyno.tpcc.acid.result import Finding, acid_test
from dbdyno.tpcc.acid.scenario import Scenario


@acid_test("3.4.2.1", "Order-Status beside a New-Order that then commits", "P1, dirty read")
def beside_commit(scenario: Scenario) -> Finding:
    """Test 1: the order is seen after the COMMIT only, and then with all that was entered."""
    return _read_beside(scenario, "COMMIT")


@acid_test("3.4.2.2", "Order-Status beside a New-Order that is rolled back", "P1, dirty read")
def beside_rollback(scenario: Scenario) -> Finding:
    """Test 2: the order is never seen."""
    return _read_beside(scenario, "ROLLBACK")


def _read_beside(scenario: Scenario, ending: str) -> Finding:
    customer, writing = scenario.district.customer(), scenario.writing
    lines = scenario.district.lines(with_unused_item=ending == "ROLLBACK")
    before = scenario.look(order_status(writing, customer))
    scenario.tell("T0", f"Order-Status for {customer}: {before}")
    ordered = scenario.open(
        f"New-Order for him, until its {ending}", new_order(writing, customer, lines)
    )
    reader = scenario.start(
        "Order-Status for him", order_status(writing, customer), reads_only=True
    )
    early = reader.early
    scenario.end(ending)
    allowed = [before, ordered] if ending == "COMMIT" else [before]
    is_over = scenario.finish(reader)
    after = scenario.look(order_status(writing, customer))
    scenario.tell("T3", f"Order-Status for him: {after}")
    if early is not None and early.number == ordered.number:
        return Finding(False, f"T2 read {early} before T1's {ending}: a dirty read")
    if is_over and reader.execution.result not in allowed:
        return Finding(False, f"T2 read {reader.execution.result}, which was never committed so")
    if after != allowed[-1]:
        return Finding(False, f"after T1's {ending}, {after} is read and not {allowed[-1]}")
    if not is_over:
        return Finding(True, "T2 was aborted rather than let read it")
    how = "waited for T1" if reader.waited else f"read the last order before T1's, {before}"
    return Finding(True, f"T2 {how}")
