"""What the documentation says of verdicts and known failures is what the code has."""

import re
from pathlib import Path
from typing import Any

from gatewise.fuzz.finds import ISSUE, RESULT, SCRIPT
from gatewise.known_failures import load_known_failures
from gatewise_corpus.features import FEATURES, features
from gatewise_corpus.onnx_folder import DATA_SET, MODEL
from gatewise_corpus.refusal import REASONS
from gatewise_corpus.store import ABOUT, load_entries
from gatewise_oracle.misreadings import MISREADINGS
from gatewise_reports.matrix.marks import MARKS
from gatewise_reports.record import EXPECTED, VERDICTS

DOCS = Path(__file__).parents[2] / "docs"


OPEN = {
    "operator",
    "opset",
    "direction",
    "layout",
    "dtype",
    "activation_names",
    "defaulted_parameters",
    "outputs",
} | {
    "empty_sizes",
    "special",
    "non_finite",
}
"""Features whose values are spelled by the case or joined of many."""


def test_every_verdict_is_in_the_table_with_whether_it_is_a_finding() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|.*\| (yes)? ?\|$", (DOCS / "verdicts.md").read_text(), re.MULTILINE)
    assert {name: not finding for name, finding in rows} == {name: name in EXPECTED for name in VERDICTS}


def test_every_sign_of_the_matrix_is_in_the_table() -> None:
    rows = re.findall(r"^\| (\S) \| ([a-z ]+) \| (.*) \|$", (DOCS / "matrix.md").read_text(), re.MULTILINE)
    assert rows == [(mark.sign, mark.name, ", ".join(f"`{verdict}`" for verdict in mark.verdicts)) for mark in MARKS]


def test_every_feature_stands_in_the_table_with_its_values() -> None:
    text = (DOCS / "known-failures.md").read_text()
    rows = re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|$", text[text.index("| feature |") :], re.MULTILINE)
    values = {name: told for names, told in rows for name in re.findall(r"`(\w+)`", names)}
    assert values.keys() == FEATURES.keys()
    enumerated = values.keys() - OPEN
    found = {(name, value) for entry in load_entries() for name, value in features(entry.case).items()}
    assert {
        (name, value) for name, value in found if name in enumerated and f"`{value}`" not in values[name]
    } == set()


def test_every_rule_stands_there() -> None:
    text = (DOCS / "known-failures.md").read_text()
    rules = re.search(r"^The rules are (.*?)\. `refuse` in", text, re.MULTILINE | re.DOTALL)
    assert rules
    assert re.findall(r"`([\w-]+)`", rules[1]) == list(REASONS)


def test_the_example_is_a_list(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", (DOCS / "known-failures.md").read_text(), re.DOTALL)
    path = tmp_path / "known.toml"
    path.write_text(example)
    (entry,) = load_known_failures([path]).entries
    assert entry.known.told() == "GRU ends the process where a size is 0 (https://example.org/issues/123)"


def test_the_readme_counts_what_is_there() -> None:
    text = " ".join((DOCS.parent / "README.md").read_text().split())
    entries = load_entries()
    refused = sum(bool(entry.about.refuse) for entry in entries)
    assert f"a **corpus** of {len(entries)} cases" in text
    assert f"{refused} cases that must be refused" in text
    assert f"{len(MISREADINGS)} [misreadings](docs/misreadings.md)" in text


def test_the_example_of_a_strategy_is_a_test_that_passes() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / "fuzzing.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)  # noqa: S102 - the page's own code
    names["test_my_shape_inference"]()


def test_every_file_of_a_find_stands_in_the_table() -> None:
    text = (DOCS / "fuzzing.md").read_text()
    for name in (MODEL, DATA_SET, ABOUT, RESULT, SCRIPT, ISSUE):
        assert f"`{name}" in text
