# Prints the string at the dotted path `want` of the JSON text on standard input (null: an empty line, which is a
# model that said nothing); ends with 1 when there is none.
# Run it with LC_ALL=C: it works on bytes.

{ s = s $0 "\n" }

END {
    for (i = 0; i < 16; i++) digit[substr("0123456789abcdef", i + 1, 1)] = i
    plain["b"] = "\b"; plain["f"] = "\f"; plain["n"] = "\n"; plain["r"] = "\r"; plain["t"] = "\t"
    plain["\""] = "\""; plain["\\"] = "\\"; plain["/"] = "/"
    p = 1
    value("")
    skip()
    if (p <= length(s)) fail()
    if (!found) exit 1
    print answer
}

function fail() { exit 1 }

function skip() { while (substr(s, p, 1) ~ /[ \t\r\n]/ && p <= length(s)) p++ }

function value(path,    c, text) {
    skip()
    c = substr(s, p, 1)
    if (c == "{") members(path, "}")
    else if (c == "[") members(path, "]")
    else if (c == "\"") {
        text = string()
        if (path == want) { found = 1; answer = text }
    } else if (match(substr(s, p, 64), /^(true|false|null|-?[0-9][-+.0-9eE]*)/)) {
        if (path == want && c == "n") { found = 1; answer = "" }
        p += RLENGTH
    } else fail()
}

# The members of an object (end is "}") or of a list (end is "]"), whose paths are counted from 0.
function members(path, end,    key, n) {
    p++; skip(); n = 0
    if (substr(s, p, 1) == end) { p++; return }
    while (1) {
        key = n++
        if (end == "}") {
            skip(); key = string(); skip()
            if (substr(s, p++, 1) != ":") fail()
        }
        value(path == "" ? key : path "." key)
        skip()
        if (substr(s, p, 1) == end) { p++; return }
        if (substr(s, p++, 1) != ",") fail()
    }
}

function string(    text, c) {
    if (substr(s, p++, 1) != "\"") fail()
    while (match(substr(s, p), /["\\]/)) {
        text = text substr(s, p, RSTART - 1)
        p += RSTART
        if (substr(s, p - 1, 1) == "\"") return text
        c = substr(s, p++, 1)
        if (c == "u") text = text utf8(code())
        else if (c in plain) text = text plain[c]
        else fail()
    }
    fail()
}

function hex4(    n, i, c) {
    for (i = 0; i < 4; i++) {
        c = tolower(substr(s, p++, 1))
        if (!(c in digit)) fail()
        n = n * 16 + digit[c]
    }
    return n
}

# One code point after \u, surrogate pairs put together; half of a pair is no character: U+FFFD in its place.
function code(    n, low, after) {
    n = hex4()
    if (n < 55296 || n > 57343) return n
    if (n > 56319 || substr(s, p, 2) != "\\u") return 65533
    after = p
    p += 2
    low = hex4()
    if (low >= 56320 && low <= 57343) return 65536 + (n - 55296) * 1024 + (low - 56320)
    p = after
    return 65533
}

function utf8(n) {
    if (n < 128) return sprintf("%c", n)
    if (n < 2048) return sprintf("%c%c", 192 + int(n / 64), 128 + n % 64)
    if (n < 65536) return sprintf("%c%c%c", 224 + int(n / 4096), 128 + int(n / 64) % 64, 128 + n % 64)
    return sprintf("%c%c%c%c", 240 + int(n / 262144), 128 + int(n / 4096) % 64, 128 + int(n / 64) % 64, 128 + n % 64)
}
