# shellcheck shell=sh
# quiz INSTRUCTION: asks the questions of questions.txt (id|question|expected) and writes the share of right answers.
# An answer is right when what the task's own `normal` makes of it is what is expected.
# Questions are asked in the order of sha256("<BENCH_SEED, or 0>:<id>"), BENCH_LIMIT=n of them.
quiz() {
    limit=$(limit)
    asked=$(selected "$limit")
    right=0 total=0 said=0 items=
    while IFS='|' read -r id question expected; do
        answer=$(ask "$1" "$question")
        score=0
        [ "$(normal "$answer")" = "$expected" ] && score=1
        case $answer in *[![:space:]]*) said=$((said + 1)) ;; esac
        echo "$id: $answer ($score)"
        items="$items${items:+, }{\"id\": $(json-string "$id"), \"score\": $score, \"answer\": $(json-string "$answer")}"
        right=$((right + score)) total=$((total + 1))
    done <<EOF
$asked
EOF
    if [ "$said" -eq 0 ]; then
        # Not one word in all of them is an endpoint that is broken, and no model that is wrong.
        echo "endpoint: nothing is said in any of $total answers" >&2
        exit 75
    fi
    overall=$(awk -v right="$right" -v total="$total" 'BEGIN { printf "%.12g", right / total }')
    printf '{"overall": %s, "items": [%s]}\n' "$overall" "$items" > "$BENCHROUTER_OUTPUT_DIR/result.json"
}

# Prints how many questions to ask; ends with 2 where BENCH_LIMIT is no whole number of at least 1.
limit() {
    if [ -z "${BENCH_LIMIT+set}" ]; then
        echo 1000000
        return
    fi
    digits=$(printf '%s' "$BENCH_LIMIT" | sed 's/^[[:space:]]*//; s/[[:space:]]*$//; s/^0*//')
    case $digits in
        '' | *[!0-9]*)
            echo "BENCH_LIMIT=$BENCH_LIMIT: expected a whole number of at least 1" >&2
            exit 2
            ;;
        ????????*) echo 1000000 ;;
        *) echo "$digits" ;;
    esac
}

# selected LIMIT: prints the lines of the questions to ask.
selected() {
    while IFS='|' read -r id rest; do
        printf '%s|%s|%s\n' "$(printf '%s' "${BENCH_SEED:-0}:$id" | sha256sum | cut -c 1-64)" "$id" "$rest"
    done < questions.txt | LC_ALL=C sort | head -n "$1" | cut -d '|' -f 2-
}
