"""``python -m tidegate`` is ``tidegate``."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C gets one line, also while Python still imports it."""
    try:
        from .cli import main

        main(prog_name="tidegate")
    except KeyboardInterrupt:
        sys.stderr.write("Error: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
