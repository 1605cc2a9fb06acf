# Builds the emulated GPU as a separate process. The runtime library for such a process has a client in place of the
# emulator, and otherwise the same code. The client sends requests to the device program.
REMOTE_OBJECTS := $(call objects,$(call sources,grader/gpu/remote))
REMOTE_CLIENT := $(filter %/client.o %/lend.o %/wire.o,$(REMOTE_OBJECTS))
REMOTE_SERVER := $(filter-out %/client.o %/lend.o,$(REMOTE_OBJECTS))
REMOTE_CUDART := $(BUILD)/lib/remote/libcudart.so.13
REMOTE_DEVICE := $(BUILD)/lib/lanewise-device
# Each grading copies the library and the device program. Most of their size is debug information, so the linker
# removes it. Function names stay.
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
