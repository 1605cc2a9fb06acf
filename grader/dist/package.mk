# Lanewise @VERSION@: the labs, and all that grading needs. `make help` lists the targets.
#
# Nothing is built or installed here. ./lanewise does the same without make (see ./lanewise help).
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory
BUILD := build
LANEWISE := ./lanewise
NVCC ?= $(or $(wildcard build/cuda/nvidia/cu13/bin/nvcc),nvcc)
# `make run PROGRAM=file.cu` compiles the file with the flags that the emulator needs.
built_program = $(if $(filter %.cu,$1),$(BUILD)/programs/$(basename $(notdir $1)),$1)
ifneq ($(filter %.cu,$(PROGRAM)),)
run trace step report: $(call built_program,$(PROGRAM))
$(call built_program,$(PROGRAM)): FORCE
	@mkdir -p $(@D)
	@$(NVCC) -ccbin build/tools/bin/g++ -cudart shared -g $(if $(G),-G,-lineinfo) -O3 -Ishared -Lbuild/lib -o $@ $(PROGRAM)
FORCE:
endif
lanewise:
	@:
editor:
	@grader/editor/editor.sh $(abspath $(or $(wildcard build/cuda/nvidia/cu13),$(CUDA_HOME),/usr/local/cuda))
serve:
	@echo 'open $(CURDIR)/build/handouts/index.html in a browser'
.PHONY: help grade hint watch run trace step report diff reset serve editor doctor lanewise FORCE

