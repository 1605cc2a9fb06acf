# The CUDA runtime library of the emulator: the name, version and symbols that nvcc's programs ask for. There are
# two, for programs of nvcc 13 and of nvcc 12; cuda12/ says in what they differ.
CUDART_SOURCES := $(call sources,grader/gpu/cudart grader/gpu/cudart/graphs grader/gpu/fatbin)
CUDART_OBJECTS := $(call objects,$(CUDART_SOURCES))
CUDART_MAP := grader/gpu/cudart/libcudart.so.13.map
CUDART := $(BUILD)/lib/libcudart.so.13
CUDART_LIBS := $(EMULATOR_LIBS) -ljansson -llz4 -lzstd -ldw
OBJECTS += $(CUDART_OBJECTS)
CUDA12_OBJECTS := $(call objects,$(call sources,grader/gpu/cudart/cuda12))
CUDA12 := $(BUILD)/lib/libcudart.so.12
OBJECTS += $(CUDA12_OBJECTS)

$(CUDART_OBJECTS) $(CUDA12_OBJECTS): CPPFLAGS += -isystem $(CONFIG_CUDA_HOME)/include

# Links what a library is made from; of objects that define the same, such as the device, the first ones win.
link_cudart = $(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(filter %.map,$^) \
	$(if $(SANITIZE),,-Wl,-z$(comma)defs) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(CUDART_LIBS)

$(CUDART): $(CUDART_OBJECTS) $(EMULATOR) $(CUDART_MAP)
	$(call say,$@)
	$(Q)$(link_cudart)

# For CUDA 12, some functions get other names in copies of the objects: cuda12/names lists them.
$(CUDA12): $(patsubst $(BUILD)/obj/%,$(BUILD)/obj/cuda12/%,$(CUDART_OBJECTS) $(CUDA12_OBJECTS)) $(EMULATOR) \
		grader/gpu/cudart/cuda12/libcudart.so.12.map
	$(call say,$@)
	$(Q)$(link_cudart)

# As objcopy wants it: cudaFoo becomes what the list says, and cuda12_Foo becomes cudaFoo.
$(BUILD)/obj/cuda12/names: grader/gpu/cudart/cuda12/names
	@mkdir -p $(@D)
	$(Q)awk '/^cuda/ { print; print "cuda12_" substr($$1, 5), $$1 }' $< > $@

$(BUILD)/obj/cuda12/%.o: $(BUILD)/obj/%.o $(BUILD)/obj/cuda12/names
	@mkdir -p $(@D)
	$(Q)objcopy --redefine-syms=$(BUILD)/obj/cuda12/names $< $@

# The name that the linker looks for when a program is built with -lcudart. With sanitizers it is a
# library of the same symbols and nothing behind them: programs are linked without the sanitizers.
$(BUILD)/lib/libcudart.so: $(CUDART)
ifdef SANITIZE
	$(Q)nm -D --defined-only $< | awk '$$2 == "T" { sub("@.*", "", $$3); \
		printf ".globl %s\n.type %s, @function\n%s:\n", $$3, $$3, $$3 }' | \
		$(CC) -shared -nostdlib -x assembler - -x none -Wl,-soname,$(<F) \
		-Wl,--version-script=$(CUDART_MAP) -o $@
else
	$(Q)ln -sf $(<F) $@
endif

ifneq ($(CUDART_SOURCES),)
TOOLS += $(CUDART) $(CUDA12) $(BUILD)/lib/libcudart.so
endif
