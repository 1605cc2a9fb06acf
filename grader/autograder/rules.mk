# Autograders for learning systems: what such a system is given, with all that grading needs, so that it runs
# where this tree is not. pack.sh says what is in it.
#
#   make autograder FORMAT=gradescope [LAB=02] [COURSE=course.yaml]    build/autograder/gradescope.zip
#   make autograder FORMAT=autolab LAB=02                              build/autograder/autolab/
#   make autograder FORMAT=github [LAB=02]                             build/autograder/github/
autograder: build/setup/autograder lanewise
	$(Q)grader/autograder/pack.sh '$(FORMAT)' $(BUILD)/autograder $(LANEWISE) '$(LAB)' '$(COURSE)'
