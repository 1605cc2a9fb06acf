# build/lanewise: each command has a file; main.c has the table of commands.
LANEWISE_OBJECTS := $(call objects,$(call sources,grader/cli))
LANEWISE := $(BUILD)/lanewise
OBJECTS += $(LANEWISE_OBJECTS)
TOOLS += $(LANEWISE)

# `lanewise run` reads a program's fat binary. From the emulator it uses only the counters' names.
$(LANEWISE): $(LANEWISE_OBJECTS) $(GRADER) $(EMULATOR)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GRADER_LIBS)
