"""The command line program itself: python -m softwood, or softwood."""

import sys

from softwood import _core


def main() -> int:
    return _core.run_program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
