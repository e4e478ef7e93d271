"""What can go wrong, and what the user should know."""

from __future__ import annotations

import os
import re
import sys
import warnings

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


# What a terminal obeys instead of showing it: control characters, and marks of the direction of text.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with escapes for what a terminal obeys: names in messages come from files."""
    return _OBEYED.sub(lambda found: ascii(found.group())[1:-1], text)


class Error(ValueError):
    """What is wrong, where, and what to do about it.

    Attributes
    ----------
    kind : {"usage", "data", "model", "failure", "interrupted"}
    where : str
        The place: "column 'speed', row 12"; may be empty.
    hint : str
        What can be done; may be empty.
    """

    def __init__(self, message: str, kind: str = "usage", where: str = "", hint: str = ""):
        message, where, hint = printable(message), printable(where), printable(hint)
        self.message, self.kind, self.where, self.hint = message, kind, where, hint
        text = f"{where}: {message}" if where else message
        super().__init__(f"{text}\n{hint}" if hint else text)

    def __reduce__(self):
        return Error, (self.message, self.kind, self.where, self.hint)


class SoftwoodWarning(UserWarning):
    """What the user should know: columns left out, unknown levels, settings without effect."""


def note_texts(notes: list[tuple[str, str]]) -> list[str]:
    """Notes of the library, each as one line."""
    return [printable(f"{message} ({hint})" if hint else message) for message, hint in notes]


def warn_notes(notes: list[tuple[str, str]]) -> list[str]:
    """Notes of the library as warnings; returns their texts."""
    texts = note_texts(notes)
    for text in texts:
        warnings.warn(text, SoftwoodWarning, stacklevel=_callers_level())
    return texts


def warn_caller(text: str) -> None:
    """A UserWarning at the line outside of the package."""
    warnings.warn(text, UserWarning, stacklevel=_callers_level())


def _callers_level() -> int:
    """For warnings.warn in a function that calls this: the line outside of the package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level
