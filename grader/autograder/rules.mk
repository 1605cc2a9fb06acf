# Packs autograders for learning systems. A package contains everything that grading needs, so it runs
# without this tree. pack.sh describes their contents.
#
#   make autograder FORMAT=gradescope [LAB=02] [COURSE=course.yaml]    build/autograder/gradescope.zip
#   make autograder FORMAT=autolab LAB=02                              build/autograder/autolab/
#   make autograder FORMAT=github [LAB=02]                             build/autograder/github/
autograder: build/setup/autograder lanewise
	$(Q)grader/autograder/pack.sh '$(FORMAT)' $(BUILD)/autograder $(LANEWISE) '$(LAB)' '$(COURSE)'
