"""Behaviors that several tests take, in the model and on brokers."""

REPLICATED = """
Produce 0
SendFetch 0 1
HandleFetch 0 1
HandleFetchResponse 0 1
SendFetch 0 1
HandleFetch 0 1
HandleFetchResponse 0 1
"""
"""m0 is committed on both replicas, and both know."""

MAY_REFUSE_FETCH = """
    Produce 0
    Elect 1
    BecomeFollower 0 1
    {}
    Elect 0
    BecomeLeader 0 2
    ShrinkIsr 0 1
    Produce 0
"""

REFUSED_FETCH = MAY_REFUSE_FETCH.format("SendFetch 0 1\nRefuseRequest 0 1")

FETCH_AFTER_LAG_TIME = """
    Fence 2
    BecomeLeader 0 1
    BecomeFollower 2 1
    Elect 1
    SendFetch 0 2
    HandleFetch 0 2
    BecomeFollower 1 1
    Produce 0
    SendFetch 0 1
    HandleFetch 0 1
    HandleFetchResponse 0 1
    SendFetch 0 1
    HandleFetch 0 1
    HandleFetchResponse 0 1
    PassLagTime 0 2
    SendFetch 0 1
    HandleFetch 0 1
"""

CANNOT_JOIN = """
    Fence 1
    BecomeLeader 0 1
    BecomeFollower 1 1
    Fence 0
    SendFetch 0 1
    HandleFetch 0 1
    PassLagTime 0 1
    Produce 0
"""
