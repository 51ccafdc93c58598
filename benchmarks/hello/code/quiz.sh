# shellcheck shell=sh
# quiz INSTRUCTION: asks every question of questions.txt (id|question|expected) and writes the share of right answers.
# An answer is right when what the task's own `normal` makes of it is what is expected.
# BENCH_LIMIT=n asks only the first n.
quiz() {
    right=0 total=0 items=
    while IFS='|' read -r id question expected; do
        [ "$total" -lt "${BENCH_LIMIT:-1000000}" ] || break
        answer=$(ask "$1" "$question")
        score=0
        [ "$(normal "$answer")" = "$expected" ] && score=1
        echo "$id: $answer ($score)"
        items="$items${items:+, }{\"id\": $(json-string "$id"), \"score\": $score, \"answer\": $(json-string "$answer")}"
        right=$((right + score)) total=$((total + 1))
    done < questions.txt

    overall=$(awk -v right="$right" -v total="$total" 'BEGIN { printf "%.12g", right / total }')
    printf '{"overall": %s, "items": [%s]}\n' "$overall" "$items" > "$BENCHROUTER_OUTPUT_DIR/result.json"
}
