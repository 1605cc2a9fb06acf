# All unit tests and golden runs are ONE Criterion executable, so that its last line counts them all.
#
#   grader/tests/**/*.c     tests, in folders named as in grader/       -> build/tests/unit
#   grader/tests/**/*.cu    CUDA programs that tests run                -> build/tests/programs/NAME
#
# All builds use the same CUDA programs, because nvcc compiles them. Folders with their own main() are left out.
OTHER_TESTS := $(addprefix grader/tests/,attacks/% batch/class/% bench/% checks/fixture/% fuzz/% hardware/calibration/% \
	hardware/chip/% hardware/gpu/% hardware/times/% soak/%)
TEST_FILES := $(shell find grader/tests -name '*.c' -o -name '*.cu')
TEST_OBJECTS := $(call objects,$(filter-out $(OTHER_TESTS),$(filter %.c,$(TEST_FILES))) grader/tests/attacks/test_attacks.c)
TEST_PROGRAM_SOURCES := $(filter-out $(OTHER_TESTS) $(addprefix grader/tests/,advice/% gpu/ptx/linked/% handouts/% mutants/% similar/%), \
	$(filter %.cu,$(TEST_FILES))) grader/tests/attacks/attacks.cu
test_program = $(addprefix build/tests/programs/,$(basename $(notdir $1)))
TEST_PROGRAMS := $(call test_program,$(TEST_PROGRAM_SOURCES))
UNIT := $(BUILD)/tests/unit
OBJECTS += $(TEST_OBJECTS)

$(TEST_OBJECTS): CPPFLAGS += -isystem $(CONFIG_CUDA_HOME)/include
# Tests run for a shorter time than it takes to optimise them. Those of hardware/ compute much.
$(filter-out %/hardware/answers.o %/hardware/products.o,$(TEST_OBJECTS)): CFLAGS += -O0

# The parts of the frame of checks that are tested alone. The tests in checks/ define what these call.
TESTED_CHECKS := $(if $(filter grader/tests/checks/%,$(TEST_FILES)), \
	$(addprefix grader/checks/,provenance.c reread.c slice.c slice_asks.c source.c))
UNIT_PARTS := $(TEST_OBJECTS) $(call objects,$(TESTED_CHECKS)) $(CUDART_OBJECTS) $(GRADER) \
	$(filter-out %/main.o,$(REMOTE_SERVER)) $(EMULATOR)

$(UNIT): $(UNIT_PARTS) | $(NO_GIT)
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CRITERION) $(GRADER_LIBS) $(CUDART_LIBS)

build/tests/programs/attacks: grader/gpu/remote/wire.h grader/gpu/remote/calls.def grader/tests/attacks/attacks.def $(wildcard grader/tests/attacks/*.h grader/tests/attacks/*/attack.cu)

# The flags with which nvcc builds a program for the emulator. Like the flags for submissions (compile/build.c), they
# save time: -O0 and -O1 are for host code only.
NVCC_OPTIMISE := -O1
build/tests/programs/%: NVCC_OPTIMISE := -O0
NVCC_QUICK = $(NVCC_OPTIMISE) --no-device-link $(if $(wildcard /usr/bin/ld.gold),-Xcompiler=-fuse-ld=gold)
NVCC_FLAGS = -cudart shared $(NVCC_DEBUG) -lineinfo $(NVCC_QUICK) -Ishared -Igrader -L$(BUILD)/lib $(NVCC_PORTABLE) $(NVCC_ARCH)
NVCC_DEBUG := -g
# The flags that give the same numbers on every CPU (compile/build.c).
NVCC_PORTABLE := $(if $(filter aarch64,$(CPU)),-Xcudafe=--signed_chars -Xcompiler=-fsigned-char$(comma)-ffp-contract=off)

# Without these headers, nvcc compiles sooner (compile/build.c): the special functions that <cmath> has in C++17, and
# what cooperative groups include of libcu++.
FEWER_HEADERS := -D_GLIBCXX_BITS_SPECFUN_H -D_CG_LIMIT_INCLUDED_DEPENDENCIES

# nvcc builds the tests' programs sooner without machine code, and with debug information only about lines. Programs
# with machine code: gpu/fatbin/test_fatbin.c.
build/tests/programs/%: NVCC_ARCH := -arch=compute_75
build/tests/programs/%: NVCC_DEBUG := -Xcompiler=-g1 $(FEWER_HEADERS)
build/tests/programs/attacks: NVCC_ARCH := -arch=compute_80
# Programs for features of newer GPUs. The headers of 16-bit floats use these GPUs' 16-bit instructions.
$(call test_program,async bulk bulk_reduce clusters counts halves lane_talk matrices spaces student_blocks student_meets student_odd student_tiles tensor_maps tensor_rules waits wide_sums \
	$(filter grader/tests/gpu/observe/planted/%,$(TEST_PROGRAM_SOURCES))): NVCC_ARCH := -arch=compute_90

