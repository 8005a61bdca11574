"""The distributed engine: levels are searched by Spark, and all that is found is kept in a store.

Of all fingerprints each partition owns a share.  ``kernel`` and ``tasks`` do a partition's part of
a level, ``runs`` and ``store`` keep what it finds, ``jobs`` has Spark run the parts, and ``search``
goes from level to level.
"""
