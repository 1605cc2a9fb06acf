# Sets up editors to complete code and show errors in .cu files, and findings beside the lines. editor.sh says how.
editor: build/config.mk
	$(Q)grader/editor/editor.sh $(CONFIG_CUDA_HOME)
