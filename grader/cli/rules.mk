# build/lanewise: one file a command, the table of them in main.c.
LANEWISE_OBJECTS := $(call objects,$(call sources,grader/cli))
LANEWISE := $(BUILD)/lanewise
OBJECTS += $(LANEWISE_OBJECTS)
TOOLS += $(LANEWISE)

# `lanewise run` looks into a program's fat binary; of the emulator only the counters' names are used.
$(LANEWISE): $(LANEWISE_OBJECTS) $(GRADER) $(EMULATOR)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GRADER_LIBS)
