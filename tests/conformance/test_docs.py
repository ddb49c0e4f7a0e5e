"""What the documentation says of verdicts and known failures is what the code has."""

import re
from pathlib import Path

from gatewise.known_failures import load_known_failures
from gatewise_corpus.features import FEATURES
from gatewise_reports.record import EXPECTED, VERDICTS

DOCS = Path(__file__).parents[2] / "docs"


def test_every_verdict_is_in_the_table_with_whether_it_is_a_finding() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|.*\| (yes)? ?\|$", (DOCS / "verdicts.md").read_text(), re.MULTILINE)
    assert {name: not finding for name, finding in rows} == {name: name in EXPECTED for name in VERDICTS}


def test_every_feature_is_named() -> None:
    text = (DOCS / "known-failures.md").read_text()
    (named,) = re.findall(r"\* a \*\*feature\*\* of the case: (.*?)\. `gatewise", text, re.DOTALL)
    assert re.findall(r"`(\w+)`", named) == list(FEATURES)


def test_the_example_is_a_list(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", (DOCS / "known-failures.md").read_text(), re.DOTALL)
    path = tmp_path / "known.toml"
    path.write_text(example)
    (entry,) = load_known_failures([path]).entries
    assert entry.known.told() == "GRU ends the process where a size is 0 (https://example.org/issues/123)"
