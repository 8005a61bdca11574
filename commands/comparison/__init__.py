"""What ``tidegate diff`` compares: two protocols, each in this process or at a git revision.

``sides`` answers questions about one of them as plain data, ``comparing`` asks both, ``revisions``
starts another process for code of another time, and ``worker`` is what runs there.
"""
