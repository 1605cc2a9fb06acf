# Each lab has one Criterion executable, its checks runner: the code in this folder, and the lab's own
# checks.c. It never contains student code.
CHECKS_OBJECTS := $(call objects,$(call sources,grader/checks))

# A stub with libgit2's name is linked before libcriterion, so that libcriterion uses it (git.c says why).
LIBGIT := $(shell readelf -d $$($(CC) -print-file-name=libcriterion.so) 2>/dev/null | \
	sed -n 's/.*\[\(libgit2\.so[^]]*\)\].*/\1/p')
NO_GIT := $(LIBGIT:%=$(BUILD)/lib/empty/%)
CRITERION := $(NO_GIT:%=-Wl,--no-as-needed % -Wl,--as-needed -Wl,-rpath$(comma)'$$ORIGIN/../lib/empty') -lcriterion
CHECKS_LIBS := $(CRITERION) $(GRADER_LIBS) -lpng

$(NO_GIT): grader/checks/empty/git.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) $(LDFLAGS) -o $@ $<

LABS := $(patsubst labs/%/checks.c,%,$(wildcard labs/*/checks.c))
LAB_OBJECTS := $(LABS:%=$(BUILD)/obj/labs/%/checks.o)
CHECKS := $(LABS:%=$(BUILD)/checks/%)
# The costs of each lab's solution (checks/costs.c), which `make costs` measures.
LAB_COSTS := $(wildcard labs/*/costs.def)
$(LAB_COSTS:labs/%/costs.def=$(BUILD)/obj/labs/%/checks.o): CPPFLAGS += -DLAB_COSTS='"labs/$(notdir $(@D))/costs.def"' -I.
OBJECTS += $(CHECKS_OBJECTS) $(LAB_OBJECTS)
TOOLS += $(CHECKS)

# Lab 13 compares results with numbers that MPFR has rounded correctly.
$(BUILD)/checks/13-precision: CHECKS_LIBS += -lmpfr

$(CHECKS): $(BUILD)/checks/%: $(BUILD)/obj/labs/%/checks.o $(CHECKS_OBJECTS) $(GRADER) $(EMULATOR) | $(NO_GIT)
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(CHECKS_OBJECTS) $(GRADER) $(EMULATOR) $(CHECKS_LIBS)

# Hashes of the sources of each checks runner and of the grader, for grade/graded_by.h. Unlike the
# programs, the hashes do not depend on the tree's path. Each hash is written after its program is built.
# The pattern must match every file that becomes part of the grader.
SOURCE_HASHES := $(LABS:%=$(BUILD)/sources/%) $(BUILD)/sources/grader
GRADER_SOURCES := $(sort Makefile $(shell find grader -path grader/tests -prune -o \
	\( -regex '.*\.\(c\|h\|def\|inc\|map\|css\|mk\)' -o -path '*/cuda12/names' \) -print))
TOOLS += $(SOURCE_HASHES)

$(LABS:%=$(BUILD)/sources/%): $(BUILD)/sources/%: labs/%/checks.c $(BUILD)/checks/%
	@mkdir -p $(@D)
	$(Q)cat labs/$(@F)/*.c $(wildcard labs/$(@F)/costs.def) | sha256sum >$@

$(BUILD)/sources/grader: $(GRADER_SOURCES) $(BUILD)/flags $(LANEWISE) $(REMOTE_DEVICE) $(CUDART) $(REMOTE_CUDART)
	@mkdir -p $(@D)
	$(Q){ $(CC) --version; cat $(BUILD)/flags; sha256sum $(GRADER_SOURCES); } | sha256sum >$@

# Two labs that only tests use. One of them tries everything that checks can request, the other is attacked.
TEST_LABS := $(BUILD)/tests/fixture-lab $(BUILD)/tests/attacks-lab
TEST_LAB_OBJECTS := $(BUILD)/obj/grader/tests/checks/fixture/lab/checks.o $(BUILD)/obj/grader/tests/attacks/checks.o
OBJECTS += $(TEST_LAB_OBJECTS)

$(BUILD)/tests/fixture-lab: $(BUILD)/obj/grader/tests/checks/fixture/lab/checks.o
$(BUILD)/tests/attacks-lab: $(BUILD)/obj/grader/tests/attacks/checks.o
$(TEST_LABS): $(CHECKS_OBJECTS) $(GRADER) $(EMULATOR) | $(NO_GIT)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CHECKS_LIBS)
