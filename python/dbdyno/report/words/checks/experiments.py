"""Words of the checks of all trials together: their number, their order, and what differs."""

from __future__ import annotations

from dbdyno.analysis.validity.codes import Code
from dbdyno.report.language import message
from dbdyno.report.words.checks.entry import CheckWords

WORDS = {
    Code.RESULT_DAMAGED: CheckWords(
        message("Files of the result are damaged or missing, and their contents are in no figure."),
        message("Trials may be missing, and so may warnings that these files would have led to."),
        message(
            "Copy the result again from where it was measured. A trial that is damaged there is "
            "measured again after its folder is moved away and the experiment is run again."
        ),
    ),
    Code.MISSING_TRIALS: CheckWords(
        message("Planned trials have no result."),
        message("Intervals are wider than planned."),
        message("Run the experiment again with the same directory; it resumes where it stopped."),
    ),
    Code.FEW_ROUNDS: CheckWords(
        message("A cell has fewer than three valid trials."),
        message("Intervals are so wide that hardly any difference can be shown."),
        message(
            "Run more rounds, five at least: single runs of one cell often differ by several "
            "percent."
        ),
    ),
    Code.NOT_INTERLEAVED: CheckWords(
        message("All rounds of a cell ran one after the other."),
        message("A difference between cells may be a change of the machine over time."),
        message(
            "Use the interleaved order; as it is, a machine that gets slower looks like a "
            "difference between cells."
        ),
    ),
    Code.MEASURED_APART: CheckWords(
        message("The two results were measured at different times."),
        message("A difference between them may be a change of the machine in between."),
        message(
            "Measure both in one experiment, whose rounds share what happens on the machine; or "
            "measure the first one again, and see whether it is as before."
        ),
    ),
    Code.FACTORS_CONFOUNDED: CheckWords(
        message("A factor never varies alone: where it differs, another factor differs too."),
        message(
            "There is no verdict about this factor: a difference may come from the other factor."
        ),
        message(
            "Add cells that differ in this factor alone, or keep the other factor at one level."
        ),
    ),
    Code.LEVELS_NOT_COMPARED: CheckWords(
        message("Some levels are compared with nothing."),
        message(
            "No cell at the baseline is like one of theirs in all other factors. There is no "
            "verdict about these levels."
        ),
        message(
            "If you need a verdict, add cells that differ from the baseline in this factor alone, "
            "or choose another baseline."
        ),
    ),
    Code.DRIFT: CheckWords(
        message("Throughput moved in one direction from round to round."),
        message(
            "Means over rounds depend on when the rounds ran; comparisons within rounds do not."
        ),
        message(
            "Look for heat, a disk that fills or wears, a dataset that grows, a neighbour; it "
            "affects means over rounds, and not comparisons within rounds."
        ),
    ),
    Code.CARRY_OVER: CheckWords(
        message("What a trial leaves to the next one is a part of an effect."),
        message("The effect of this level is not that of the level alone."),
        message(
            "Only the levels of the factor in question follow each other equally often. Set "
            "start: snapshot, or a pause between trials, or make it the first factor of the file; "
            "then measure again."
        ),
    ),
    Code.REFERENCE_MOVED: CheckWords(
        message("The reference cell moved by more than the noise between rounds."),
        message("Trials far apart in time cannot be compared; those of one round can."),
        message(
            "The machine, the server or the data changed during the campaign: look for heat, CPU "
            "steal, a device that fills, a dataset that grows; compare within rounds only."
        ),
    ),
    Code.OUTSIDE_DIFFERS: CheckWords(
        message("Others took more of the machine during one result than during the other."),
        message("A difference between the two may be that of the machine."),
        message(
            "End other programs, and measure both again; or measure both in one experiment, whose "
            "rounds share what happens on the machine."
        ),
    ),
    Code.NOISE_EXPLAINED: CheckWords(
        message(
            "The scatter between rounds follows a load that does not belong to the experiment."
        ),
        message(
            "Intervals are wider than the database alone would make them; no verdict is corrected "
            "for it."
        ),
        message("Remove that load, or repeat the trials in which it was high."),
    ),
    Code.PLANS_DIFFER: CheckWords(
        message("Cells that should have had the same load and the same data did not."),
        message("The difference between these cells may come from the load or the data."),
        message("Compare plan.json and the dataset in trial.json of the trials named."),
    ),
    Code.SETTINGS_DIFFER: CheckWords(
        message("Cells that are compared differ in settings besides the factor."),
        message("The difference between these cells may come from these settings."),
        message("Read the list of differences; any of them may be the cause of an effect."),
    ),
    Code.SERVER_CHANGED: CheckWords(
        message("The server or its host changed between trials of one cell."),
        message(
            "Rounds before and after the change are not of the same server, so means and "
            "intervals mix two things."
        ),
        message(
            "Find out who changed it, and run the experiment again without the change; to compare "
            "both, make it a factor."
        ),
    ),
    Code.DURABILITY_DIFFERS: CheckWords(
        message("Cells that are compared promise different things about committed data."),
        message("The faster server may be faster because it promises less."),
        message("Make durability equal, or say it beside the figure."),
    ),
    Code.ISOLATION_DIFFERS: CheckWords(
        message("Cells that are compared ran with different isolation levels."),
        message("The faster server may be faster because it isolates less."),
        message(
            "Servers have different defaults; set session.isolation, or say it beside the figure."
        ),
    ),
}
