# Each target sets up all that it needs: a Python 3.11 or newer, a C compiler and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
C_SOURCES := $(shell find implementations/reference -name '*.[ch]' -o -name '*.inc' -o -name CMakeLists.txt -o -name '*.cmake' -o -name '*.py')

TOOLS := build/tools
BUILD_TOOLS = $(BIN)/cmake -S implementations/reference -DGATEWISE_TOOLS=ON -DGATEWISE_WERROR=ON

.PHONY: help gate gate-onnxruntime machine fuzz shrinking test lint format record hashes score bounds pages wheel-test clean
.PHONY: prove hard-cases golden runtimes node-runtimes builds compilers emulated emulated-reports fast-errors transcendental-bench
.PHONY: matrix chromium browser lavapipe webgpu iree

help:
	@echo "make gate              judge the C reference on the corpus, in both modes"
	@echo "make gate-onnxruntime  judge ONNX Runtime and onnx's ReferenceEvaluator on the corpus"
	@echo "make machine           hash this machine and compare it with the reports of others"
	@echo "make fuzz              fuzz the C reference: a minute from a fixed seed, a minute from a fresh one"
	@echo "make shrinking         fuzz a mutant for every misreading and see how small its cases get (an hour)"
	@echo "make test              run the tests"
	@echo "make lint              run the linters and check the corpus"
	@echo "make format            format Python, C and the corpus"
	@echo "make record            record ONNX Runtime's outputs into the corpus"
	@echo "make hashes            write the hashes that exact mode must give, from the reference"
	@echo "make score             run every misreading as an implementation and write docs/score.md"
	@echo "make bounds            measure how narrow the bounds are and write docs/bounds.md"
	@echo "make pages             write the pages of misreadings, public reports, machines, findings and contracts"
	@echo "make wheel-test        build the wheel and run the gate from an empty environment"
	@echo "make chromium          install the browser, through apt"
	@echo "make browser           test the page of gatewise matrix in it"
	@echo "make runtimes          install other runtimes, test their adapters and judge each on the corpus"
	@echo "make iree              install IREE, test its adapter and judge it on the corpus (7 minutes)"
	@echo "make lavapipe          install Mesa's software device for Vulkan, through apt"
	@echo "make webgpu            install wgpu, test the WGSL kernels on a device and judge them on the corpus"
	@echo "make matrix            install other runtimes and older ones, and write the page of them all to build/matrix"
	@echo "make node-runtimes     install onnxruntime-node and -web through npm, test and judge them (needs Node.js)"
	@echo "make prove             prove the transcendental functions for all inputs on every path (needs MPFR)"
	@echo "make hard-cases        write the inputs that are hardest to round again (needs MPFR)"
	@echo "make golden            hash all 2^32 results of each function, which make test samples"
	@echo "make builds            test builds of many compilers and flags, and hosts that change the arithmetic"
	@echo "make compilers         install the cross compilers and the emulator, through apt"
	@echo "make emulated          test the emulated machines whose compilers are installed"
	@echo "make emulated-reports  set up, build and run emulated machines and write their hash reports"
	@echo "make fast-errors       measure the errors of fast mode's functions over all inputs"
	@echo "make transcendental-bench"
	@echo "                       measure the transcendental functions, beside SLEEF where it is installed"

gate: $(INSTALLED)
	$(BIN)/gatewise gate -i reference -i reference:mode=fast

gate-onnxruntime: $(INSTALLED)
	$(BIN)/gatewise gate -i onnxruntime -i onnx-reference

