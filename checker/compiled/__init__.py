"""The compiled engine: the model's own functions, as machine code.

``statements`` turns the plain Python of actions, rules and predicates into LLVM's intermediate
representation; ``kernel`` is the search itself, written in the same subset of Python; ``build``
compiles both to machine code, which ``object_files`` keeps on disk; ``search`` runs it, level by
level.
"""
