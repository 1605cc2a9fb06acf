# A lab is a folder labs/NN-name/ with the student's .cu file and checks.c, which grader/checks/rules.mk
# builds. If PROGRAM is a .cu file, the rules here build it before `make run` or `make trace` runs it.
PROGRAMS := $(BUILD)/programs

# $(call built_program,FILE): the executable for FILE, or FILE itself if it is one.
built_program = $(if $(filter %.cu,$1),$(PROGRAMS)/$(basename $(notdir $1)),$1)

ifneq ($(filter %.cu,$(PROGRAM)),)
run trace step report: $(call built_program,$(PROGRAM))
$(call built_program,$(PROGRAM)): $(PROGRAM) FORCE | $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(CONFIG_NVCC) $(if $(G),$(subst -lineinfo,-G,$(NVCC_FLAGS)),$(NVCC_FLAGS)) -o $@ $<
endif

# labs/NN-name/costs.def has the solution's costs in each run whose costs a check judges (grader/checks/costs.c).
COSTS_HEAD := /* The costs of the solution, in the order of enum check_cost. `make costs` writes this file. */
COSTS_OF = $(if $(LAB),$(or $(filter $(LAB) $(LAB)-%,$(LABS)),$(error no lab is called $(LAB); LAB=02 names one)),$(LABS))
costs: lanewise
	$(Q)set -e; for lab in $(COSTS_OF); do \
		rm -f $(BUILD)/costs; \
		LANEWISE_COSTS=$(CURDIR)/$(BUILD)/costs LANEWISE_LABS= $(LANEWISE) grade --lab $$lab --device emulator \
			--seed 1 --submission solutions/$$lab >/dev/null || test $$? -eq 1; \
		test ! -e $(BUILD)/costs || { echo '$(COSTS_HEAD)'; LC_ALL=C sort $(BUILD)/costs; } >labs/$$lab/costs.def; \
		echo "  labs/$$lab/costs.def"; done
