from gatewise_reports.schema import SCHEMAS, as_text, schemas


def test_the_schema_files_say_what_the_records_say() -> None:
    files = {path.name: path.read_text() for path in SCHEMAS.glob("*.json")}
    assert files == {name: as_text(schema) for name, schema in schemas().items()}


def test_a_result_needs_its_case_and_verdict() -> None:
    result = schemas()["result.json"]["$defs"]["Result"]
    assert result["required"] == ["record", "case", "line", "verdict", "seconds"]
    assert "wrong" in result["properties"]["verdict"]["enum"]
