#!/bin/sh
set -eu
. ./quiz.sh

# Drops white space around the answer and a full stop at its end.
normal() { printf "%s" "$1" | tr "\n" " " | sed "s/[[:space:].]*\$//; s/^[[:space:]]*//"; }

quiz "Answer with the name of the city only."
