# One Criterion executable a lab: the runner here, and the lab's own checks.c. Student code is never in it.
CHECKS_OBJECTS := $(call objects,$(call sources,grader/checks))
CHECKS_LIBS := -lcriterion $(GRADER_LIBS)
LABS := $(patsubst labs/%/checks.c,%,$(wildcard labs/*/checks.c))
LAB_OBJECTS := $(LABS:%=$(BUILD)/obj/labs/%/checks.o)
CHECKS := $(LABS:%=$(BUILD)/checks/%)
OBJECTS += $(CHECKS_OBJECTS) $(LAB_OBJECTS)
TOOLS += $(CHECKS)

$(CHECKS): $(BUILD)/checks/%: $(BUILD)/obj/labs/%/checks.o $(CHECKS_OBJECTS) $(GRADER) $(EMULATOR)
	@mkdir -p $(@D)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< $(CHECKS_OBJECTS) $(GRADER) $(EMULATOR) $(CHECKS_LIBS)

# The labs of the tests, which are none of the labs: one to try what checks can ask, one to be attacked.
TEST_LABS := $(BUILD)/tests/fixture-lab $(BUILD)/tests/attacks-lab
TEST_LAB_OBJECTS := $(BUILD)/obj/grader/tests/fixture/lab/checks.o $(BUILD)/obj/grader/tests/attacks/checks.o
OBJECTS += $(TEST_LAB_OBJECTS)

$(BUILD)/tests/fixture-lab: $(BUILD)/obj/grader/tests/fixture/lab/checks.o
$(BUILD)/tests/attacks-lab: $(BUILD)/obj/grader/tests/attacks/checks.o
$(TEST_LABS): $(CHECKS_OBJECTS) $(GRADER) $(EMULATOR)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CHECKS_LIBS)
