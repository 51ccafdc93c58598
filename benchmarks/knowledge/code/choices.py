"""Find the one option that an answer names; None when it names none, or leaves several open."""

import re
import unicodedata

_BOXED = re.compile(r"\\boxed\s*\{")
_MARKUP = re.compile(r"\\(?:text|textbf|mathbf|mathrm)\b|[*_`\"${}]")
_LETTER = r"\(?([A-E])(?![A-Za-z0-9'])\)?"
_OPTION = rf"(?i:(?:option|choice|letter)\s*)?{_LETTER}"
_STATED = (
    re.compile(rf"(?i:\bfinal answer|\banswer\s*(?:(?:is|would be|should be|must be)\s*:?|[:=-]))\s*{_OPTION}"),
    re.compile(rf"(?i:\b(?:option|choice)\s+(?:is|would be)\s*:?)\s*{_OPTION}"),
    re.compile(rf"{_LETTER}\s+(?i:is\s+(?:the\s+)?(?:correct|right|best)\b)"),
    re.compile(r"(?im:\banswer\s*:)\s*\(?([a-e])\)?(?=\W*$)", re.M),
)
_NEXT = re.compile(
    r"[^\S\n]*(?:,|/|&|\||\band\b|\bor\b)+[^\S\n]*\(?[A-E](?![A-Za-z0-9'])"
    r"|(?:[^\S\n]|[.;)])+\(?[A-E](?![A-Za-z0-9'])(?![^\S\n]+[a-z])"
)
_BARE = re.compile(r"(?m)^\W*([A-E])\W*$")
_LEADING = re.compile(r"(?m)^[^\S\n]*\(?([A-E])[.):](?=\s)(?!.*(?:\([A-E]\)|\b[A-E][.):]\s))")
_MENTIONED = re.compile(r"\(([A-E])\)|\b(?i:option|choice)\s+([A-E])\b")
_TAIL = re.compile(r"(?i)\banswer(?:\s+is|\s*:)\s*(.+)")


def letter_of(answer, options):
    """Give the letter of the option (letter → text) that the answer names, or None.

    What is stated ("the answer is B") counts before a letter on a line of its own, that before a lettered line, a
    mention, and the option's own words. A statement that names several letters, or statements that between them
    name every option, are no answer.
    """
    answer = unicodedata.normalize("NFKC", answer)
    plain = _MARKUP.sub("", _BOXED.sub(" answer: ", answer)).strip()
    stated = sorted((found.end(), found.group(1).upper()) for form in _STATED for found in form.finditer(plain))
    if stated:
        end, letter = stated[-1]
        several = _NEXT.match(plain, end) or {each for _, each in stated} >= options.keys()
        return letter if letter in options and not several else None
    if re.fullmatch(r"\W*[a-eA-E]\W*", plain):
        return _only(re.findall(r"[A-E]", plain.upper()), options)
    for pattern in (_BARE, _LEADING, _MENTIONED):
        found = [first or next(iter(rest), "") for first, *rest in (m.groups() for m in pattern.finditer(plain))]
        if found:
            return _only(found, options)
    said = [plain, *plain.splitlines()[-1:], *_TAIL.findall(plain)[-1:], *re.split(r"[.,;:\n]", plain)[:1]]
    return _only([key for text in said for key, words in options.items() if _words(text) == _words(words)], options)


def _only(letters, options):
    return letters[0] if len(set(letters)) == 1 and letters[0] in options else None


def _words(text):
    return re.sub(r"\W+", " ", text.lower()).strip()
