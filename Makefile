# Lanewise. `make help` lists the targets; each folder's rules.mk says how the folder is built.
#
# The first target that needs a compiler runs grader/setup.sh, which installs what is missing and
# records where things are in build/config.mk and build/config.h. Later runs probe nothing.
#
#   make V=1          shows every command
#   make SANITIZE=1   builds all C code under build/asan with AddressSanitizer and UBSan; `make fuzz` does so
#                     with SANITIZE=fuzz, under build/fuzz with clang, which counts what each input reaches

ifneq ($(words $(CURDIR)),1)
$(error Lanewise cannot be built in a folder whose path has a space in it: $(CURDIR))
endif

.DEFAULT_GOAL := help
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDEXPANSION:
MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc) # one's own -j wins
endif

BUILD := build$(if $(SANITIZE),/$(if $(filter fuzz,$(SANITIZE)),fuzz,asan))
Q := $(if $(V),,@)
comma := ,
# $(call say,TEXT) opens a recipe with one line about what is being made.
say = @$(if $(V),,echo '  $1')

# --- set-up ----------------------------------------------------------------------------------------

# Targets that work on a bare machine, with no set-up before them.
BARE_GOALS := help clean course distclean
NEEDS_SETUP := $(filter-out $(BARE_GOALS),$(or $(MAKECMDGOALS),help))

ifneq ($(NEEDS_SETUP),)
-include build/config.mk
# What was recorded no longer holds when nvcc is gone or the tree was moved.
RECORD_HOLDS := $(and $(wildcard $(CONFIG_NVCC)),$(filter $(CURDIR),$(CONFIG_ROOT)))
build/config.mk: grader/setup.sh $(if $(RECORD_HOLDS),,FORCE)
	$(Q)grader/setup.sh grade
endif

# Set-up for one purpose more: build/setup/bench and so on.
build/setup/%: grader/setup.sh build/config.mk
	$(Q)grader/setup.sh $*

# --- compiling -------------------------------------------------------------------------------------

CC := gcc
OPTIMISE := -O2
SANITIZERS := $(if $(SANITIZE),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer)
WARNINGS := -Wall -Wextra -Werror -Wno-unused-parameter
CFLAGS := -std=gnu11 $(OPTIMISE) -g -fPIC $(WARNINGS) $(SANITIZERS)
ifeq ($(SANITIZE),fuzz)
CC := clang
# It calls a library for swaps of 16 bytes unless all of the file may use the instruction.
CFLAGS += -fsanitize=fuzzer-no-link -w $(if $(filter x86_64,$(shell uname -m)),-mcx16)
endif
# LANEWISE_BUILD is this build's folder under LANEWISE_ROOT (config.h): "build" or "build/asan".
# A program that runs on a sanitized runtime library needs LANEWISE_PRELOAD as LD_PRELOAD, and
# LANEWISE_ASAN_OPTIONS so that its own leaks and crashes end as they would without.
CPPFLAGS := -D_GNU_SOURCE -DLANEWISE_BUILD='"$(BUILD)"' -Igrader -Ibuild
ifdef SANITIZE
CPPFLAGS += -DLANEWISE_PRELOAD='"$(shell $(CC) -print-file-name=libasan.so 2>/dev/null)"' \
	-DLANEWISE_ASAN_OPTIONS='"detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0"'
endif
LDFLAGS := $(SANITIZERS) -Wl,--as-needed