# This program is linked as nvcc 12 links programs. With sanitizers, the library uses symbols that
# only the sanitizers' runtime defines.
build/tests/programs/cuda12: NVCC_FLAGS = -cudart none $(NVCC_DEBUG) -lineinfo $(NVCC_QUICK) -Igrader $(NVCC_ARCH) -Xlinker $(BUILD)/lib/libcudart.so.12,--allow-shlib-undefined
build/tests/programs/cuda12: | $(BUILD)/lib/libcudart.so.12

# ptxas warns that copies to several blocks are slow on some GPUs.
$(call test_program,bulk bulk_reduce tensor_maps): NVCC_FLAGS += -Xptxas=-w
# Exports the names of the program's functions, so that the runtime library finds them.
build/tests/programs/misleading: NVCC_FLAGS += -Xcompiler=-rdynamic
build/tests/programs/own_streams: NVCC_FLAGS += --default-stream per-thread

TEST_HEADERS := $(wildcard grader/tests/support/*.cuh)
define program_rule
$(call test_program,$1): $1 $(wildcard $(dir $1)*.cuh $(dir $1)../*.cuh) $(TEST_HEADERS) grader/tests/rules.mk | build/config.mk $(BUILD)/lib/libcudart.so
	@mkdir -p $$(@D)
	$$(Q)$$(CONFIG_NVCC) $$(NVCC_FLAGS) -o $$@ $$<
endef
$(foreach source,$(TEST_PROGRAM_SOURCES),$(eval $(call program_rule,$(source))))

# Runs one test more at a time than there are processors, because some tests wait for others to end.
TEST_JOBS := -j$(shell expr $$(nproc) + 1)

# The tests of `make gradings`, by the beginnings of their names. Each grades many programs. Together they take two thirds of the time of all other tests.
GRADINGS := advice/mends_ attacks/as_submissions_ golden_grade/ golden_mistakes/ golden_solutions/ kills/ shared_memory/
# With sanitizers, neither these tests run nor those of the next list: they run code of ours that other tests also run.
# Most of their time goes to nvcc, browsers and Pandoc, or to more gradings of the same kind.
ORDINARY_ONLY := autograder/works_ batch_grade/a_grader_failure_ batch_grade/continues_ \
	batch_grade/results_are_ batch_pairs/ build/labs_ build/programs_ class_page/looks_ class_page/prints_ \
	course/gradings_use_ course/only_its_labs_ cudart/programs_built_ editor/clangd_ editor/the_problem_ \
	explain/examples_ golden_calibrate/ golden_handouts/ golden_lab_check/ golden_student/ grade/*_forever_ \
	grade/another_seed_ grade/several_labs_ grade/the_same_seed_ grade/the_users_ handouts/ hardware_products/ \
	limits/waiting_ linked/ misleading/endless_ observers/racecheck_finds_the_same_ occupancy/is_that_ \
	order/keeps_little persistent/ predicted_pictures/*_browser readme/shows_ recorded_times/ \
	remote/kernels_wait_ remote/programs_behave_ report_page/is_the_same_ report_page/looks_ report_page/prints \
	report_page/shows_pictures_ run/all_tools_ run/repeated_launches_ sandbox/holds_ sandbox_levels/are_chosen_and_ \
	sandbox_levels/are_chosen_for_ seed/a_result_can_ seed/the_number_ seed/the_owners_ setup/skips_ \
	similar/lab_0[2-6] slurm/ step_page/obeys_ step_page/of_a_long_ step_page/starts_ step_page/works_ \
	step_states/ student/a_build_that_ student/watch_ students/meetings timed/json timed/runs_repeat \
	timed/the_report_ verify/
# One `*` for all: with sanitizers, Criterion needs 40 s to match a `*` for each.
one_of = (@($(subst $() ,|,$(strip $1)))*)
ALL_ELSE := !$(call one_of,$(GRADINGS) $(if $(SANITIZE),$(ORDINARY_ONLY)))

# `make test` does not repeat what `make asan` has tested: if its tests have passed and no file has changed since then, the
# other tests run, and these, which check more without sanitizers or test the arithmetic of optimised code.
TESTED_TWICE := attacks/end_ device/launches_reuse_ hardware_answers/ hostile_ptx/costs_ opcodes/ racecheck/says_when_
PASSED := build/asan/passed
has_passed = $(shell [ -e $(PASSED) ] && [ -z "$$(find Makefile grader handouts labs shared solutions build/config.mk \
	-type f -newer $(PASSED) -print -quit)" ] && echo yes)
to_test = $(if $(SANITIZE),$(ALL_ELSE),$(if $(has_passed),@$(call one_of,$(ORDINARY_ONLY) $(TESTED_TWICE)),$(ALL_ELSE)))

run_tests = $(call sanitized,$(UNIT) $(TEST_JOBS) --filter '$(or $(TEST_FILTER),$1)')

# The handouts' tests make their own pages, and check the real pages.
test: build/setup/handouts build/setup/handouts-pdf $(if $(SANITIZE),,handouts)
test: build/setup/autograder
test gradings: build/setup/test lanewise $(if $(TEST_OBJECTS),$(UNIT)) $(TEST_PROGRAMS) $(TEST_LABS)
test:
	$(if $(SANITIZE)$(TEST_FILTER),,$(if $(has_passed),@echo "The tests that 'make asan' has just passed are left out; TEST_FILTER='*' runs all."))
	$(Q)$(call run_tests,$(to_test))
	$(if $(SANITIZE),$(if $(TEST_FILTER),,@touch $(PASSED)))

gradings:
	$(Q)$(call run_tests,@$(call one_of,$(GRADINGS)))

# Builds the programs that the tests run.
test-programs: lanewise $(TEST_PROGRAMS) $(TEST_LABS)

# The suites of files that start no other program. They need neither nvcc nor a sandbox.
unit: build/setup/test $(UNIT)
	$(Q)suites=$$(grep -LE 'support/(shell|submission|marks)\.h|sandbox/' $(filter-out $(OTHER_TESTS),$(filter %.c,$(TEST_FILES))) | \
		xargs sed -nE 's/^(Test|ParameterizedTest)\(([^,]*\*[a-z_]+, )?([a-z_]+),.*/\3/p' | sort -u | paste -sd '|') && \
		$(call sanitized,$(UNIT) --filter "@($$suites)/*")

# Builds the kit for arm64 on an x86-64 machine. No file of build/ is shared; arm64/enter.sh keeps all files in build/arm64.
try-arm64: build/setup/arm64 lanewise build/tests/programs/host-reads-early build/tests/programs/host-writes-early
	$(Q)env -u MAKEFLAGS -u MAKELEVEL grader/tests/arm64/try.sh $(or $(LAB),01-parallelize 06-tiled-matmul 09-picture-sum)

# Sanitizers report leaks after a test has passed. So their reports go to files, which are checked afterwards. A test
# that fails also leaks. Its message must be the last line that is printed, so leaks are not printed then.
SANITIZER_REPORT := $(CURDIR)/$(BUILD)/report
ifdef SANITIZE
sanitized = rm -f $(SANITIZER_REPORT).*; ASAN_OPTIONS=log_path=$(SANITIZER_REPORT) $1; code=$$?; \
	[ $$code = 0 ] || rm -f $$(grep -l LeakSanitizer $(SANITIZER_REPORT).* 2>/dev/null); \
	cat $(SANITIZER_REPORT).* 2>/dev/null && exit 1; exit $$code
else
sanitized = $1
endif

golden: build/setup/test build/setup/handouts lanewise $(UNIT) $(TEST_PROGRAMS)
	$(Q)LANEWISE_UPDATE_GOLDEN=1 $(UNIT) --filter 'golden*/*'

# --- make mistakes: the beginning of the report on each mistake in mistakes/ (grade/test_mistakes.c) ------------
# LANEWISE_UPDATE_GOLDEN=1 records it; read the diff.

mistakes: build/setup/test lanewise $(UNIT)
	$(Q)LANEWISE_MISTAKES='*' $(UNIT) --filter 'golden_mistakes/*'

# --- make try-pages: the pages of `make step` for all mutants, LAB's or all (report/test_step_states.c) --------

try-pages: build/setup/test lanewise $(UNIT)
	$(Q)LANEWISE_PAGES='$(or $(LAB),*)*' $(UNIT) --filter 'step_mutants/*'

# --- make check-advice: the advice of findings, followed to the letter (cli/test_advice.c) --------------------
# LANEWISE_UPDATE_GOLDEN=1 records what findings say; read the diff.

check-advice: build/setup/test lanewise $(UNIT)
	$(Q)$(UNIT) --filter 'advice/*'

# --- make bench: the kernels of bench/ on the emulator, under Oclgrind and with PoCL ------------

BENCH := $(BUILD)/bench
BENCH_OBJECTS := $(call objects,$(call sources,grader/tests/bench))
BENCH_PROGRAMS := $(patsubst grader/tests/%.cu,$(BUILD)/%,$(wildcard grader/tests/bench/*.cu))
OBJECTS += $(BENCH_OBJECTS)

$(BENCH_OBJECTS): | build/setup/bench

$(BENCH)/bench: $(BUILD)/obj/grader/tests/bench/bench.o $(BUILD)/obj/grader/tests/bench/show.o $(GRADER)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GRADER_LIBS)

$(BENCH)/opencl: $(BUILD)/obj/grader/tests/bench/opencl.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lOpenCL

$(BENCH_PROGRAMS): $(BENCH)/%: grader/tests/bench/%.cu $(BUILD)/flags | $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(CONFIG_NVCC) $(NVCC_FLAGS) -o $@ $<

bench: build/setup/bench lanewise $(BENCH)/bench $(BENCH)/opencl $(BENCH_PROGRAMS)
	@$(BENCH)/bench $(if $(OTHER),--compare $(LANEWISE) '$(OTHER)' $(BENCH),$(LANEWISE) $(BENCH) \
		grader/tests/bench/kernels.cl $(BENCH)/results)

# --- make prediction-report: predicted times beside measured ones --------------------------------------------

TIMES := grader/tests/hardware/times
SET ?= development
PREDICTION := $(BUILD)/prediction/$(SET)
PREDICTED := $(patsubst $(TIMES)/$(SET)/%.cu,$(PREDICTION)/%,$(wildcard $(TIMES)/$(SET)/*.cu))
ifeq ($(SET),labs)
PREDICTED := $(foreach source,$(wildcard labs/*/*.cu),\
	$(addprefix $(PREDICTION)/lab_$(basename $(notdir $(source)))_,skeleton solution))
endif

# Built for the GPUs whose times are compared, as record.sh builds them. Some headers have other
# code for older GPUs.
build_predicted = $(CONFIG_NVCC) -arch=compute_90 -cudart shared -lineinfo -O3 -Ishared -L$(BUILD)/lib -o $@ $<

$(PREDICTION)/lab_%_skeleton: $$(wildcard labs/*/%.cu) | $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(build_predicted)

$(PREDICTION)/lab_%_solution: $$(wildcard solutions/*/%.cu) | $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(build_predicted)

$(PREDICTION)/%: $(TIMES)/$(SET)/%.cu $(TIMES)/launch.cuh | $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(build_predicted)

prediction-report: lanewise $(PREDICTED)
	$(Q)python3 $(TIMES)/report.py $(LANEWISE) $(TIMES)/$(SET)/$(or $(GPU),h200).tsv $(PREDICTION) \
		$(call option,GPU,gpu) $(call option,PROGRAM,only)

# --- make soak: a thousand gradings, and what they leave behind -----------------------------------------------

SOAK := $(BUILD)/tests/soak
SOAK_OBJECTS := $(call objects,$(call sources,grader/tests/soak))
OBJECTS += $(SOAK_OBJECTS)

$(SOAK): $(SOAK_OBJECTS) $(GRADER) $(EMULATOR)
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GRADER_LIBS)

