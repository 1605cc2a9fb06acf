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

# The lab of the tests, which is none of the labs.
FIXTURE := $(BUILD)/tests/fixture-lab
FIXTURE_OBJECT := $(BUILD)/obj/grader/tests/fixture/lab/checks.o
OBJECTS += $(FIXTURE_OBJECT)

$(FIXTURE): $(FIXTURE_OBJECT) $(CHECKS_OBJECTS) $(GRADER) $(EMULATOR)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(CHECKS_LIBS)