machine: $(INSTALLED)
	$(BIN)/gatewise hash -o build/machine.json
	$(BIN)/gatewise compare build/machine.json reports/machines/*.json

# A minute from a fixed seed, and a minute from a fresh one that it prints.
fuzz: $(INSTALLED)
	$(BIN)/gatewise fuzz -i reference --seconds 60 --seed 1
	$(BIN)/gatewise fuzz -i reference --seconds 60

shrinking: $(INSTALLED)
	$(BIN)/pytest -m shrinking -s

test: $(INSTALLED)
	$(BIN)/pytest -n 2

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	find implementations/reference tests -name '*.[ch]' | xargs $(BIN)/clang-format --dry-run -Werror
	$(BIN)/gatewise corpus lint
	$(BIN)/gatewise corpus coverage > $(VENV)/coverage.txt || { cat $(VENV)/coverage.txt; exit 1; }

format: $(INSTALLED)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	find implementations/reference tests -name '*.[ch]' | xargs $(BIN)/clang-format -i
	$(BIN)/gatewise corpus fmt

record: $(INSTALLED)
	$(BIN)/gatewise record

hashes: $(INSTALLED)
	$(BIN)/python -m gatewise.exact_hashes corpus/cases

score: $(INSTALLED)
	$(BIN)/python -m gatewise.score_page docs/score.md

bounds: $(INSTALLED)
	$(BIN)/python -m gatewise.bounds_page docs/bounds.md

pages: $(INSTALLED)
	$(BIN)/python -m gatewise.misreadings_page docs/misreadings.md
	$(BIN)/python -m gatewise.reports_page docs/reports.md
	$(BIN)/python -m gatewise.machines_page docs/machines.md
	$(BIN)/python -m gatewise.findings_page docs/findings.md
	$(BIN)/python -m gatewise.contracts_page docs/contracts.md

# onnxruntime-ggml wants another onnxruntime, so it has an environment of its own; its arenas are slow to fill.
RUNTIMES := openvino openvino-cell openvino-sequence tract torch opencv litert keras ncnn mnn
GGML := build/onnxruntime-ggml/bin/python
runtimes: $(INSTALLED) $(GGML)
	$(BIN)/pip install --quiet --editable '.[test,lint,runtimes]'
	GATEWISE_PYTHON_ONNXRUNTIME_GGML=$(GGML) $(BIN)/pytest -m runtime
	for name in $(RUNTIMES); do $(BIN)/gatewise gate -i $$name --examples 0 || exit 1; done
	MALLOC_PERTURB_=0 $(BIN)/gatewise gate -i onnxruntime-ggml:python=$(GGML) --examples 0

# A compiler of layers, which takes seconds for each.
iree: $(INSTALLED)
	$(BIN)/pip install --quiet --editable '.[test,lint,iree]'
	$(BIN)/pytest -m runtime -k iree
	$(BIN)/gatewise gate -i iree --examples 0 --time-limit 120

# WebGPU needs a Vulkan device that Dawn takes; Debian's chromium brings SwiftShader, a software one.
NODE := build/node/node_modules
SWIFTSHADER ?= /usr/lib/chromium/vk_swiftshader_icd.json
node-runtimes: $(INSTALLED) chromium
	npm install --silent --ignore-scripts --prefix build/node onnxruntime-node@1.30.0 onnxruntime-web@1.30.0
	GATEWISE_NODE_MODULES=$(NODE) VK_ICD_FILENAMES=$(SWIFTSHADER) $(BIN)/pytest -m runtime -k 'onnxruntime-node or onnxruntime-web or onnxruntime_web'
	$(BIN)/gatewise gate -i onnxruntime-node:modules=$(NODE) --examples 0
	$(BIN)/gatewise gate -i onnxruntime-web:modules=$(NODE) --examples 0
	VK_ICD_FILENAMES=$(SWIFTSHADER) $(BIN)/gatewise gate -i onnxruntime-node:provider=webgpu,modules=$(NODE) --examples 0

# Old releases stand in environments of their own. What is not as expected, as in these, is what the page is for.
OLDER := 1.20.1 1.24.4
older = build/onnxruntime-$(1)/bin/python
matrix: $(INSTALLED) lavapipe $(GGML) $(foreach version,$(OLDER),$(call older,$(version)))
	$(BIN)/pip install --quiet --editable '.[test,lint,runtimes,webgpu]'
	MALLOC_PERTURB_=0 $(BIN)/gatewise gate -i onnxruntime-ggml:python=$(GGML) --examples 0 --report build/onnxruntime-ggml.jsonl
	$(BIN)/gatewise matrix -o build/matrix build/onnxruntime-ggml.jsonl -i reference -i onnxruntime -i onnx-reference \
	  $(foreach version,$(OLDER),-i onnxruntime:python=$(call older,$(version))) $(RUNTIMES:%=-i %) -i webgpu -i bnns-model || test $$? -eq 1

$(call older,%):
	$(PYTHON) -m venv build/onnxruntime-$*
	build/onnxruntime-$*/bin/pip install --quiet onnxruntime==$* archspec ml-dtypes msgspec numpy onnx

