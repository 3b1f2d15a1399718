"""Ledgers summed up: groups, the compiles that follow, several processes, the timeline."""

from report.ledgers import compiled, function, header_of, raised, structure, traced, two_shapes, write_ledger

from stagelight.attribution.whole_ledger import attributions
from stagelight.model.event import CellRun, Dispatched, DispatchEnded, Ended, PersistentCacheUse
from stagelight.recorder.ledger_file import ledgers_from
from stagelight.report import function_sums, grouping, spans
from stagelight.report.accounting import account_from_attributions, account_from_ledgers


def _account(*paths, **options):
    return account_from_ledgers(ledgers_from([str(path) for path in paths]), **options)


def test_a_compile_counts_with_the_avoidable_trace_that_it_follows(tmp_path):
    account = _account(write_ledger(tmp_path / "a.jsonl", *two_shapes()))
    (step,) = account.functions
    avoidable = [group for group in step.groups if group.avoidable]
    assert [(g.misses, g.compiles, g.seconds) for g in avoidable] == [(1, 1, 0.875)]
    assert account.avoidable_s == 0.875
    assert account.total_s == 1.75
    assert account.run_s == 4.0


def test_seconds_of_groups_add_up_to_those_of_the_function(tmp_path):
    (step,) = _account(write_ledger(tmp_path / "a.jsonl", *two_shapes())).functions
    assert sum(group.seconds for group in step.groups) == step.seconds


def test_the_same_change_from_several_lines_is_one_group_with_its_sites(tmp_path):
    entries = [function(), structure("x")]
    for number, size in enumerate((3, 4, 5, 6), start=1):
        entries += [traced(number, size, line=30 + number % 2), *compiled(number)]
    (step,) = _account(write_ledger(tmp_path / "a.jsonl", *entries)).functions
    group = step.groups[0]
    assert (group.misses, group.compiles) == (3, 3)
    assert sorted(times for _, times in group.sites) == [1, 2]
    assert len(group.examples) == 3


def test_what_the_persistent_cache_did_is_counted_unless_it_was_off(tmp_path):
    uses = [
        PersistentCacheUse(outcome="miss, written"),
        PersistentCacheUse(outcome="not eligible", reason="below 1.0 s"),
    ]
    entries = [function(), structure("x"), traced(1, 3), *compiled(1)]
    for number, use in enumerate(uses, start=2):
        entries += [traced(number, 3 + number), *compiled(number, persistent=use)]
    (step,) = _account(write_ledger(tmp_path / "a.jsonl", *entries)).functions
    said = {group.causes[0].slug: group.persistent for group in step.groups}
    assert said["shape-changed"] == (("miss, written", 1), ("not eligible (below 1.0 s)", 1))
    assert said["first-compile"] == ()


