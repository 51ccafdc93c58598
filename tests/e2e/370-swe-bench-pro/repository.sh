#!/bin/sh
# Makes /app: a repository whose `add` subtracts, with the commit that mends it hidden in its history.
set -eu
git config --global user.email a@example.org
git config --global user.name a
git init -q /app
cd /app
printf 'def add(a, b):\n    return a - b\n' > calc.py
printf 'import calc\nassert calc.add(1, 0) == 1\nprint("PASSED old")\nassert calc.add(2, 2) == 4\nprint("PASSED new")\n' > test_calc.py
git add -A
git commit -q -m base
