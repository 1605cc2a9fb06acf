# Catches typing mistakes. `make grad`, `make grade 01`, `make grade lab=01` and `make grade LABS=01` stop with a suggestion
# (grader/typos.awk) and exit code 2. A make that a recipe starts is not checked.
ifeq ($(MAKELEVEL),0)

# Variables that every target accepts. They say how to build, where CUDA is, and where the handouts' tests put
# their pages.
ANY_TARGET := V SANITIZE BUILD CC OPTIMISE WARNINGS CFLAGS CPPFLAGS LDFLAGS NVCC_FLAGS NVCC CUDA_HOME PATH \
	LANEWISE_% HANDOUTS HANDOUT_%
TYPED := $(foreach name,$(.VARIABLES),$(if $(filter command,$(firstword $(origin $(name)))),$(name)))
MISTAKE := $(shell awk -v goals='$(MAKECMDGOALS)' -v variables='$(filter-out $(ANY_TARGET),$(TYPED))' \
	-v labs='$(notdir $(wildcard labs/[0-9]*))' -f grader/typos.awk Makefile)
$(if $(MISTAKE),$(error $(MISTAKE)))

endif
