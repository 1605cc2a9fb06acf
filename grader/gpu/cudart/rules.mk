# The emulator's CUDA runtime library. It has the name, version and symbols that programs built by nvcc
# require: libcudart.so.13 for nvcc 13, and libcudart.so.12 for nvcc 12 (see cuda12/).
CUDART_SOURCES := $(call sources,grader/gpu/cudart grader/gpu/cudart/graphs grader/gpu/cudart/order grader/gpu/fatbin)
CUDART_OBJECTS := $(call objects,$(CUDART_SOURCES))
CUDART_MAP := $(BUILD)/obj/libcudart.so.13.map
CUDART := $(BUILD)/lib/libcudart.so.13
CUDART_LIBS := $(EMULATOR_LIBS) -ljansson -llz4 -lzstd -ldw -ldl
OBJECTS += $(CUDART_OBJECTS)
CUDA12_OBJECTS := $(call objects,$(call sources,grader/gpu/cudart/cuda12))
CUDA12 := $(BUILD)/lib/libcudart.so.12
OBJECTS += $(CUDA12_OBJECTS)

$(CUDART_OBJECTS) $(CUDA12_OBJECTS): CPPFLAGS += -isystem $(CONFIG_CUDA_HOME)/include

# The C library's functions that pass buffers of the program to system calls. Our library has its own versions of
# them (order/host_io.c), with the names and the symbol version that programs use.
IO_FUNCTIONS := read write pread pwrite recv send fread fwrite writev
IO_NAMES := $(foreach name,$(IO_FUNCTIONS),-Wl$(comma)--defsym$(comma)$(name)=rt_io_$(name))

# Links a library. If two prerequisites define the same symbol, such as one of device.h, the first
# definition is used.
link_cudart = $(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(filter %.map,$^) \
	$(if $(SANITIZE),,-Wl,-z$(comma)defs) $(IO_NAMES) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(CUDART_LIBS)

# The first version of the C library for this CPU. Its symbols still have this symbol version.
GLIBC := GLIBC_$(if $(filter x86_64,$(CPU)),2.2.5,2.17)

$(BUILD)/obj/%.map: grader/gpu/cudart/%.map
	@mkdir -p $(@D)
	$(Q)sed 's/^GLIBC {/$(GLIBC) {/' $< >$@

$(CUDART): $(CUDART_OBJECTS) $(EMULATOR) $(CUDART_MAP)
	$(call say,$@)
	$(Q)$(link_cudart)

# libcudart.so.12 is linked from copies of the objects, in which some functions are renamed.
$(CUDA12): $(patsubst $(BUILD)/obj/%,$(BUILD)/obj/cuda12/%,$(CUDART_OBJECTS) $(CUDA12_OBJECTS)) $(EMULATOR) \
		$(BUILD)/obj/cuda12/libcudart.so.12.map
	$(call say,$@)
	$(Q)$(link_cudart)

# The renames for objcopy: cudaFoo gets its new name from the list, and cuda12_Foo becomes cudaFoo.
$(BUILD)/obj/cuda12/names: grader/gpu/cudart/cuda12/names
	@mkdir -p $(@D)
	$(Q)awk '/^cuda/ { print; print "cuda12_" substr($$1, 5), $$1 }' $< > $@

$(BUILD)/obj/cuda12/%.o: $(BUILD)/obj/%.o $(BUILD)/obj/cuda12/names
	@mkdir -p $(@D)
	$(Q)objcopy --redefine-syms=$(BUILD)/obj/cuda12/names $< $@

# The file that the linker uses for -lcudart. In a build with sanitizers, it is a stub with the same symbols,
# because programs are linked without sanitizers.
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
