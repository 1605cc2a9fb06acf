# Lanewise. `make help` lists the targets; each folder's rules.mk builds that folder.
#
# The first target that needs a compiler runs grader/setup.sh. It installs what is missing and writes
# the paths it found to build/config.mk and build/config.h. Later runs probe nothing.
#
#   make V=1          shows every command
#   make SANITIZE=1   builds all C code under build/asan with AddressSanitizer and UBSan. `make fuzz` sets
#                     SANITIZE=fuzz: clang builds under build/fuzz and measures the coverage of each input

ifneq ($(words $(CURDIR)),1)
$(error Lanewise cannot be built in a folder whose path has a space in it: $(CURDIR))
endif

.DEFAULT_GOAL := help
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDEXPANSION:
MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc) # a -j on the command line overrides this
endif

BUILD := build$(if $(SANITIZE),/$(if $(filter fuzz,$(SANITIZE)),fuzz,asan))
Q := $(if $(V),,@)
comma := ,
# $(call say,TEXT) opens a recipe and prints one line about its target.
say = @$(if $(V),,echo '  $1')

include grader/typos.mk

# --- set-up ----------------------------------------------------------------------------------------

# Targets that work on a bare machine, without set-up.
BARE_GOALS := help clean course distclean
NEEDS_SETUP := $(filter-out $(BARE_GOALS),$(or $(MAKECMDGOALS),help))

ifneq ($(NEEDS_SETUP),)
-include build/config.mk
# Empty if the recorded paths are stale: nvcc is gone or the tree has moved.
RECORD_HOLDS := $(and $(wildcard $(CONFIG_NVCC)),$(filter $(CURDIR),$(CONFIG_ROOT)))
build/config.mk: grader/setup.sh $(if $(RECORD_HOLDS),,FORCE)
	$(Q)grader/setup.sh grade
endif

# Set-up for other purposes: build/setup/bench and so on.
build/setup/%: grader/setup.sh build/config.mk
	$(Q)grader/setup.sh $*

# --- compiling -------------------------------------------------------------------------------------

CC := gcc
# With sanitizers, compiling takes a quarter less time with -O1 than with -O2, and a seventh less
# with -g1: the reports still name lines. The ordinary build already gives the warnings.
OPTIMISE := -O$(if $(filter 1,$(SANITIZE)),1,2)
SANITIZERS := $(if $(SANITIZE),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer)
WARNINGS := $(if $(SANITIZE),-w,-Wall -Wextra -Werror -Wno-unused-parameter)
# The flags that give the same numbers on every CPU. On arm64, gcc would make char unsigned and fuse a * b + c.
PORTABLE := -fsigned-char -ffp-contract=off
CFLAGS := -std=gnu11 $(OPTIMISE) -g$(if $(SANITIZE),1) -fPIC $(PORTABLE) $(WARNINGS) $(SANITIZERS)
# The CPU that CC builds for, such as x86_64 or aarch64.
CPU := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
ifeq ($(SANITIZE),fuzz)
CC := clang
# Without -mcx16, clang calls a library for 16-byte compare-and-swap.
CFLAGS += -fsanitize=fuzzer-no-link $(if $(filter x86_64,$(CPU)),-mcx16)
endif
# LANEWISE_BUILD is this build's folder under LANEWISE_ROOT (config.h): "build" or "build/asan".
# A program that loads our runtime library built with sanitizers needs LD_PRELOAD=LANEWISE_PRELOAD.
# LANEWISE_ASAN_OPTIONS lets the program's own leaks and crashes end as they do without sanitizers.
CPPFLAGS := -D_GNU_SOURCE -DLANEWISE_BUILD='"$(BUILD)"' -Igrader -Ibuild
ifdef SANITIZE
CPPFLAGS += -DLANEWISE_PRELOAD='"$(shell $(CC) -print-file-name=libasan.so 2>/dev/null)"' \
	-DLANEWISE_ASAN_OPTIONS='"detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0"'