# $(call sources,FOLDER...): the C files in these folders; $(call objects,FILE...): what they become.
sources = $(wildcard $(addsuffix /*.c,$1))
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$1)

# Objects are made again when the flags change: the file below changes only then.
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

# Each appends to these: the tools that `make lanewise` builds, and every object, for header
# dependencies.
TOOLS :=
OBJECTS :=

include grader/gpu/rules.mk
include grader/gpu/cudart/rules.mk
include grader/gpu/remote/rules.mk
include grader/rules.mk
include grader/cli/rules.mk
include grader/autograder/rules.mk
include grader/checks/rules.mk
include labs/rules.mk
include grader/tests/rules.mk
include grader/tests/fuzz/rules.mk
include solutions/rules.mk
include handouts/ladders/rules.mk
include handouts/rules.mk

-include $(wildcard $(OBJECTS:.o=.d))

# --- what one types --------------------------------------------------------------------------------

help: ## Show this list
	@echo 'make TARGET, where TARGET is one of:'
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' Makefile

# A grade below full marks (exit code 1) is no failure of make. Scripts call build/lanewise grade.
grade: lanewise ## Grade labs: [LAB=02] [SUBMISSION=file] [DEVICE=auto|emulator|gpu] [JSON=out.json] [SEED=n] [COURSE=course.yaml]
	@$(LANEWISE) grade $(call option,LAB,lab) $(call option,SUBMISSION,submission) \
		$(call option,DEVICE,device) $(call option,JSON,json) $(call option,SEED,seed) \
		$(call option,COURSE,course) $(if $(UNSAFE),--unsafe) || test $$? -eq 1
option = $(if $($1),--$2 '$($1)')

report: lanewise ## Grade a lab, as one HTML page: LAB=02 [SUBMISSION=file] [OUT=report.html] [DEVICE=…] [SEED=n]
	@$(LANEWISE) report $(call option,LAB,lab) $(call option,SUBMISSION,submission) \
		--out '$(or $(OUT),$(BUILD)/report.html)' $(call option,DEVICE,device) \
		$(call option,SEED,seed) $(if $(UNSAFE),--unsafe) || test $$? -eq 1

hint: lanewise ## Tell one more hint for a lab: LAB=02
	@$(LANEWISE) hint $(call option,LAB,lab)

watch: lanewise ## Grade a lab now and each time you save it: LAB=02 [DEVICE=…]
	@$(LANEWISE) watch $(call option,LAB,lab) $(call option,DEVICE,device) \
		$(if $(UNSAFE),--unsafe)

run: lanewise ## Run a program and show its counters: LAB=02, PROGRAM=file.cu or PROGRAM=./program; [ARGS='n=5'] [WITH=racecheck] [RULES=g80|gt200] [JSON=out.json]
	$(if $(PROGRAM)$(LAB),,$(error say which program: make run LAB=02, or make run PROGRAM=file.cu))
	@$(LANEWISE) run --max-instructions 200000000 $(call option,WITH,tools) $(call option,RULES,rules) $(call option,JSON,json) \
		$(if $(LAB),--lab '$(LAB)','$(call built_program,$(PROGRAM))') $(ARGS)

trace: lanewise ## Draw what a line does to memory: LAB=02 LINE=39 [OUT=file.svg] [ARGS='n=5']; without LINE, all lines
	@$(LANEWISE) trace $(call option,LAB,lab) $(if $(LINE),--line '$(LINE)',--heat) \
		-o '$(or $(OUT),$(BUILD)/$(if $(LINE),access.svg,heat.svg))' $(ARGS)

diff: lanewise ## Compare your file with the solution, after full marks: LAB=02 [SPOIL=1]
	@$(LANEWISE) diff $(call option,LAB,lab) $(if $(SPOIL),--spoil) || test $$? -eq 1

reset: lanewise ## Bring a lab's skeleton back; your file is kept beside it: LAB=02
	@$(LANEWISE) reset $(call option,LAB,lab)

test: ## Run all tests
asan: ## Run all tests under AddressSanitizer and UBSan
	$(Q)$(MAKE) SANITIZE=1 test

golden: ## Write the golden files anew; read the diff before you commit it
answers: ## Record what this machine's GPU computes: [MNEMONIC=add.s32 or all compares, new adds what is missing]
record-times: ## Record how long naive kernels and solutions take on this machine's GPU: [LAB=03-shared-reduce]
fuzz: ## Fuzz the readers of PTX, fat binaries and the device's protocol: [FUZZ=ptx|fatbin|wire] [FUZZ_SECONDS=600]
soak: ## Grade a thousand submissions in a row, and look what they leave behind: [RUNS=1000]
slurm-test: ## Grade a class on a Slurm that is started for it, with nodes that die: [SLURM_TEST=dies]
soak-batch: ## Grade a class while it is killed again and again: [STUDENTS=50] [KILLS=20]
bench: ## Time the emulator beside Oclgrind and PoCL, or two builds: [OTHER=path/of/another/build/lanewise]
check: ## Check format, warnings, and that each header compiles alone
format: ## Let clang-format rewrite the sources

facts: ## Make what the handouts say in figures: runs their ladders on the emulator
record-ladders: ## Record how long the handouts' ladders take on this machine's GPU
handouts: ## Make the handouts, a small web site: [HANDOUT=instructor] for the pages with answers
handouts-pdf: ## Make the handouts as PDF: one for each page, and a book
serve: ## Show the handouts in a browser, at http://localhost:8000/: [PORT=8000]

autograder: ## Pack an autograder: FORMAT=gradescope|autolab|github [LAB=02] [COURSE=course.yaml]

lab-check: lanewise ## Prove that the labs are sound: [LAB=02] [DEVICE=emulator|gpu]
	@$(LANEWISE) lab-check $(call option,LAB,lab) $(call option,DEVICE,device)

new-lab: lanewise ## Make the files of a new lab: NAME=07-histogram
	@$(LANEWISE) new-lab $(NAME)

calibrate: lanewise ## Measure the labs here, propose thresholds for a course file: [LAB=02] [DEVICE=…]
	@$(LANEWISE) calibrate $(call option,LAB,lab) $(call option,DEVICE,device)

course: ## Make a course file to begin with: [OUT=course.yaml]
	@test ! -e '$(or $(OUT),course.yaml)' || { echo '$(or $(OUT),course.yaml) is there already' >&2; exit 2; }
	@cp grader/course/course.yaml '$(or $(OUT),course.yaml)'
	@echo 'wrote $(or $(OUT),course.yaml); its comments say what it may hold'

doctor: lanewise ## Show what this machine has and what to do about the rest
	@$(LANEWISE) doctor

lanewise: $$(TOOLS) ## Build all tools, without running anything
	@:

setup: build/config.mk build/setup/test ## Install what grading and testing need (other targets do it by themselves)
	@:

clean: ## Remove what was built; keeps a downloaded CUDA compiler
	$(Q)find build -mindepth 1 -maxdepth 1 ! -name cuda -exec rm -rf {} + 2>/dev/null || true

distclean: ## Remove everything generated, the downloaded CUDA compiler too
	$(Q)rm -rf build

FORCE:
.PHONY: help grade autograder report hint watch run trace diff reset lab-check new-lab facts record-ladders handouts handouts-pdf serve test asan golden answers record-times calibrate fuzz soak soak-batch bench check format doctor lanewise setup clean distclean FORCE
