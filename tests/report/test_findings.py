"""The same findings as text, lines, JSON, GitHub annotations and SARIF."""

import json

from stagelight.model.finding import Edit, Finding, PathStep, Span
from stagelight.model.inspection import Fingerprinted, Inspection, Problem
from stagelight.report.findings_concise import concise_lines
from stagelight.report.findings_full import full_lines, summary
from stagelight.report.findings_github import github_annotations
from stagelight.report.findings_json import findings_json
from stagelight.report.findings_sarif import findings_sarif
from stagelight.report.findings_statistics import statistics_lines

FINDING = Finding(
    slug="traced-condition",
    file="pkg/a.py",
    span=Span(line=2, column=5, end_line=2, end_column=10),
    message="100%: if needs\na bool",
    function="f",
    expression="x > 0",
    arguments=("x",),
    path=(PathStep(file="pkg/a.py", line=1, column=1, text="f is traced by jax.jit"),),
    hint="use jnp.where",
)
MENDABLE = Finding(
    slug="unhashable-static-argument",
    file="b.py",
    span=Span(line=9, column=1, end_line=9, end_column=3),
    message="a list",
    edits=(Edit(span=Span(line=9, column=1, end_line=9, end_column=2), text="("),),
)
INSPECTION = Inspection(
    findings=(
        Fingerprinted(finding=FINDING, fingerprint="0123"),
        Fingerprinted(finding=MENDABLE, fingerprint="4567"),
    ),
    problems=(Problem(file="c.py", message="is not Python"),),
    file_count=3,
    ignored_count=1,
)


def test_concise():
    assert list(concise_lines(INSPECTION))[1] == "b.py:9:1: [unhashable-static-argument] a list"


def test_full_shows_source_path_and_way_out():
    text = "\n".join(full_lines(INSPECTION, lambda file: ["def f(x):", " if x > 0:"] if file == "pkg/a.py" else []))
    assert "      2 |  if x > 0:\n        |     ^^^^^" in text
    assert "    at pkg/a.py:1: f is traced by jax.jit" in text
    assert "    do: use jnp.where" in text
    assert "    --fix mends this" in text
    assert text.endswith("2 findings in 3 files (1 ignored, 1 not checked).")


def test_summary_of_nothing():
    assert summary(Inspection(findings=(), file_count=1)) == "No findings in 1 file."


def test_statistics_count_rules():
    assert list(statistics_lines(INSPECTION)) == ["     1  traced-condition", "     1  unhashable-static-argument [*]"]


def test_json_is_an_array_with_the_promised_keys():
    first, second = json.loads(findings_json(INSPECTION))
    assert {"slug", "file", "line", "column", "message"} <= first.keys()
    assert (first["slug"], first["file"], first["line"], first["column"]) == ("traced-condition", "pkg/a.py", 2, 5)
    assert first["path"][0]["text"] == "f is traced by jax.jit"
    assert second["is_mendable"] is True
    assert findings_json(Inspection(findings=())) == "[]"


def test_github_annotations_escape_what_would_end_them():
    first = next(iter(github_annotations(INSPECTION)))
    assert first.startswith(
        "::error file=pkg/a.py,line=2,col=5,endLine=2,title=stagelight traced-condition::100%25: if"
    )
    assert "%0A" in first
    assert "\n" not in first


def test_sarif_has_what_code_scanning_needs():
    log = json.loads(findings_sarif(INSPECTION, version="1.2", rule_titles={"traced-condition": "A condition"}))
    run = log["runs"][0]
    assert log["version"] == "2.1.0"
    assert run["tool"]["driver"]["rules"][0] == {"id": "traced-condition", "shortDescription": {"text": "A condition"}}
    result = run["results"][0]
    assert result["partialFingerprints"] == {"stagelight/v1": "0123"}
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 10}
    assert len(result["codeFlows"][0]["threadFlows"][0]["locations"]) == 2
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "c.py is not Python"
