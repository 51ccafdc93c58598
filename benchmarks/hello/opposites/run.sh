#!/bin/sh
set -eu
. ./quiz.sh

# Keeps letters only, in lower case.
normal() { printf "%s" "$1" | tr "[:upper:]" "[:lower:]" | tr -cd "[:lower:]"; }

quiz "Answer with one word only."
