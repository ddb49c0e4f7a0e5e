"""The files of a matrix."""

from contextlib import suppress
from pathlib import Path

from gatewise_reports.matrix import html, json_view, markdown
from gatewise_reports.matrix.matrix import Matrix, file_names
from gatewise_reports.report import ReportError

PAGE, MARKDOWN, JSON, BADGES, REPORTS = "index.html", "matrix.md", "matrix.json", "badges", "reports"


def write_matrix(matrix: Matrix, folder: Path) -> None:
    """Writes the page, the Markdown, the JSON and a badge for each column into ``folder``, which is made.

    A file that is there already is replaced when the new one is whole.

    Raises:
        ReportError: if a file cannot be written.
    """
    texts = {
        Path(PAGE): html.render(matrix),
        Path(MARKDOWN): markdown.render(matrix),
        Path(JSON): json_view.render(matrix),
    }
    for column, name in zip(matrix.columns, file_names([column.name for column in matrix.columns]), strict=True):
        texts[Path(BADGES, f"{name}.json")] = json_view.render_badge(matrix, column)
    for relative, text in texts.items():
        path = folder / relative
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, text)
        except OSError as error:
            raise ReportError(f"{path}: cannot be written ({error.strerror})") from error


def _replace(path: Path, text: str) -> None:
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink()
        raise
