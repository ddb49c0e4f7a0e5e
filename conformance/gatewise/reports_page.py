"""The page docs/reports.md: ``python -m gatewise.reports_page FILE`` writes it."""

from gatewise.page import page_command
from gatewise_corpus.recipes.reports import REPORTS
from gatewise_corpus.store import cases_root, load_entry

_INTRODUCTION = f"""# Public bug reports

Made by `make pages`; do not edit. {len(REPORTS)} faults in recurrent layers, nearly all reported in public, restated
as small cases, and the case of the corpus that shows each: one made from the report, or one that was there for the
same reason. A link is a project and the number of the report; *measured* means that the fault was found by running a
public runtime.
"""


def render() -> str:
    """The page.

    Raises:
        FormatError: if the corpus lacks one of the cases.
    """
    lines = [_INTRODUCTION, "| report | links | case | must be | what it would notice |", "|---|---|---|---|---|"]
    root = cases_root()
    for report in REPORTS:
        about = load_entry(root / report.case, root).about
        result = f"refused ({about.refuse})" if about.refuse else "computed"
        why = about.why.replace("|", "\\|")
        lines.append(f"| {report.name} | {report.links} | `{report.case}` | {result} | {why} |")
    return "\n".join(lines) + "\n"


main = page_command(render)

if __name__ == "__main__":
    main()
