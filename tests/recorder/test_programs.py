"""``stagelight run`` on programs that end in every way there is."""

import signal
import subprocess
import sys
import time

import pytest

from stagelight.model.event import Ended, Traced
from stagelight.recorder.ledger_file import ledgers_from
from tests.recorder.programs import ENVIRONMENT, python, recorded, run, stagelight_command, write

pytest.importorskip("jax")

TWICE = """
    import jax, jax.numpy as jnp
    @jax.jit
    def double(x): return x * 2
    double(jnp.ones(3)); double(jnp.ones(4))
"""


def test_the_summary_says_what_changed_where_and_the_commands_that_open_the_ledger(tmp_path):
    program = write(tmp_path, TWICE)
    ran = run(program, "--live")
    assert ran.stdout == ""
    assert "stagelight: double traced again: shape-changed x f32[3] → f32[4]  from program.py:5" in ran.stderr
    for text in ("shape-changed", "f32[3] → f32[4]", f"stagelight why {program.with_suffix('.jsonl')}", "Stagelight"):
        assert text in ran.stderr


def test_gates_exit_with_1_and_name_the_function(tmp_path):
    program = write(tmp_path, TWICE)
    ran = run(program, "-q", "--fail-on-retrace", "--max-traces", "1")
    assert ran.returncode == 1
    assert "double: 1 avoidable miss (--fail-on-retrace)" in ran.stderr
    assert "double: 2 traces, at most 1 are allowed" in ran.stderr


def test_the_programs_own_exit_code_wins_over_a_gate(tmp_path):
    program = write(tmp_path, TWICE + "    raise SystemExit(7)\n")
    assert run(program, "-q", "--max-traces", "1").returncode == 7


def test_an_existing_ledger_is_not_replaced_without_force(tmp_path):
    program = write(tmp_path, "print('ran')")
    ledger = tmp_path / "kept.jsonl"
    ledger.write_text("precious")
    ran = stagelight_command("run", "-o", str(ledger), str(program))
    assert (ran.returncode, ran.stdout, ledger.read_text()) == (2, "", "precious")
    assert "replace it with -f" in ran.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot read the program"),
        ("def (:", "is not Python that can run"),
        ("\0", "is not a Python source file"),
    ],
    ids=["missing", "syntax", "binary"],
)
def test_what_is_no_program_is_refused_in_one_line(tmp_path, text, said):
    program = tmp_path / "program.py"
    if text is not None:
        program.write_text(text)
    ran = run(program)
    assert ran.returncode == 2
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not program.with_suffix(".jsonl").exists()


def test_a_folder_without_a_main_program_is_refused_in_one_line(tmp_path):
    ran = stagelight_command("run", str(tmp_path))
    assert ran.returncode == 2
    assert "is a folder without a __main__.py" in ran.stderr


def test_a_program_without_jax_has_an_empty_ledger(tmp_path):
    program = write(tmp_path, "import sys; print('jax' in sys.modules)")
    ran = run(program)
    assert (ran.returncode, ran.stdout) == (0, "False\n")
    assert not recorded(program).of(Traced)


def test_settings_made_before_jax_is_imported_still_count(tmp_path):
    program = write(
        tmp_path, "import os; os.environ['JAX_ENABLE_X64'] = '1'\nimport jax.numpy as jnp; print(jnp.ones(1).dtype)"
    )
    assert run(program, "-q").stdout == "float64\n"


def test_os_exit_leaves_a_readable_ledger(tmp_path):
    program = write(tmp_path, TWICE + "    import os; os._exit(3)\n")
    assert run(program).returncode == 3
    seen = recorded(program)
    assert (len(seen.of(Traced, "double")), seen.of(Ended)) == (2, [])


def test_a_replaced_excepthook_is_called(tmp_path):
    program = write(tmp_path, "import sys; sys.excepthook = lambda *a: print('hooked', a[0].__name__)\n1 / 0")
    plain, watched = python(program), run(program, "-q")
    assert (watched.stdout, watched.stderr, watched.returncode) == (plain.stdout, plain.stderr, plain.returncode)


