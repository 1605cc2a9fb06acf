# The emulated GPU, as a static library. Its symbols stay inside whatever it is linked into.
EMULATOR_DIRS := $(addprefix grader/emulator,/ /ptx /analyse /execute /observe /report)
EMULATOR_OBJECTS := $(call objects,$(call sources,$(EMULATOR_DIRS:/=)))
EMULATOR := $(BUILD)/lib/liblanewise-emulator.a
EMULATOR_LIBS := -lnettle -lstdc++ -lm -lpthread
OBJECTS += $(EMULATOR_OBJECTS)

$(EMULATOR_OBJECTS): CFLAGS += -fvisibility=hidden

$(EMULATOR): $(EMULATOR_OBJECTS)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The flags below are seen by nobody else: a change to them is a change to this file.
$(EMULATOR_OBJECTS): grader/emulator/rules.mk

# Arithmetic changes the rounding mode under the compiler's feet, and a * b + c is two roundings.
$(filter %/alu.o %/compare.o %/convert.o %/half.o,$(EMULATOR_OBJECTS)): CFLAGS += -frounding-math -ffp-contract=off
# Nobody asks which exceptions arithmetic raised; where that counts, loops with a choice stay scalar.
$(filter %/half.o %/texture.o,$(EMULATOR_OBJECTS)): CFLAGS += -fno-trapping-math
$(filter %/texture.o,$(EMULATOR_OBJECTS)): CFLAGS += -ffp-contract=off
# Loops over lanes are worth the compiler's vectoriser.
$(filter %/execute/%.o %/observe/%.o,$(EMULATOR_OBJECTS)): OPTIMISE := -O3
