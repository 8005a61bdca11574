---- MODULE LastEpochKip320 ----
(* The properties of LastEpoch for Kip320, whose Spec is checked as it is. *)
EXTENDS Kip320, LastEpoch

LastEpochSpec == Spec
====
