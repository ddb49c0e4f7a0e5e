"""The exact hashes that stand beside the corpus: ``python -m gatewise.exact_hashes ROOT`` writes them again."""

from pathlib import Path

import click

from gatewise.hashing import make_hash_report
from gatewise_corpus.exact_hashes import EXACT_HASHES, format_hashes, is_hash
from gatewise_corpus.lint import has_exact_bits
from gatewise_corpus.store import load_entries


def exact_hashes(root: Path) -> dict[str, str]:
    """The hash that the reference gives, of every case below ``root`` whose bits exact mode defines.

    Raises:
        FormatError: if a case cannot be read.
        SetupError: if the reference cannot be started.
        ValueError: if the reference does not compute a case, or not with the same bits in every configuration.
    """
    cases = {entry.name: entry.case for entry in load_entries(root) if has_exact_bits(entry.case)}
    report = make_hash_report(cases, "reference")
    bad = [name for name, hash_ in report.cases.items() if name in report.differences or not is_hash(hash_)]
    if bad:
        raise ValueError(f"the reference does not give the same bits in every configuration: {', '.join(bad)}")
    return report.cases


@click.command()
@click.argument("root", type=click.Path(path_type=Path, file_okay=False, exists=True))
def main(root: Path) -> None:
    """Hash the cases below ROOT and write the file beside them."""
    (root / EXACT_HASHES).write_text(format_hashes(exact_hashes(root)), encoding="utf-8")


if __name__ == "__main__":
    main()
