# The emulated GPU, as a static library. Programs and libraries that contain it do not export its
# symbols.
EMULATOR_DIRS := $(addprefix grader/gpu,/ /ptx /analyse /memory /observe /execute /record /device)
EMULATOR_OBJECTS := $(call objects,$(call sources,$(EMULATOR_DIRS:/=)))
EMULATOR := $(BUILD)/lib/liblanewise-emulator.a
EMULATOR_LIBS := -lnettle -lstdc++ -lm -lpthread
OBJECTS += $(EMULATOR_OBJECTS)

$(EMULATOR_OBJECTS): CFLAGS += -fvisibility=hidden

$(EMULATOR): $(EMULATOR_OBJECTS)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The flags below appear only in this file, so the objects depend on it.
$(EMULATOR_OBJECTS): grader/gpu/rules.mk

# Arithmetic changes the rounding mode at run time, and a * b + c rounds twice. In alu.c,
# -frounding-math would only keep the loops scalar: a row of alu.def is one operation on loaded
# values, so the compiler cannot compute anything in advance in another mode.
$(filter %/alu.o %/compare.o %/convert.o %/half.o %/texture.o %/texture_levels.o,$(EMULATOR_OBJECTS)): CFLAGS += -ffp-contract=off
$(filter %/compare.o %/convert.o %/half.o,$(EMULATOR_OBJECTS)): CFLAGS += -frounding-math
# No code reads floating-point exceptions or errno. Without these flags, loops with a choice or a
# square root stay scalar.
$(filter %/alu.o %/convert.o %/half.o %/texture.o,$(EMULATOR_OBJECTS)): CFLAGS += -fno-trapping-math -fno-math-errno
# The compiler vectorises loops over lanes, but not accesses to members of a structure: the CPU
# stalls when it reads as a vector what was written member by member.
$(call objects,$(call sources,grader/gpu/memory grader/gpu/execute grader/gpu/observe)): CFLAGS += -O3 -fno-tree-slp-vectorize
