"""The distributed engine: Spark searches the levels, and a store keeps all states.

Each partition owns a share of all fingerprints.  ``kernel`` and ``tasks`` do a partition's part of
a level, ``runs`` and ``store`` keep its states, ``jobs`` lets Spark run the parts, and ``search``
goes from level to level.
"""
