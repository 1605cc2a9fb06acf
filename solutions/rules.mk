# Solutions are graded like any submission: the tests do it (grader/tests/), nothing is built here.