soak: lanewise $(SOAK)
	$(Q)GLIBC_TUNABLES=glibc.malloc.tcache_count=0 $(SOAK) $(RUNS) # malloc's cache would count as memory in use

# --- make soak-kill: gradings that are ended at random moments (sandbox/test_kills.c) ------------------------------------

soak-kill: build/setup/test lanewise $(UNIT)
	$(Q)KILLS=$(or $(KILLS),1000) $(UNIT) --filter 'kills/*'

# --- make soak-batch: a class that is graded while it is killed again and again (batch/class/) ------------------------

MAKE_CLASS := $(BUILD)/tests/make-class
MAKE_CLASS_OBJECTS := $(call objects,$(call sources,grader/tests/batch/class))
OBJECTS += $(MAKE_CLASS_OBJECTS)

$(MAKE_CLASS): $(MAKE_CLASS_OBJECTS) $(GRADER)
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GRADER_LIBS)

soak-batch: build/setup/test lanewise $(MAKE_CLASS)
	$(Q)grader/tests/batch/class/soak.sh $(abspath $(MAKE_CLASS)) $(abspath $(LANEWISE)) \
		$(abspath $(BUILD))/class $(or $(STUDENTS),50) $(or $(KILLS),20)

# --- make slurm-test: `lanewise batch --slurm` on a real Slurm that is started only for this test ---------------

