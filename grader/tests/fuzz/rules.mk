# Fuzzing with clang's libFuzzer: make fuzz [FUZZ=ptx|fatbin|wire] [FUZZ_SECONDS=600]. It starts
# with the corpus in the tree and a dictionary of PTX's words. New inputs that it finds stay under
# build/. Inputs that crash, leak, take more than ten seconds, or more than two seconds of CPU time
# (budget.h), are written to build/fuzz.
FUZZ_TARGETS := ptx fatbin wire
FUZZ ?= $(FUZZ_TARGETS)
FUZZ_SECONDS ?= 600
FUZZ_WORDS := $(BUILD)/words.txt
OBJECTS += $(call objects,$(call sources,grader/tests/fuzz))

# All opcodes, types, modifiers and special registers, in libFuzzer's format.
$(FUZZ_WORDS): grader/gpu/ptx/opcodes.def grader/gpu/ptx/names.def
	@mkdir -p $(@D)
	$(Q)sed -nE 's/^OP\((\w+).*/"\1"/p; s/^OPCODE\(\w+, ("[^"]+").*/\1/p' $< >$@
	$(Q)grep -oE '(TYPE|MOD)\(\w+' $(word 2,$^) | sed -E 's/.*\((\w+)/".\1"/' >>$@
	$(Q)grep -oE '^SPECIAL\(\w+, "[^"]+' $(word 2,$^) | sed -E 's/.*"(.*)/"\1"/' >>$@

ifneq ($(SANITIZE),fuzz)
fuzz: build/setup/fuzz
	$(Q)$(MAKE) SANITIZE=fuzz fuzz
else
$(FUZZ_TARGETS:%=$(BUILD)/fuzz_%): $(BUILD)/%: $(BUILD)/obj/grader/tests/fuzz/%.o $(BUILD)/obj/grader/gpu/fatbin/fatbin.o \
		$(filter-out %/main.o,$(REMOTE_SERVER)) $(EMULATOR)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(EMULATOR_LIBS) -ljansson -llz4 -lzstd

fuzz: $(FUZZ:%=$(BUILD)/fuzz_%) $(FUZZ_WORDS)
	$(Q)for name in $(FUZZ); do \
		mkdir -p $(BUILD)/found_$$name && \
		$(BUILD)/fuzz_$$name -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
			-max_len=65536 -print_final_stats=1 -dict=$(FUZZ_WORDS) \
			-artifact_prefix=$(BUILD)/crash_$${name}_ \
			$(BUILD)/found_$$name grader/tests/fuzz/corpus_$$name || exit 1; \
	done
endif
