"""Checks that standard input is one JSON object without NaN, and prints the fields named.

Without names: all names of fields. A dotted name goes inward: train.error, methods.0.error.mean.
"""
import json
import sys


def refuse(text):
    sys.exit(f"{text} is not JSON")


value = json.load(sys.stdin, parse_constant=refuse)
if not isinstance(value, dict):
    sys.exit("not an object")
if len(sys.argv) == 1:
    print(" ".join(value))
for name in sys.argv[1:]:
    here = value
    for part in name.split("."):
        here = here[int(part)] if isinstance(here, list) else here[part]
    print(f"{name}: {' '.join(here) if isinstance(here, dict) else json.dumps(here)}")
