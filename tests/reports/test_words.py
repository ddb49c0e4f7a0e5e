from gatewise_reports.words import counted


def test_one_is_singular() -> None:
    assert [counted(number, "finding") for number in (0, 1, 2)] == ["0 findings", "1 finding", "2 findings"]
