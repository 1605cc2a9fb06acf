# The emulated GPU in a process of its own. The same runtime library, with a client in the emulator's
# place, and the program that it talks to.
REMOTE_OBJECTS := $(call objects,$(call sources,grader/gpu/remote))
REMOTE_CLIENT := $(filter %/client.o %/lend.o %/wire.o,$(REMOTE_OBJECTS))
REMOTE_SERVER := $(filter-out %/client.o %/lend.o,$(REMOTE_OBJECTS))
REMOTE_CUDART := $(BUILD)/lib/remote/libcudart.so.13
REMOTE_DEVICE := $(BUILD)/lib/lanewise-device
# Both are copied for each grading: without debug information, which is most of them. Names of functions stay.
REMOTE_LDFLAGS := $(if $(SANITIZE),,-Wl,--strip-debug)
OBJECTS += $(REMOTE_OBJECTS)
TOOLS += $(REMOTE_CUDART) $(REMOTE_DEVICE)

$(REMOTE_OBJECTS): CFLAGS += -fvisibility=hidden

# Of the emulator, this takes what asks no device: tables and formulas.
$(REMOTE_CUDART): $(CUDART_OBJECTS) $(REMOTE_CLIENT) $(EMULATOR) $(CUDART_MAP)
	$(call say,$@)
	@mkdir -p $(@D)
	$(Q)$(link_cudart) $(REMOTE_LDFLAGS)

# The device needs no library of the system: it is started for each run, and to find and bind five of them takes
# as long as a small kernel.
$(REMOTE_DEVICE): $(REMOTE_SERVER) $(EMULATOR)
	$(call say,$@)
	$(Q)$(CC) $(LDFLAGS) $(REMOTE_LDFLAGS) $(if $(SANITIZE),,-static-pie) -o $@ $^ $(EMULATOR_LIBS) -ljansson
