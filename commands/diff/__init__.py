"""What ``tidegate diff`` compares: two protocols, each in this process or at a git revision.

``sides`` describes one of them as plain data, ``comparing`` compares both, ``revisions`` starts a
separate process for the code of another revision, and ``worker`` runs there.
"""
