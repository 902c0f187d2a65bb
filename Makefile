# Works from a bare clone with Python >= 3.11 and pip. Everything is installed into .venv.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
OUT    ?= shards
COUNT  ?= 2000
PROOFS ?= 800000


.PHONY: shards test test-trainers prove fuzz faults difficulty surface bench check clean

$(BIN)/ecomrlve: setup.cfg pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name it: make PYTHON=python3.12 …")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/test: $(BIN)/ecomrlve
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

$(VENV)/dev: $(VENV)/test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,dev]'
	touch $@

$(VENV)/trainers: $(VENV)/test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,trainers]'
	touch $@

shards: $(BIN)/ecomrlve  ## Parquet shards of proven tasks in $(OUT), and one of them to look at
	$(BIN)/ecomrlve generate $(OUT) --count $(COUNT) --levels 0-8 --products 50000
	$(BIN)/ecomrlve show $(OUT) -n 1

test: $(VENV)/test  ## the suite, without torch
	$(BIN)/python -m pytest --numprocesses auto --quiet

test-trainers: $(VENV)/trainers  ## shards read by the libraries that trainers read with
	$(BIN)/python -m pytest --quiet tests -m trainers

prove: $(BIN)/ecomrlve  ## the laws at 100,000 tasks per environment: docs/truth.md
	$(BIN)/ecomrlve truth --count $(PROOFS) --out docs/truth.md

fuzz: $(VENV)/test  ## every property over every environment, thoroughly
	$(BIN)/ecomrlve fuzz --examples 2000

faults: $(VENV)/test  ## known faults planted in copies of the verifiers: fuzzing finds each
	$(BIN)/python benchmarks/faults.py

difficulty: $(BIN)/ecomrlve  ## what each axis changes, and how a simulated agent fares: docs/difficulty.md
	$(BIN)/python benchmarks/difficulty.py --out docs/difficulty.md

surface: $(BIN)/ecomrlve  ## whether a prompt's surface gives its answer away: docs/surface.md
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python benchmarks/surface.py --out docs/surface.md

bench: $(BIN)/ecomrlve  ## speed and memory
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/curriculum.py

check: $(VENV)/dev  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
