# The one door: make, then what you want. The work itself is in CMakePresets.json and scripts/.

JOBS ?= $(shell nproc)
CLANG_FORMAT ?= clang-format-14
FUZZ_SECONDS ?= 60

configure = cmake --preset $(1) --log-level=WARNING >/dev/null
build = $(call configure,$(1)) && cmake --build --preset $(1) -j$(JOBS)
sources = git ls-files --cached --others --exclude-standard '*.h' '*.cpp'

.PHONY: help
help:  ## This list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

.PHONY: demo
demo: build  ## Build, see what it does, and get a report
	build/release/softwood demo
	@mkdir -p build/demo
	@build/release/softwood train tests/cli/data/loans.csv --recipe "grow max-leaves=6 min-leaf=10" --quiet -o build/demo/loans.json > build/demo/loans.txt
	@build/release/softwood report build/demo/loans.json tests/cli/data/loans.csv --quiet -o build/demo/loans.html
	@echo
	@echo "A report of a tree of small drawn data about loans, to open in a browser: build/demo/loans.html"

.PHONY: build
build: setup  ## The release program: build/release/softwood
	$(call build,release) --target softwood softwood_lib

# With the objects of the release program.
.PHONY: python
python: build  ## The Python package: build/release/python
	scripts/python-env
	$(call configure,release -DSOFTWOOD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/python-env/bin/python)
	cmake --build --preset release -j$(JOBS) --target softwood_python

.PHONY: wheel
wheel: python  ## The package as one wheel: build/wheel
	scripts/wheel

# Everything as users get it, from the objects of the release program; test-full has assertions on.
.PHONY: test
test: build python wheel  ## The suite, under half an hour
	scripts/setup --test
	scripts/node-env
	$(call build,release)
	ctest --preset release -j$(JOBS) -LE long
	JOBS=$(JOBS) scripts/test-python
	JOBS=$(JOBS) scripts/test-python --oldest
	scripts/setup --spark
	scripts/test-spark
	scripts/test-install

.PHONY: test-python
test-python: python  ## The tests of the Python package alone
	JOBS=$(JOBS) scripts/test-python

.PHONY: test-spark
test-spark: python  ## The tests of the package on Spark alone
	scripts/setup --spark
	scripts/test-spark

.PHONY: demo-spark
demo-spark: python  ## The same tree on Spark and on one machine, from generated rows
	scripts/setup --spark
	scripts/spark-run examples/spark_demo.py

.PHONY: bench-spark
bench-spark: python  ## Measure growing on Spark against MLlib: make bench-spark ROWS=10000000
	scripts/setup --spark
	scripts/spark-run bench/spark.py --rows $(or $(ROWS),1000000)

.PHONY: test-install
test-install: wheel  ## Install the Python package in empty environments of every Python
	scripts/test-install --every
	scripts/test-install --source

.PHONY: test-full
test-full: test test-install  ## The suite, its longest tests, all of them with assertions on, sanitizers and every compiler
	ctest --preset release -j$(JOBS) -L long
	SOFTWOOD_LONG=1 JOBS=$(JOBS) scripts/test-python python/tests/test_many_threads.py
	JOBS=$(JOBS) scripts/same-wheel
	$(call build,dev)
	ctest --preset dev -j$(JOBS) -LE long
	$(MAKE) sanitize compilers

.PHONY: test-fast
test-fast: setup  ## The suite without slow tests, while working
	$(call build,dev)
	ctest --preset dev -j$(JOBS) -LE slow

.PHONY: sanitize
sanitize: clang  ## The suite under address, undefined-behaviour and thread sanitizers
	$(call build,asan)
	ctest --preset asan -j$(JOBS) -LE long
	$(call build,tsan)
	ctest --preset tsan -j$(JOBS) -LE slow
	ctest --preset tsan -R LongLoad
	JOBS=$(JOBS) scripts/sanitize-python

# Readers, the loader of models and what they stand on.
sanitized = unit_base unit_data unit_tree unit_lower unit_use fuzz_csv fuzz_arff fuzz_gz fuzz_folds
.PHONY: sanitize-fast
sanitize-fast: clang  ## The part of sanitize that is about what is read
	$(call configure,asan) && cmake --build --preset asan -j$(JOBS) --target $(sanitized)
	ctest --preset asan -j$(JOBS) -LE slow -R '^($(subst $() ,|,$(patsubst fuzz_%,fuzz.%,$(sanitized))))([.]|$$)'

