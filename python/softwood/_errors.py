"""What can go wrong, and what the user should know."""

from __future__ import annotations

import warnings


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
        self.message, self.kind, self.where, self.hint = message, kind, where, hint
        text = f"{where}: {message}" if where else message
        super().__init__(f"{text}\n{hint}" if hint else text)

    def __reduce__(self):
        return Error, (self.message, self.kind, self.where, self.hint)


class SoftwoodWarning(UserWarning):
    """What the user should know: columns left out, unknown levels, settings without effect."""


def warn_notes(notes: list[tuple[str, str]], stacklevel: int = 3) -> list[str]:
    """Notes of the library as warnings; returns their texts."""
    texts = [f"{message} ({hint})" if hint else message for message, hint in notes]
    for text in texts:
        warnings.warn(text, SoftwoodWarning, stacklevel=stacklevel)
    return texts
