"""``python -m tidegate`` is ``tidegate``."""

import gc
import os


def main() -> None:
    """Run the command line; Ctrl-C gets one line, also while Python still imports it."""
    # Imports make many objects, none of which is garbage: to look for it is a tenth of a start.
    gc.set_threshold(50_000)
    try:
        from .cli import run

        run()
    except KeyboardInterrupt:
        os.write(2, b"Error: interrupted\n")
        os._exit(130)


if __name__ == "__main__":
    main()