def test_two_processes_are_summed_by_function(tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        write_ledger(tmp_path / name, *two_shapes())
    account = _account(tmp_path)
    (step,) = account.functions
    assert (step.totals.traces, step.totals.compiles, len(account.ledgers)) == (4, 4, 2)
    assert step.avoidable_s == 1.75


def test_the_session_that_did_not_end_is_known(tmp_path):
    account = _account(write_ledger(tmp_path / "a.jsonl", *two_shapes(end=False)))
    assert not account.ledgers[0].ended


def test_the_same_failure_many_times_is_one_and_counted(tmp_path):
    failures = [entry for n in range(1, 6) for entry in raised(n, ended=n == 5)]
    account = _account(write_ledger(tmp_path / "a.jsonl", *two_shapes(end=False), *failures))
    (failure,) = account.failures
    assert (failure.times, failure.handled) == (5, 4)
    assert not failure.failure.handled


def test_an_account_of_conclusions_is_that_of_the_ledger(tmp_path):
    path = write_ledger(tmp_path / "a.jsonl", *two_shapes())
    (ledger,) = ledgers_from([str(path)])
    assert account_from_attributions(attributions(ledger.entries())).functions == tuple(
        type(f)(
            function=f.function, totals=f.totals, groups=f.groups, columns=f.columns, specializations=f.specializations
        )
        for f in _account(path, specializations=True).functions
    )


def test_specializations_are_kept_on_request_and_say_what_changed(tmp_path):
    path = write_ledger(tmp_path / "a.jsonl", *two_shapes())
    assert _account(path).functions[0].specializations == ()
    (step,) = _account(path, specializations=True).functions
    assert step.columns == ("x",)
    assert [s.specialization.changed for s in step.specializations if s.specialization.number == 2] == [("x",)]


def test_specializations_of_many_processes_are_cut_to_the_costliest(tmp_path, monkeypatch):
    monkeypatch.setattr(function_sums, "SPECIALIZATIONS", 3)
    for name in ("a.jsonl", "b.jsonl"):
        write_ledger(tmp_path / name, *two_shapes())
    (step,) = _account(tmp_path, specializations=True).functions
    assert (len(step.specializations), step.specializations_folded) == (3, 1)


def test_the_timeline_has_a_lane_a_thread_and_marks_what_was_avoidable(tmp_path):
    path = write_ledger(tmp_path / "a.jsonl", *two_shapes())
    (lane,) = _account(path, timeline=True).lanes
    assert lane.label == "thread 1"
    assert [(s.kind, s.avoidable) for s in lane.spans] == [
        ("trace", False),
        ("dispatch", False),
        ("lower", False),
        ("compile", False),
        ("trace", True),
        ("dispatch", True),
        ("lower", True),
        ("compile", True),
    ]


def test_a_dispatch_is_a_span_from_its_beginning_to_its_end(tmp_path):
    entries = (
        function(),
        Dispatched(at_s=1.0, dispatch=1, function=1, thread=9),
        DispatchEnded(at_s=1.5, dispatch=1, dispatch_s=0.5),
    )
    (lane,) = _account(write_ledger(tmp_path / "a.jsonl", *entries), timeline=True).lanes
    assert [(s.kind, s.label, s.start_s, s.duration_s) for s in lane.spans] == [("dispatch", "step", 1.0, 0.5)]


def test_a_lane_keeps_its_costliest_spans(tmp_path, monkeypatch):
    monkeypatch.setattr(spans, "SPANS_A_LANE", 2)
    (lane,) = _account(write_ledger(tmp_path / "a.jsonl", *two_shapes()), timeline=True).lanes
    assert [span.kind for span in lane.spans] == ["dispatch", "dispatch"]
    assert lane.folded == 6


def test_lanes_of_several_processes_are_told_apart(tmp_path):
    for process in (7, 8):
        write_ledger(tmp_path / f"{process}.jsonl", *two_shapes(), header=header_of("/home/ada", process=process))
    labels = [lane.label for lane in _account(tmp_path, timeline=True).lanes]
    assert labels == ["lovelace process 7 · thread 1", "lovelace process 8 · thread 1"]


def test_threads_beyond_the_limit_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr("stagelight.report.accounting.LANES", 1)
    for process in (7, 8, 9):
        write_ledger(tmp_path / f"{process}.jsonl", *two_shapes(), header=header_of("/home/ada", process=process))
    account = _account(tmp_path, timeline=True)
    assert (len(account.lanes), account.lanes_folded) == (1, 2)


def test_cells_of_a_notebook_are_called_by_their_number(tmp_path):
    path = write_ledger(
        tmp_path / "a.jsonl", CellRun(at_s=0.0, execution=3, file="/tmp/ipykernel_1/2.py"), Ended(at_s=1)
    )
    assert _account(path).names.short("/tmp/ipykernel_1/2.py") == "cell [3]"


def test_groups_of_a_function_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(grouping, "GROUPS", 2)
    entries = [function()]
    for number in range(1, 9):
        entries += [structure(f"x{number}"), traced(number, 3, name=f"x{number}")]
    (step,) = _account(write_ledger(tmp_path / "a.jsonl", *entries)).functions
    assert sum(group.misses for group in step.groups) == 8
    assert len(step.groups) <= 4
