"""Regular expressions for JSON Schema (ECMA-262): numbers in bounds, names that are ours, ranges without host bits."""

from __future__ import annotations

from collections.abc import Iterable

OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_UNITS = {"": r"[bB]?", "k": r"[kK]([iI]?[bB])?", "m": r"[mM]([iI]?[bB])?", "g": r"[gG]([iI]?[bB])?",
          "t": r"[tT]([iI]?[bB])?"}  # fmt: skip
_LARGEST = 1 << 60
_SLACK = 1000  # a number near the largest may be read as one that is not larger

WITHOUT_PASSWORD = r"(?![A-Za-z][A-Za-z0-9+.-]*://[^/@\s]*:(?!\$\{)[^/@\s]+@)"
"""Looks ahead: an address that carries a password is refused, one with a variable in its place is not."""


def below(number: int) -> str:
    """Match the digits of whole numbers from 0 to less than a number of at least 1."""
    digits = str(number)
    rest = len(digits) - 1
    shorter = [f"[0-9]{{1,{rest}}}"] if rest else []
    same = [
        f"{digits[:at]}[0-{int(digit) - 1}]" + (f"[0-9]{{{rest - at}}}" if rest > at else "")
        for at, digit in enumerate(digits)
        if digit != "0"
    ]
    return f"0*({'|'.join([*shorter, *same])})"


def from_on(number: int) -> str:
    """Match the digits of whole numbers from a number on."""
    digits = str(number)
    rest = len(digits) - 1
    more = [
        f"{digits[:at]}[{int(digit) + 1}-9][0-9]{{{rest - at}}}" for at, digit in enumerate(digits) if digit != "9"
    ]
    return f"0*([1-9][0-9]{{{len(digits)},}}|{'|'.join([*more, digits])})"


def outside(least: int) -> str:
    """Look ahead for a size with any unit: of fewer bytes than the least, or of more than can be meant."""
    fraction = r"(\.[0-9]+)?\s*"
    sizes = []
    for power, unit in enumerate(_UNITS.values()):
        factor = 1 << (10 * power)
        sizes += [below(least // factor) + fraction + unit] if least >= factor else []
        sizes.append(from_on(_LARGEST // factor * (_SLACK + 1) // _SLACK + 1) + fraction + unit)
    return rf"(?!\s*({'|'.join(sizes)})\s*$)"


def no_name_of(names: Iterable[str]) -> str:
    """Look ahead: none of these names, in capitals or not."""
    return f"(?!({'|'.join(map(_any_case, sorted(names)))})$)"


def networks(narrowest: int) -> str:
    """Match ranges of IPv4 addresses, as wide as a prefix length or wider, that begin where such a range can."""
    return f"({'|'.join(_range(length) for length in range(narrowest + 1))})"


def _range(length: int) -> str:
    whole, bits = divmod(length, 8)
    octets = [OCTET] * whole + ([_multiples(1 << (8 - bits))] if bits else [])
    return r"\.".join([*octets, *["0"] * (4 - len(octets))]) + f"/{length}"


def _multiples(step: int) -> str:
    if step == 2:
        return rf"(?=[0-9]*[02468]\.){OCTET}"
    return f"({'|'.join(str(number) for number in range(0, 256, step))})"


def _any_case(text: str) -> str:
    return "".join(f"[{char.upper()}{char}]" if char.isalpha() else rf"\{char}" for char in text.lower())
