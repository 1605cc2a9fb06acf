# The emulated GPU, as a static library. Its symbols stay inside whatever it is linked into.
EMULATOR_DIRS := $(addprefix grader/gpu,/ /ptx /analyse /memory /observe /execute /record /device)
EMULATOR_OBJECTS := $(call objects,$(call sources,$(EMULATOR_DIRS:/=)))
NATIVE_TEXT := $(BUILD)/obj/grader/gpu/native_code
EMULATOR := $(BUILD)/lib/liblanewise-emulator.a
EMULATOR_LIBS := -lnettle -lstdc++ -lm -lpthread
OBJECTS += $(EMULATOR_OBJECTS) $(NATIVE_TEXT).o

$(EMULATOR_OBJECTS): CFLAGS += -fvisibility=hidden

$(EMULATOR): $(EMULATOR_OBJECTS) $(NATIVE_TEXT).o
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

# What translated kernels are written in, as text inside the emulator: see execute/native.c.

$(NATIVE_TEXT).i: grader/gpu/execute/native_code.h $(BUILD)/flags grader/gpu/rules.mk | build/config.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=gnu11 -x c -E -P -MMD -MP -MT $@ -MF $(@:.i=.d) -o $@ $<

$(NATIVE_TEXT).o: $(NATIVE_TEXT).i
	$(Q)printf '.section .rodata\n.globl %s, %s_end\n.hidden %s, %s_end\n%s: .incbin "%s"\n%s_end: .byte 0\n.section .note.GNU-stack,"",@progbits\n' \
		native_preamble native_preamble native_preamble native_preamble native_preamble $< native_preamble | \
		$(CC) -c -x assembler -o $@ -
