# Editors: completion and errors in .cu files, and findings beside the lines. editor.sh says how.
editor: build/config.mk
	$(Q)grader/editor/editor.sh $(CONFIG_CUDA_HOME)
