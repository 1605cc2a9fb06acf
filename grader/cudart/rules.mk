# The CUDA runtime library of the emulator: the name, version and symbols that nvcc's programs ask for.
CUDART_SOURCES := $(call sources,grader/cudart)
CUDART_OBJECTS := $(call objects,$(CUDART_SOURCES))
CUDART_MAP := $(wildcard grader/cudart/*.map)
CUDART := $(BUILD)/lib/libcudart.so.13
CUDART_LIBS := $(EMULATOR_LIBS) -ljansson -llz4 -lzstd -ldw
OBJECTS += $(CUDART_OBJECTS)

$(CUDART_OBJECTS): CPPFLAGS += -isystem $(CONFIG_CUDA_HOME)/include

# $(call link_cudart,OBJECTS): OBJECTS may define the device in the emulator's place.
link_cudart = $(CC) -shared -Wl,-soname,$(@F) $(CUDART_MAP:%=-Wl,--version-script=%) \
	$(if $(SANITIZE),,-Wl,-z$(comma)defs) $(LDFLAGS) -o $@ $(CUDART_OBJECTS) $1 $(EMULATOR) $(CUDART_LIBS)

$(CUDART): $(CUDART_OBJECTS) $(EMULATOR) $(CUDART_MAP)
	$(call say,$@)
	$(Q)$(link_cudart)

# The name that the linker looks for when a program is built with -lcudart. With sanitizers it is a
# library of the same symbols and nothing behind them: programs are linked without the sanitizers.
$(BUILD)/lib/libcudart.so: $(CUDART)
ifdef SANITIZE
	$(Q)nm -D --defined-only $< | awk '$$2 == "T" { sub("@.*", "", $$3); \
		printf ".globl %s\n.type %s, @function\n%s:\n", $$3, $$3, $$3 }' | \
		$(CC) -shared -nostdlib -x assembler - -x none -Wl,-soname,$(<F) \
		$(CUDART_MAP:%=-Wl,--version-script=%) -o $@
else
	$(Q)ln -sf $(<F) $@
endif

ifneq ($(CUDART_SOURCES),)
TOOLS += $(CUDART) $(BUILD)/lib/libcudart.so
endif