slurm-test: build/setup/slurm lanewise
	$(Q)grader/tests/batch/slurm/test.sh $(CURDIR)/$(LANEWISE) $(CURDIR) $(SLURM_TEST)

# --- make check: checks only the files that have changed since the last check -----------------------

CODE := $(shell find grader handouts labs $(wildcard solutions) shared -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh')
# The headers of attacks replace the kit's headers and are broken on purpose.
HEADERS := $(filter-out grader/tests/attacks/%,$(filter grader/%.h,$(CODE)))
HEADERS_OK := $(HEADERS:%=$(BUILD)/check/%.ok)

check: build/setup/check $(BUILD)/check/format.ok $(BUILD)/check/length.ok $(BUILD)/check/arrows.ok $(HEADERS_OK) lanewise \
		$(TEST_OBJECTS)
	@echo 'check: $(words $(CODE)) files are formatted, compile without warnings and are short enough'

$(BUILD)/check/format.ok: $(CODE) .clang-format | build/setup/check
	@mkdir -p $(@D)
	$(Q)clang-format --dry-run -Werror $(if $(filter .clang-format,$?),$(CODE),$?)
	@touch $@

$(BUILD)/check/length.ok: grader/length.awk $(CODE)
	@mkdir -p $(@D)
	$(Q)awk -f $< $(if $(filter $<,$?),$(CODE),$?)
	@touch $@

# Folders may include each other only in the direction that grader/arrows allows.
PRODUCT_CODE := $(filter-out grader/tests/% grader/checks/empty/%,$(filter grader/%.c grader/%.h labs/%.c,$(CODE)))
$(BUILD)/check/arrows.ok: grader/arrows.awk grader/arrows $(PRODUCT_CODE)
	@mkdir -p $(@D)
	$(Q)awk -f $^
	@touch $@

# Each header must compile alone, and also if it is included twice.
$(BUILD)/check/%.h.ok: %.h | build/config.mk
	@mkdir -p $(@D)
	$(Q)printf '#include "$*.h"\n#include "$*.h"\n' | $(CC) $(CPPFLAGS) -I. \
		-isystem $(CONFIG_CUDA_HOME)/include $(CFLAGS) -fsyntax-only -x c -
	@touch $@

format: build/setup/check
	$(Q)clang-format -i $(CODE)

# --- make answers: a GPU's results (hardware/answers.h), recorded on a machine that has one -----------

ANSWERS := $(BUILD)/tests/answers
ANSWERS_OBJECTS := $(call objects,$(call sources,grader/tests/hardware/gpu))
OBJECTS += $(ANSWERS_OBJECTS)

$(ANSWERS_OBJECTS): CPPFLAGS += -isystem $(CONFIG_CUDA_HOME)/include

$(ANSWERS): $(ANSWERS_OBJECTS) $(UNIT_PARTS) | $(NO_GIT)
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CRITERION) $(GRADER_LIBS) $(CUDART_LIBS)

