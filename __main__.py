"""``python -m tidegate`` is ``tidegate``."""

from .cli import main

if __name__ == "__main__":
    main(prog_name="tidegate")