endif
# LANEWISE_PATIENCE is the factor of the time limits of runs; without it, 1, or 3 with sanitizers.
CPPFLAGS += $(LANEWISE_PATIENCE:%=-DLANEWISE_PATIENCE=%)
# LANEWISE_EMULATED is for tests in qemu-user: the kernel then filters no system calls, and programs have a thread more.
CPPFLAGS += $(if $(LANEWISE_EMULATED),-DLANEWISE_EMULATED)
LDFLAGS := $(SANITIZERS) -Wl,--as-needed

# $(call sources,FOLDER...): the C files in these folders; $(call objects,FILE...): their object files.
sources = $(wildcard $(addsuffix /*.c,$1))
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$1)

# Objects depend on this file, which is rewritten only when the flags change.
FLAGS := $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
ifneq ($(NEEDS_SETUP),)
ifneq ($(file <$(BUILD)/flags),$(FLAGS))
$(shell mkdir -p $(BUILD))
$(file >$(BUILD)/flags,$(FLAGS))
endif
endif

$(BUILD)/obj/%.o: %.c $(BUILD)/flags | build/config.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# --- the folders -----------------------------------------------------------------------------------

# Each rules.mk appends to these: the tools that `make lanewise` builds, and all objects, whose header
# dependencies are included below.
TOOLS :=
OBJECTS :=

include grader/gpu/rules.mk
include grader/gpu/cudart/rules.mk
include grader/gpu/remote/rules.mk
include grader/rules.mk
include grader/cli/rules.mk
include grader/autograder/rules.mk
include grader/dist/rules.mk
include grader/editor/rules.mk
include grader/checks/rules.mk
include labs/rules.mk
include grader/tests/rules.mk
include grader/tests/fuzz/rules.mk
include handouts/ladders/rules.mk
include handouts/replays/rules.mk
include handouts/rules.mk

-include $(wildcard $(OBJECTS:.o=.d))

# --- targets ---------------------------------------------------------------------------------------
#
# `make help` shows the lines "target: ... ## text [VARIABLE=]" under their "##@ heading". grader/typos.mk
# rejects a variable that is not in its target's line. The handouts' build checks pages against these lines, too.

##@ Students

help: ## Show this list
	@echo 'make TARGET [VARIABLE=value ...], where the variables in brackets are optional:'
	@awk -F ':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' Makefile
	@printf '\n%s\n' 'LAB=02, LAB=2 or LAB=coal names a lab. DEVICE=emulator, gpu or auto. SEED=42 repeats a grading.'
	@printf '%s\n' 'WITH=racecheck,initcheck checks long runs to their end; RULES=g80 or gt200 counts like old GPUs. V=1 shows all commands.'

# A grade below full marks (exit code 1) does not make `make` fail. Scripts should call build/lanewise grade.
grade: lanewise ## Grade your labs, or one: [LAB= SUBMISSION= DEVICE= SEED= JSON= COURSE= UNSAFE= QUICK=1]
	@$(LANEWISE) grade $(call option,LAB,lab) $(call option,SUBMISSION,submission) \
		$(call option,DEVICE,device) $(call option,JSON,json) $(call option,SEED,seed) \
		$(call option,COURSE,course) $(if $(UNSAFE),--unsafe) $(if $(QUICK),--quick) || test $$? -eq 1
option = $(if $($1),--$2 '$($1)')

hint: lanewise ## Show the next hint for a lab: LAB=
	@$(LANEWISE) hint $(call option,LAB,lab)

watch: lanewise ## Grade a lab now and each time you save it: LAB= [DEVICE= UNSAFE=]
	@$(LANEWISE) watch $(call option,LAB,lab) $(call option,DEVICE,device) \
		$(if $(UNSAFE),--unsafe)

run: lanewise ## Run a program and show its counters: LAB= or PROGRAM= [ARGS='n=5' GPU= DRAW=all CLOCK= WITH= LIMIT= RULES= JSON=]
	$(if $(PROGRAM)$(LAB),,$(error name the program: add LAB=02 or PROGRAM=file.cu))
	@$(LANEWISE) run --max-instructions $(or $(LIMIT),200000000) $(call option,WITH,tools) $(call option,RULES,rules) $(call option,GPU,gpu) $(call option,DRAW,draw) $(call option,CLOCK,clock) $(call option,JSON,json) \
		$(if $(LAB),--lab '$(LAB)' --,'$(call built_program,$(PROGRAM))') $(ARGS)

trace: lanewise ## Draw the memory accesses of a line, or of all: LAB= or PROGRAM= [LINE=39 OUT=file.svg ARGS=]
	$(if $(PROGRAM)$(LAB),,$(error name the program: add LAB=02 or PROGRAM=file.cu))
	@$(LANEWISE) trace $(if $(LINE),--line '$(call line_in,$(PROGRAM))',--heat) \
		-o '$(or $(OUT),$(BUILD)/$(if $(LINE),access.svg,heat.svg))' \
		$(if $(LAB),--lab '$(LAB)','$(call built_program,$(PROGRAM))') $(ARGS)
# LINE is a line number. If a PROGRAM is not a single .cu file, LINE can also be FILE:NUMBER.
line_in = $(if $(and $(filter %.cu,$1),$(if $(findstring :,$(LINE)),,yes)),$(notdir $1):)$(LINE)

step: lanewise ## Write a page that steps through a launch: LAB= or PROGRAM= [LAUNCH= BLOCK= FROM= G=1 OUT=file.html ARGS=]
	$(if $(PROGRAM)$(LAB),,$(error name the program: add LAB=04 or PROGRAM=file.cu))
	@$(LANEWISE) step $(call option,LAUNCH,launch) $(call option,BLOCK,block) $(call option,FROM,from) $(if $(and $(G),$(LAB)),--debug) \
		-o '$(or $(OUT),$(BUILD)/step.html)' \
		$(if $(LAB),--lab '$(LAB)' --,'$(call built_program,$(PROGRAM))') $(ARGS)

report: lanewise ## Grade a lab, write a page: LAB= [SUBMISSION= OUT= STEP=file.html DEVICE= SEED= UNSAFE=]; or its times: [PROGRAM= GPU= ARGS=]
	$(if $(PROGRAM),$(if $(GPU),,$(error name the GPU whose times to predict: add GPU=h200)))
	@$(if $(GPU),$(call predict_page),$(call grade_page))
predict_page = $(LANEWISE) run --gpu '$(GPU)' --draw none --lines 0 --picture '$(or $(OUT),$(BUILD)/report.html)' \
	$(if $(LAB),--lab '$(LAB)' --,'$(call built_program,$(PROGRAM))') $(ARGS)
grade_page = $(LANEWISE) report $(call option,LAB,lab) $(call option,SUBMISSION,submission) \
	--out '$(or $(OUT),$(BUILD)/report.html)' $(call option,STEP,step) \
	$(call option,DEVICE,device) $(call option,SEED,seed) $(if $(UNSAFE),--unsafe) || test $$? -eq 1

diff: lanewise ## Compare your code with the solution, after full marks: LAB= [SPOIL=1 COMMENTS=1]
	@$(LANEWISE) diff $(call option,LAB,lab) $(if $(SPOIL),--spoil) $(if $(COMMENTS),--comments) || test $$? -eq 1

reset: lanewise ## Restore a lab's skeleton and keep your file next to it: LAB=
	@$(LANEWISE) reset $(call option,LAB,lab)

serve: ## Build the handouts and serve them at http://localhost:8000/: [PORT= HANDOUT=]

editor: ## Set up VS Code, Vim and clangd for the labs

doctor: lanewise ## Show what this machine has, and how to get what is missing
	@$(LANEWISE) doctor

##@ Instructors

course: ## Write a course file to start from: [OUT=course.yaml]
	@test ! -e '$(or $(OUT),course.yaml)' || { echo '$(or $(OUT),course.yaml) already exists' >&2; exit 2; }
	@cp grader/course/course.yaml '$(or $(OUT),course.yaml)'
	@echo 'wrote $(or $(OUT),course.yaml); its comments explain every setting'

calibrate: lanewise ## Measure the labs on this machine and propose thresholds: [LAB= DEVICE=]
	@$(LANEWISE) calibrate $(call option,LAB,lab) $(call option,DEVICE,device)

autograder: ## Pack an autograder: FORMAT=gradescope, autolab or github [LAB= COURSE=]
handouts: ## Build the handouts as a web site: [HANDOUT=instructor] adds the answers
handouts-pdf: ## Print the handouts, each page and a book: [HANDOUT=instructor]

##@ Authors of labs and handouts

new-lab: lanewise ## Create the files of a new lab: NAME=07-histogram
	@$(LANEWISE) new-lab $(NAME)

lab-check: lanewise ## Check that the labs are sound: [LAB= DEVICE= QUICK=1 SEEDS=100]
	@$(LANEWISE) lab-check $(call option,LAB,lab) $(call option,DEVICE,device) $(call option,SEEDS,seeds) $(if $(QUICK),--quick)

costs: ## Measure what the solutions cost, for the limits of the checks: [LAB=]
facts: ## Measure the figures of the handouts on the emulator
record-ladders: ## Time the handouts' programs on this machine's GPU
record-times: ## Time naive kernels and solutions on this machine's GPU: [LAB=]
prediction-report: ## Compare predicted times with measured ones: [SET=development GPU=h200 PROGRAM=]

##@ Maintainers

lanewise: $$(TOOLS) ## Build all tools
	@:

setup: build/config.mk build/setup/test ## Install what grading and testing need (other targets do so themselves)
	@:

test: ## Run the tests, except those of `make gradings`: [TEST_FILTER='suite/name*']
gradings: ## Grade hostile, wrong and unusual programs; compare points and reports: [TEST_FILTER=]
unit: ## Run the tests that need neither nvcc nor a sandbox
try-arm64: ## Build and test for arm64 under emulation, compare grades: [TEST_FILTER= LAB=]
asan: ## Run the tests of our code under AddressSanitizer and UBSan: [TEST_FILTER=]
	$(Q)$(MAKE) SANITIZE=1 test

mistakes: ## Grade typical mistakes and compare what their reports say first
try-pages: ## Compare the pages of `make step` with the emulator, for all mutants: [LAB=]
check-advice: ## Follow the advice of each finding and see whether it fixes an example
golden: ## Update the golden files; read the diff before you commit it
check: ## Check format, warnings, file lengths, and that each header compiles alone
format: ## Reformat the sources with clang-format
bench: ## Time the emulator against Oclgrind and PoCL, or another build: [OTHER=build/lanewise]
fuzz: ## Fuzz the readers of PTX, fat binaries and messages: [FUZZ=ptx FUZZ_SECONDS=600]
dist: ## Make packages that run where nothing can be installed, in build/dist
try-dist: ## Try the packages on bare Debian systems, without root and network
try-debian-12: ## Follow the README on a bare Debian 12, and time it
try-debian-13: ## The same on a bare Debian 13
try-ubuntu-22: ## The same on a bare Ubuntu 22.04
try-ubuntu-24: ## The same on a bare Ubuntu 24.04
try-container: ## Try the package in containers of podman
soak: ## Grade a thousand submissions in a row and look for leaks: [RUNS=1000]
soak-kill: ## End gradings at random moments and look for what is left: [KILLS=1000]
soak-batch: ## Grade a class while killing the grader again and again: [STUDENTS=50 KILLS=20]
slurm-test: ## Grade a class on a private Slurm whose nodes die: [SLURM_TEST=dies]
record-gpu: ## Measure the constants of this machine's GPU, for predicted times
record-launches: ## Time kernels on this machine's GPU, to compare predictions with: [SET=development]
answers: ## Record what this machine's GPU computes: [MNEMONIC=add.s32 or all, new]
products: ## The same for products of matrices: [MNEMONIC=all]

clean: ## Remove what was built; keep a downloaded CUDA compiler
	$(Q)find build -mindepth 1 -maxdepth 1 ! -name cuda -exec rm -rf {} + 2>/dev/null || true

distclean: ## Remove everything generated, including a downloaded CUDA compiler
	$(Q)rm -rf build

FORCE:
.PHONY: help grade hint watch run trace step report diff reset serve doctor course calibrate autograder handouts \
	handouts-pdf new-lab lab-check costs facts record-ladders record-times prediction-report lanewise setup test gradings test-programs unit try-arm64 asan \
	editor dist try-dist try-debian-12 try-debian-13 try-ubuntu-22 try-ubuntu-24 try-container \
	golden check check-advice try-pages format mistakes bench fuzz soak soak-kill soak-batch slurm-test answers products record-gpu record-launches clean \
	distclean FORCE
