# A lab is a folder labs/NN-name/ with the student's .cu file and checks.c, which grader/checks/rules.mk
# builds. If PROGRAM is a .cu file, the rules here build it before `make run` runs it.
PROGRAMS := $(BUILD)/programs

# $(call built_program,FILE): the executable for FILE, or FILE itself if it is one.
built_program = $(if $(filter %.cu,$1),$(PROGRAMS)/$(basename $(notdir $1)),$1)

ifneq ($(filter %.cu,$(PROGRAM)),)
run: $(call built_program,$(PROGRAM))
$(call built_program,$(PROGRAM)): $(PROGRAM) FORCE | $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(CONFIG_NVCC) $(NVCC_FLAGS) -o $@ $<
endif
