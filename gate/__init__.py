"""The gate: which verdicts are expected, and whether they still hold.

``document`` reads ``tidegate.toml`` into cells; ``run`` searches each in its own process
(``worker``, ``search``); ``judge`` compares the results with the expectations; ``reports`` prints
and writes them.  ``brokers`` decides the cells of ``[[conform]]``.
"""
