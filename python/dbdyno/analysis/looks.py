"""What analysis takes of each trial, in one look: the tables of a trial are in memory only then.

A result may have thousands of trials, and to read their tables again takes as long as the first
time. So a trial is looked at as soon as it is read, by all who want something of its tables. What
is left of it are the figures here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.analysis.bottleneck.collected import Collected
from dbdyno.analysis.compare.trial_figures import TrialFigures, figures_of
from dbdyno.analysis.errors.by_cell import ErrorsByCell
from dbdyno.analysis.throughput import ThroughputMeasure, throughput_measure
from dbdyno.analysis.usage import UsageByCell
from dbdyno.analysis.validity.check import JudgedTrial, judge
from dbdyno.analysis.validity.noise import OutsideLoad, outside_load
from dbdyno.analysis.window_totals import measure
from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.store.model import StoredTrial


@dataclass(frozen=True, eq=False)
class TrialLook:
    """One trial as it was judged, with its figures by its own measure of throughput."""

    judged: JudgedTrial
    measure: ThroughputMeasure
    figures: TrialFigures
    outside: OutsideLoad

    def figures_by(self, measure: ThroughputMeasure) -> TrialFigures:
        """Return the figures by the measure of the whole experiment.

        It is another one only where trials are of several workloads; then the tables are read
        again.
        """
        is_own = measure.kind == self.measure.kind
        return self.figures if is_own else figures_of(self.judged.measured, measure)


class Looks:
    """All trials that were looked at so far, in order."""

    def __init__(self, host: HostFacts, other_hosts: Mapping[str, OtherHost]) -> None:
        self.trials: list[TrialLook] = []
        self.collected = Collected(host, other_hosts)
        self.usage = UsageByCell()
        self.errors = ErrorsByCell()

    def add(self, trial: StoredTrial) -> None:
        """Look at a trial; nothing of its tables is kept."""
        judged = judge(measure(trial))
        own = throughput_measure([trial.generator_plan])
        measured = judged.measured
        look = TrialLook(judged, own, figures_of(measured, own), outside_load(measured))
        self.trials.append(look)
        if trial.planned.kind != "compared":
            return
        is_used = judged.exclusion is None
        self.errors.add(measured, is_used=is_used)
        if is_used:
            self.collected.add(measured)
            self.usage.add(measured)
