# Fuzzing with clang's libFuzzer: make fuzz [FUZZ=ptx|fatbin] [FUZZ_SECONDS=600]. The corpus in the tree
# is where it starts; what it finds new stays under build/. A crash is written to build/fuzz.
FUZZ_TARGETS := ptx fatbin
FUZZ ?= $(FUZZ_TARGETS)
FUZZ_SECONDS ?= 600
FUZZ_BINARIES := $(FUZZ_TARGETS:%=build/fuzz/fuzz_%)
FUZZ_SOURCES := $(call sources,$(EMULATOR_DIRS:/=)) grader/cudart/fatbin.c
FUZZ_FLAGS := -std=gnu11 -O1 -g -D_GNU_SOURCE -Igrader -Ibuild -w \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined

$(FUZZ_BINARIES): build/fuzz/%: grader/tests/fuzz/%.c $(FUZZ_SOURCES) | build/setup/fuzz
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)clang $(FUZZ_FLAGS) -o $@ $^ $(EMULATOR_LIBS) -ljansson -llz4 -lzstd

fuzz: $(FUZZ:%=build/fuzz/fuzz_%)
	$(Q)for name in $(FUZZ); do \
		mkdir -p build/fuzz/found_$$name && \
		build/fuzz/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
			-max_len=65536 -print_final_stats=1 -artifact_prefix=build/fuzz/crash_$${name}_ \
			build/fuzz/found_$$name grader/tests/fuzz/corpus_$$name || exit 1; \
	done
