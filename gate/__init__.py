"""The gate: which verdicts are expected of which protocols, and whether they are still so.

``document`` reads ``tidegate.toml`` into cells; ``run`` has each decided in a process of its own
(``worker``, ``search``); ``judge`` compares what was found with what was expected; ``reports``
tells people and programs.
"""
