# Fuzzing with clang's libFuzzer: make fuzz [FUZZ=ptx|fatbin|wire] [FUZZ_SECONDS=600]. The corpus in the tree
# is where it starts, with a dictionary of PTX's words; what it finds new stays under build/. What
# crashes, leaks, waits for ten seconds or computes for two (budget.h) is written to build/fuzz.
FUZZ_TARGETS := ptx fatbin wire
FUZZ ?= $(FUZZ_TARGETS)
FUZZ_SECONDS ?= 600
FUZZ_BINARIES := $(FUZZ_TARGETS:%=build/fuzz/fuzz_%)
FUZZ_SOURCES := $(call sources,$(EMULATOR_DIRS:/=)) grader/cudart/fatbin.c \
	$(filter-out %/main.c %/client.c %/lend.c,$(call sources,grader/remote))
FUZZ_FLAGS := -std=gnu11 -O1 -g -D_GNU_SOURCE -Igrader -Ibuild -w \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
# clang calls a library for swaps of 16 bytes unless all of the file may use the instruction.
FUZZ_FLAGS += $(if $(filter x86_64,$(shell uname -m)),-mcx16)

# Every opcode, type, modifier and special register, as libFuzzer wants them.
FUZZ_WORDS := build/fuzz/words.txt
$(FUZZ_WORDS): grader/emulator/ptx/opcodes.def grader/emulator/ptx/names.def
	@mkdir -p $(@D)
	$(Q)sed -nE 's/^OP\((\w+).*/"\1"/p; s/^OPCODE\(\w+, ("[^"]+").*/\1/p' $< >$@
	$(Q)grep -oE '(TYPE|MOD)\(\w+' $(word 2,$^) | sed -E 's/.*\((\w+)/".\1"/' >>$@
	$(Q)grep -oE '^SPECIAL\(\w+, "[^"]+' $(word 2,$^) | sed -E 's/.*"(.*)/"\1"/' >>$@

$(FUZZ_BINARIES): build/fuzz/%: grader/tests/fuzz/%.c $(FUZZ_SOURCES) | build/setup/fuzz
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)clang $(FUZZ_FLAGS) -o $@ $^ $(EMULATOR_LIBS) -ljansson -llz4 -lzstd

fuzz: $(FUZZ:%=build/fuzz/fuzz_%) $(FUZZ_WORDS)
	$(Q)for name in $(FUZZ); do \
		mkdir -p build/fuzz/found_$$name && \
		build/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
			-max_len=65536 -print_final_stats=1 -dict=$(FUZZ_WORDS) \
			-artifact_prefix=build/fuzz/crash_$${name}_ \
			build/fuzz/found_$$name grader/tests/fuzz/corpus_$$name || exit 1; \
	done
