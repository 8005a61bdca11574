---- MODULE LastEpochKafkaTruncateToHighWatermark ----
(* The properties of LastEpoch for KafkaTruncateToHighWatermark, whose Spec is checked as it is. *)
EXTENDS KafkaTruncateToHighWatermark, LastEpoch

LastEpochSpec == Spec
====
