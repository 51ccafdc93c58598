#!/bin/sh
# Asks every question of questions.txt (id|question|expected) and writes the share of right answers.
# BENCH_LIMIT=n asks only the first n.
set -eu

# Drops white space around the answer and a full stop at its end.
normal() { printf "%s" "$1" | tr "\n" " " | sed "s/[[:space:].]*\$//; s/^[[:space:]]*//"; }

right=0 total=0 items=
while IFS='|' read -r id question expected; do
    [ "$total" -lt "${BENCH_LIMIT:-1000000}" ] || break
    answer=$(ask "Answer with the name of the city only." "$question")
    score=0
    [ "$(normal "$answer")" = "$expected" ] && score=1
    echo "$id: $answer ($score)"
    items="$items${items:+, }{\"id\": $(json-string "$id"), \"score\": $score, \"answer\": $(json-string "$answer")}"
    right=$((right + score)) total=$((total + 1))
done < questions.txt

overall=$(awk -v right="$right" -v total="$total" 'BEGIN { printf "%.12g", right / total }')
printf '{"overall": %s, "items": [%s]}\n' "$overall" "$items" > "$BENCHROUTER_OUTPUT_DIR/result.json"
