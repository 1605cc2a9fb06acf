# Builds build/lanewise. Each command has its own file; main.c has the table of commands.
LANEWISE_OBJECTS := $(call objects,$(call sources,grader/cli))
LANEWISE := $(BUILD)/lanewise
OBJECTS += $(LANEWISE_OBJECTS)
TOOLS += $(LANEWISE)

# `lanewise run` reads a program's fat binary. It uses only the names of counters from the emulator.
$(LANEWISE): $(LANEWISE_OBJECTS) $(GRADER) $(EMULATOR)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GRADER_LIBS)
