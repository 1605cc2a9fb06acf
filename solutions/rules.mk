# The tests (grader/tests/) grade solutions like any submission; nothing is built here.
