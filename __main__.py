"""``python -m tidegate`` is ``tidegate``."""

import os


def main() -> None:
    """Run the command line; Ctrl-C gets one line, also while Python still imports it."""
    try:
        from .cli import run

        run()
    except KeyboardInterrupt:
        os.write(2, b"Error: interrupted\n")
        os._exit(130)


if __name__ == "__main__":
    main()
