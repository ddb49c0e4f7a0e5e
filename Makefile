# Each target sets up all that it needs: a Python 3.11 or newer, a C compiler and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
C_SOURCES := $(shell find implementations/reference -name '*.[ch]' -o -name '*.inc' -o -name CMakeLists.txt -o -name '*.cmake' -o -name '*.py')

.PHONY: help gate gate-onnxruntime test lint format record score bounds pages wheel-test clean

help:
	@echo "make gate              judge the C reference on the corpus"
	@echo "make gate-onnxruntime  judge ONNX Runtime on the corpus"
	@echo "make test              run the tests"
	@echo "make lint              run the linters and check the corpus"
	@echo "make format            format Python, C and the corpus"
	@echo "make record            record ONNX Runtime's outputs into the corpus"
	@echo "make score             run every misreading as an implementation and write docs/score.md"
	@echo "make bounds            measure how narrow the bounds are and write docs/bounds.md"
	@echo "make pages             write docs/misreadings.md and docs/reports.md"
	@echo "make wheel-test        build the wheel and run the gate from an empty environment"

gate: $(INSTALLED)
	$(BIN)/gatewise gate

gate-onnxruntime: $(INSTALLED)
	$(BIN)/gatewise gate -i onnxruntime

test: $(INSTALLED)
	$(BIN)/pytest -n 2

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	find implementations/reference -name '*.[ch]' | xargs $(BIN)/clang-format --dry-run -Werror
	$(BIN)/gatewise corpus lint
	$(BIN)/gatewise corpus coverage > $(VENV)/coverage.txt || { cat $(VENV)/coverage.txt; exit 1; }

format: $(INSTALLED)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	find implementations/reference -name '*.[ch]' | xargs $(BIN)/clang-format -i
	$(BIN)/gatewise corpus fmt

record: $(INSTALLED)
	$(BIN)/gatewise record

score: $(INSTALLED)
	$(BIN)/python -m gatewise.score_page docs/score.md

bounds: $(INSTALLED)
	$(BIN)/python -m gatewise.bounds_page docs/bounds.md

pages: $(INSTALLED)
	$(BIN)/python -m gatewise.misreadings_page docs/misreadings.md
	$(BIN)/python -m gatewise.reports_page docs/reports.md

wheel-test: $(INSTALLED)
	$(BIN)/pytest -m packaging

# An editable install with warnings as errors in the C sources; again whenever they or the dependencies change.
$(INSTALLED): pyproject.toml $(C_SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[test,lint]' --config-settings=cmake.define.GATEWISE_WERROR=ON
	touch $@

clean:
	rm -rf $(VENV) build dist
