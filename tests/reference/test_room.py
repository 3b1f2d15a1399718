"""What the room may import, and how long its files and functions may be."""

import ast
import pathlib
import subprocess
import sys

from reference import random_programs

import stagelight.reference

ROOM = pathlib.Path(stagelight.reference.__file__).parent
FILES = sorted(ROOM.rglob("*.py"))
MOST_LINES_OF_CODE = 1_500
MAY_IMPORT = {"numpy", "msgspec", "stagelight.model", "stagelight.errors", "stagelight.reference"}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def test_the_room_imports_numpy_msgspec_and_records_only():
    foreign = {
        f"{path.name}: {name}"
        for path in FILES
        for name in imported(path)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not any(name == known or name.startswith(f"{known}.") for known in MAY_IMPORT)
    }
    assert not foreign


def test_the_machine_runs_without_jax():
    program = (
        "import sys\n"
        "sys.modules['jax'] = None\n"
        "from stagelight.reference import Machine\n"
        "m = Machine()\n"
        "print(m.jit(m.grad(lambda x: m.numpy.sum(x * x)))(m.numpy.arange(3.0)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout == "[0. 2. 4.]\n", ran.stderr


def test_no_function_has_more_than_40_lines_and_no_file_more_than_300():
    long = []
    for path in FILES:
        text = path.read_text()
        if len(text.splitlines()) > 300:
            long.append(path.name)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno + 1 > 40:
                long.append(f"{path.name}: {node.name}")
    assert not long


def test_the_machine_can_be_read_in_an_evening():
    lines = sum(map(random_programs.code_line_count, FILES))
    assert lines <= MOST_LINES_OF_CODE, f"{lines:,} lines of code in the room, its operations included"


def test_blank_lines_comments_and_docstrings_are_no_lines_of_code(tmp_path):
    file = tmp_path / "counted.py"
    file.write_text('"""Two\nlines."""\n\n# why\nx = (\n    1,\n)\n\ndef f():\n    """What."""\n    return x\n')
    assert random_programs.code_line_count(file) == 5