# Beside those of the presets: the oldest that the code is for, and the newest that the system has.
.PHONY: compilers
compilers: clang  ## Build everything with g++, clang 14 and the newest clang that there is
	scripts/setup --compilers
	for compiler in c++ clang++-14 $$(ls /usr/bin | grep '^clang++-[0-9]*$$' | sort -V | tail -n 1); do \
	  cmake --preset compiler -B build/compiler-$$compiler -DCMAKE_CXX_COMPILER=$$compiler --log-level=WARNING >/dev/null && \
	  cmake --build build/compiler-$$compiler -j$(JOBS) && \
	  ctest --test-dir build/compiler-$$compiler -j$(JOBS) --output-on-failure -R '^unit_(base|data|tree)[.]' || exit 1; \
	done

.PHONY: fuzz
fuzz:  ## Search for crashing inputs, FUZZ_SECONDS for each target
	scripts/setup --lint
	$(call build,fuzz)
	scripts/fuzz --seconds $(FUZZ_SECONDS)

.PHONY: fuzz-exports
fuzz-exports: setup  ## Compare exports of random models with the library: make fuzz-exports MODELS=2000
	$(call configure,release)
	scripts/fuzz-exports $(or $(MODELS),2000)

.PHONY: lint
lint:  ## Check format and run clang-tidy
	scripts/setup --lint
	scripts/node-env
	scripts/lint-page
	$(sources) | xargs -r $(CLANG_FORMAT) --dry-run -Werror
	scripts/python-env
	$(call configure,tidy -DSOFTWOOD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/python-env/bin/python)
	JOBS=$(JOBS) scripts/tidy

.PHONY: format
format:  ## Format all C++ files
	scripts/setup --lint
	$(sources) | xargs -r $(CLANG_FORMAT) -i

.PHONY: reference
reference: setup  ## Write the generated pages of docs/reference
	$(call configure,dev) && cmake --build --preset dev -j$(JOBS) --target softwood
	scripts/generate-reference

.PHONY: bench
bench:  ## Measure against other programs
	scripts/setup --bench
	$(call build,release) --target softwood_bench
	scripts/peers-env
	build/peers-env/bin/python bench/run.py

.PHONY: bench-python
bench-python: wheel  ## Measure the Python package against scikit-learn and the program
	PYTHONPATH=build/release/python build/python-env/bin/python bench/python.py

.PHONY: bench-stops
bench-stops: setup  ## Measure how soon every stage ends after a stop: make bench-stops ROWS=10000000
	$(call build,release) --target bench_stops
	build/release/bench/bench_stops --rows $(or $(ROWS),1000000)

.PHONY: bench-soft
bench-soft:  ## Measure an epoch of a soft tree against PyTorch, which is installed first
	scripts/setup --bench
	$(call build,release) --target softwood_bench
	scripts/peers-env
	build/peers-env/bin/pip install --quiet torch
	build/peers-env/bin/python bench/soft_epoch.py

.PHONY: bench-soft-fits
bench-soft-fits: python  ## Measure training and prediction of soft trees against a forest and boosting
	scripts/setup --bench
	scripts/peers-env
	build/peers-env/bin/python bench/soft.py
	build/peers-env/bin/python bench/soft.py --classes
	build/peers-env/bin/python bench/soft.py --large
	build/peers-env/bin/pip install --quiet nanobind-backend
	PYTHONPATH=build/release/python build/peers-env/bin/python bench/soft.py --predict

.PHONY: bench-export
bench-export:  ## Measure exported C code against m2cgen and tl2cgen, which are installed first, and SQL of large trees
	scripts/setup --bench
	$(call build,release) --target softwood
	scripts/peers-env
	build/peers-env/bin/pip install --quiet m2cgen tl2cgen treelite
	build/peers-env/bin/python bench/export.py
	build/peers-env/bin/python bench/export_sql.py

.PHONY: bench-explain
bench-explain: python  ## Shapley values on one core, against shap
	scripts/peers-env
	build/peers-env/bin/pip install --quiet nanobind-backend
	PYTHONPATH=build/release/python build/peers-env/bin/python bench/explain.py

.PHONY: bench-report
bench-report: build  ## First paint and folding of a report of 2000 nodes, in Chromium
	scripts/setup --test
	python3 bench/report_page.py

.PHONY: soak
soak: python  ## Ten minutes of work in one Python process, with its memory: make soak MINUTES=10
	PYTHONPATH=build/release/python build/python-env/bin/python bench/soak.py --minutes $(or $(MINUTES),10)

.PHONY: mutate
mutate: setup  ## Random small changes of the code, and whether tests notice: make mutate CHANGES=100
	scripts/mutate --count $(or $(CHANGES),100)

.PHONY: peers
peers:  ## Record the results of other programs anew
	scripts/setup --bench
	scripts/peers-env
	tests/differential/peers/run

.PHONY: clean
clean:  ## Remove everything built, but keep the downloaded peers
	rm -rf $(addprefix build/,dev release asan tsan tidy fuzz) build/compiler-*

.PHONY: clang
clang: setup
	@scripts/setup --clang

.PHONY: setup
setup:
	@scripts/setup