def heed_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupted_program_ends_as_interrupted(tmp_path):
    text = TWICE + "    import time; print('ready', flush=True); time.sleep(60)\n"
    program = write(tmp_path, text)
    command = [sys.executable, "-m", "stagelight", "run", "-f", "-o", str(program.with_suffix(".jsonl")), str(program)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # A shell that runs the tests in its background has them, and what they start, ignore the interrupt.
    with subprocess.Popen(command, env=ENVIRONMENT, preexec_fn=heed_interrupts, **pipes) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in errors
    assert "shape-changed" in errors


def test_a_killed_program_leaves_all_but_the_last_entry(tmp_path):
    text = TWICE + "    print('ready', flush=True)\n    n = 5\n    while True: double(jnp.ones(n)); n += 1\n"
    program = write(tmp_path, text)
    ledger = program.with_suffix(".jsonl")
    command = [sys.executable, "-m", "stagelight", "run", "-f", "-o", str(ledger), str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT) as process:
        process.stdout.readline()
        time.sleep(0.5)
        process.kill()
    whole = ledger.read_bytes()
    entries = len(list(ledgers_from([str(ledger)])[0].entries()))
    assert entries >= whole.count(b"\n") - 1
    for cut in range(1, 200, 7):  # killed at any byte
        ledger.write_bytes(whole[:-cut])
        lines = whole[:-cut].count(b"\n")
        assert len(list(ledgers_from([str(ledger)])[0].entries())) >= lines - 1


def test_a_module_is_run_as_python_dash_m_would(tmp_path):
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    write(package, "import sys; print(__name__, __package__, sys.argv[1:], __spec__.name)", "train.py")
    ran = stagelight_command("run", "-q", "-o", "m.jsonl", "-m", "pkg.train", "--epochs", "3", cwd=tmp_path)
    assert ran.stdout == "__main__ pkg ['--epochs', '3'] pkg.train\n"


def test_threads_that_outlive_the_main_thread_belong_to_the_run(tmp_path):
    program = write(
        tmp_path,
        TWICE
        + "    import threading, time\n"
        + "    threading.Thread(target=lambda: (time.sleep(0.3), double(jnp.ones(5)))).start()\n",
    )
    run(program, "-q")
    seen = recorded(program)
    assert len({t.thread for t in seen.of(Traced, "double")}) == 2


def test_processes_that_are_started_record_themselves(tmp_path):
    program = write(
        tmp_path,
        """
        import multiprocessing, os, subprocess, sys
        def work(n):
            import jax, jax.numpy as jnp
            jax.jit(lambda x: x * 2)(jnp.ones(n))
        if __name__ == "__main__":
            if sys.argv[1:]: work(3); sys.exit()
            p = multiprocessing.get_context("spawn").Process(target=work, args=(2,)); p.start(); p.join()
            subprocess.run([sys.executable, __file__, "child"])
            subprocess.run([sys.executable, "-c", "pass"])
            if os.fork() == 0: work(4); os._exit(0)
            os.wait()
        """,
    )
    folder = tmp_path / "ledgers"
    ran = stagelight_command("run", "-q", "--follow-children", "-o", str(folder), str(program))
    assert ran.returncode == 0, ran.stderr
    ledgers = ledgers_from([str(folder)])
    sizes = sorted(t.avals[0].shape for f in ledgers for t in f.entries() if isinstance(t, Traced) and t.avals[0].shape)
    assert set(sizes) == {(2,), (3,), (4,)}
    assert len(ledgers) == 4


def test_a_full_disk_is_said_once_and_the_program_goes_on(tmp_path):
    program = write(tmp_path, TWICE + "    print('end')\n")
    ran = stagelight_command("run", "-q", "-f", "-o", "/dev/full", str(program))
    assert (ran.returncode, ran.stdout) == (0, "end\n")
    assert ran.stderr.count("is incomplete") == 1


def test_a_deleted_ledger_is_said_and_the_program_goes_on(tmp_path):
    program = write(tmp_path, TWICE + "    import os, sys; os.unlink(__file__[:-2] + 'jsonl'); print('end')\n")
    ran = run(program)
    assert (ran.returncode, ran.stdout) == (0, "end\n")
    assert "the file was deleted" in ran.stderr


def test_a_folder_that_cannot_be_written_is_refused_before_the_program_runs(tmp_path):
    program = write(tmp_path, "print('ran')")
    ran = stagelight_command("run", "-o", str(tmp_path / "nowhere" / "l.jsonl"), str(program))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "Choose another place with -o" in ran.stderr
