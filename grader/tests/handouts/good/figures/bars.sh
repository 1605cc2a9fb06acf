#!/bin/sh
# Two bars; the facts are $1.
test -s "$1" || exit 1
echo "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 300 100\" width=\"300\" height=\"100\"><rect x=\"10\" y=\"50\" width=\"40\" height=\"50\"/><rect x=\"60\" y=\"10\" width=\"40\" height=\"90\"/></svg>"