$(GGML):
	$(PYTHON) -m venv build/onnxruntime-ggml
	build/onnxruntime-ggml/bin/pip install --quiet onnxruntime-ggml==0.2.0 archspec ml-dtypes msgspec numpy onnx

# As root, or through sudo where that asks for no password.
SUDO := $(if $(filter 0,$(shell id -u)),,sudo --non-interactive)
APT_GET := $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get --quiet
chromium:
	command -v chromium || command -v google-chrome || { $(APT_GET) update && $(APT_GET) install --yes --no-install-recommends chromium; }

browser: $(INSTALLED)
	$(BIN)/pip install --quiet --editable '.[test,browser]'
	$(BIN)/pytest -m browser

lavapipe:
	ls /usr/share/vulkan/icd.d/lvp_icd*.json || { \
	  $(APT_GET) update && $(APT_GET) install --yes --no-install-recommends libvulkan1 mesa-vulkan-drivers; }

webgpu: $(INSTALLED)
	$(BIN)/pip install --quiet --editable '.[test,lint,webgpu]'
	$(BIN)/pytest -m webgpu tests/implementations
	$(BIN)/gatewise gate -i webgpu

wheel-test: $(INSTALLED)
	$(BIN)/pytest -m packaging

# FUNCTION and PATH_NAME may name one function and one kernel path: make prove FUNCTION=tanh PATH_NAME=avx2
prove: $(INSTALLED)
	$(BUILD_TOOLS) -B $(TOOLS) > $(VENV)/tools.txt
	$(BIN)/cmake --build $(TOOLS) --target prove >> $(VENV)/tools.txt || { grep 'needs mpfr' $(VENV)/tools.txt; exit 1; }
	$(TOOLS)/tools/prove $(FUNCTION) $(PATH_NAME)

hard-cases: $(INSTALLED)
	$(BUILD_TOOLS) -B $(TOOLS) > $(VENV)/tools.txt
	$(BIN)/cmake --build $(TOOLS) --target prove >> $(VENV)/tools.txt || { grep 'needs mpfr' $(VENV)/tools.txt; exit 1; }
	for function in sigmoid tanh expm1 softplus; do \
	  $(TOOLS)/tools/prove -h -47 $$function scalar > implementations/reference/hard-cases/$$function.txt || exit 1; \
	done

golden: $(INSTALLED)
	$(BIN)/pytest -n 2 -m golden

emulated: $(INSTALLED)
	$(BIN)/pytest -n 2 -m emulated

fast-errors: $(INSTALLED)
	$(BUILD_TOOLS) -B $(TOOLS) > $(VENV)/tools.txt
	$(BIN)/cmake --build $(TOOLS) --target fast-errors >> $(VENV)/tools.txt
	$(TOOLS)/tools/fast-errors

# MACHINES may name some: make emulated-reports MACHINES="s390x haswell"
emulated-reports: $(INSTALLED)
	$(BIN)/python implementations/reference/tools/emulate.py --install $(MACHINES)

compilers: $(INSTALLED)
	$(BIN)/python implementations/reference/tools/emulate.py --install --set-up-only

builds: $(INSTALLED)
	$(BIN)/pytest -n 2 -m builds

transcendental-bench: $(INSTALLED)
	$(BUILD_TOOLS) -B $(TOOLS) > $(VENV)/tools.txt
	$(BIN)/cmake --build $(TOOLS) --target transcendental-bench >> $(VENV)/tools.txt
	$(TOOLS)/tools/transcendental-bench

# An editable install with warnings as errors in the C sources; again whenever they or the dependencies change.
$(INSTALLED): pyproject.toml $(C_SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[test,lint]' --config-settings=cmake.define.GATEWISE_WERROR=ON
	touch $@

clean:
	rm -rf $(VENV) build dist