answers: build/setup/test $(ANSWERS)
	$(Q)$(ANSWERS) $(MNEMONIC)

products: build/setup/test $(ANSWERS)
	$(Q)$(ANSWERS) products $(MNEMONIC)

# --- make record-times: does a lesson show in time? (hardware/calibration/record.c), on a machine with a GPU ---

RECORD_TIMES := $(BUILD)/tests/record-times
RECORD_TIMES_OBJECTS := $(call objects,$(call sources,grader/tests/hardware/calibration))
OBJECTS += $(RECORD_TIMES_OBJECTS)

$(RECORD_TIMES): $(RECORD_TIMES_OBJECTS) $(GRADER)
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GRADER_LIBS)

record-times: lanewise $(RECORD_TIMES)
	$(Q)$(RECORD_TIMES) $(LAB)

# --- make record-gpu: the constants of a machine's GPU (hardware/chip/chip.cuh) ------------------------------

CHIP := $(BUILD)/tests/chip

$(CHIP): $(wildcard $(addprefix grader/tests/hardware/chip/*.,cu cuh def)) | build/config.mk
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)$(CONFIG_NVCC) -O3 -std=c++17 -arch=native --extended-lambda -t 0 -o $@ $(filter %.cu,$^)

record-gpu: $(CHIP)
	$(Q)grader/tests/hardware/chip/record.sh $(CHIP)

# --- make record-launches: times of the launches that predictions are compared with (hardware/times/measure.cu) ----

record-launches: build/config.mk
	$(Q)for set in $(or $(SET),labs development unseen fresh unseen2 unseen3 unseen4); do \
		NVCC=$(CONFIG_NVCC) grader/tests/hardware/times/record.sh $$set || exit; done

# These two programs run only on machines with a GPU. Here `make check` makes sure that they still link.
check: $(ANSWERS) $(RECORD_TIMES)
