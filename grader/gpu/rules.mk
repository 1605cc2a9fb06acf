# The emulated GPU, as a static library. Its symbols stay inside whatever it is linked into.
EMULATOR_DIRS := $(addprefix grader/gpu,/ /ptx /analyse /memory /observe /execute /record /device)
EMULATOR_OBJECTS := $(call objects,$(call sources,$(EMULATOR_DIRS:/=)))
EMULATOR := $(BUILD)/lib/liblanewise-emulator.a
EMULATOR_LIBS := -lnettle -lstdc++ -lm -lpthread
OBJECTS += $(EMULATOR_OBJECTS)

$(EMULATOR_OBJECTS): CFLAGS += -fvisibility=hidden

$(EMULATOR): $(EMULATOR_OBJECTS)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The flags below are seen by nobody else: a change to them is a change to this file.
$(EMULATOR_OBJECTS): grader/gpu/rules.mk

# Arithmetic changes the rounding mode under the compiler's feet, and a * b + c is two roundings. A row of
# alu.def is one operation on what it loads, with nothing to be computed beforehand in another mode; there
# -frounding-math would only keep its loop scalar.
$(filter %/alu.o %/compare.o %/convert.o %/half.o %/texture.o %/texture_levels.o,$(EMULATOR_OBJECTS)): CFLAGS += -ffp-contract=off
$(filter %/compare.o %/convert.o %/half.o,$(EMULATOR_OBJECTS)): CFLAGS += -frounding-math
# Nobody asks which exceptions arithmetic raised, nor for errno; where that counts, loops with a choice or a
# square root stay scalar.
$(filter %/alu.o %/convert.o %/half.o %/texture.o,$(EMULATOR_OBJECTS)): CFLAGS += -fno-trapping-math -fno-math-errno
# Loops over lanes are worth the compiler's vectoriser. Members of a structure are not: what was written one by
# one and is read as a vector makes the CPU wait.
$(call objects,$(call sources,grader/gpu/memory grader/gpu/execute grader/gpu/observe)): CFLAGS += -O3 -fno-tree-slp-vectorize
