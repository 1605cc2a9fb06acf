# Builds the emulated GPU as a separate process. The runtime library has the same code as without this process, but
# contains a client in place of the emulator. The client sends requests to the device program.
REMOTE_OBJECTS := $(call objects,$(call sources,grader/gpu/remote))
REMOTE_CLIENT := $(filter %/client.o %/lend.o %/wire.o,$(REMOTE_OBJECTS))
REMOTE_SERVER := $(filter-out %/client.o %/lend.o,$(REMOTE_OBJECTS))
REMOTE_CUDART := $(BUILD)/lib/remote/libcudart.so.13
REMOTE_DEVICE := $(BUILD)/lib/lanewise-device
# The library and the device program are copied for each grading. Debug information is most of their size, so it is
# removed; function names stay.
REMOTE_LDFLAGS := $(if $(SANITIZE),,-Wl,--strip-debug)
OBJECTS += $(REMOTE_OBJECTS)
TOOLS += $(REMOTE_CUDART) $(REMOTE_DEVICE)

$(REMOTE_OBJECTS): CFLAGS += -fvisibility=hidden

# The library contains only those parts of the emulator that need no device: tables and formulas.
$(REMOTE_CUDART): $(CUDART_OBJECTS) $(REMOTE_CLIENT) $(EMULATOR) $(CUDART_MAP)
	$(call say,$@)
	@mkdir -p $(@D)
	$(Q)$(link_cudart) $(REMOTE_LDFLAGS)

# The device is linked statically, because it is started for each run, and loading five system libraries
# takes as long as a small kernel.
$(REMOTE_DEVICE): $(REMOTE_SERVER) $(EMULATOR)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) $(REMOTE_LDFLAGS) $(if $(SANITIZE),,-static-pie) -o $@ $^ $(EMULATOR_LIBS) -ljansson
