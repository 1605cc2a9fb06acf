# Builds the emulated GPU as a static library. Programs and libraries that contain it do not export its
# symbols.
EMULATOR_DIRS := $(addprefix grader/gpu,/ /ptx /analyse /memory /observe /execute /predict /record /order /device)
EMULATOR_OBJECTS := $(call objects,$(call sources,$(EMULATOR_DIRS:/=)))
EMULATOR := $(BUILD)/lib/liblanewise-emulator.a
EMULATOR_LIBS := -lnettle -lstdc++ -lm -lpthread
OBJECTS += $(EMULATOR_OBJECTS)

$(EMULATOR_OBJECTS): CFLAGS += -fvisibility=hidden

$(EMULATOR): $(EMULATOR_OBJECTS)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The pages of chips are compiled into the library.
$(call objects,grader/gpu/chips.c): $(wildcard grader/gpu/predict/chips/*)

# The flags below appear only in this file, so the objects depend on it.
$(EMULATOR_OBJECTS): grader/gpu/rules.mk

# The arithmetic code changes the rounding mode at run time (-frounding-math). This flag would
# prevent vectorised loops in alu.c, which does not need it: a row of alu.def is one operation on
# loaded values, so the compiler can compute nothing in advance. The Makefile's PORTABLE makes
# a * b + c round twice, as PTX needs it.
$(filter %/compare.o %/convert.o %/half.o,$(EMULATOR_OBJECTS)): CFLAGS += -frounding-math
# No code reads floating-point exceptions or errno. Without these flags, loops with a choice or a
# square root would not be vectorised.
$(filter %/alu.o %/convert.o %/half.o %/texture.o,$(EMULATOR_OBJECTS)): CFLAGS += -fno-trapping-math -fno-math-errno
# The compiler vectorises loops over lanes, but not accesses to the members of a structure, because
# the CPU stalls when it reads members as one vector that were written one by one. Sanitized loops
# are hardly faster with -O3, but take twice as long to compile.
$(call objects,$(call sources,grader/gpu/memory grader/gpu/execute grader/gpu/observe)): CFLAGS += $(if $(filter 1,$(SANITIZE)),,-O3 -fno-tree-slp-vectorize)
