------------------------------ MODULE Elevator -------------------------------
\* elevator.py: people call elevators, which move, turn, open and close.
EXTENDS Integers
CONSTANTS People, Elevators, Floors

P == 0 .. People - 1
E == 0 .. Elevators - 1
F == 0 .. Floors - 1
NONE == -1

VARIABLES person, elevator, up, down
vars == <<person, elevator, up, down>>

Init == /\ \E f \in F : person = [p \in P |-> [floor |-> f, elevator |-> NONE,
                                               destination |-> f, waiting |-> FALSE]]
        /\ elevator = [e \in E |-> [floor |-> 0, direction |-> "stationary",
                                    open |-> FALSE, buttons |-> {}]]
        /\ up = {} /\ down = {}

Way(from, to) == IF to > from THEN "up" ELSE "down"
Calls(direction) == IF direction = "up" THEN up ELSE down
AddCall(direction, f) ==
    IF direction = "up" THEN up' = up \cup {f} /\ UNCHANGED down
                        ELSE down' = down \cup {f} /\ UNCHANGED up
DropCall(direction, f) ==
    IF direction = "up" THEN up' = up \ {f} /\ UNCHANGED down
                        ELSE down' = down \ {f} /\ UNCHANGED up

PickDestination(p, f) ==
    /\ ~person[p].waiting /\ person[p].floor # NONE /\ f # person[p].floor
    /\ person' = [person EXCEPT ![p].waiting = TRUE, ![p].destination = f]
    /\ UNCHANGED <<elevator, up, down>>

CallElevator(p) ==
    LET at == person[p].floor
        direction == Way(at, person[p].destination)
    IN  /\ person[p].waiting /\ at # NONE /\ at \notin Calls(direction)
        /\ ~\E e \in E : elevator[e].open /\ elevator[e].floor = at
                         /\ elevator[e].direction = direction
        /\ AddCall(direction, at)
        /\ UNCHANGED <<person, elevator>>

OpenDoors(e) ==
    LET me == elevator[e] IN
    /\ ~me.open /\ me.direction # "stationary"
    /\ me.floor \in Calls(me.direction) \cup me.buttons
    /\ elevator' = [elevator EXCEPT ![e].open = TRUE, ![e].buttons = @ \ {me.floor}]
    /\ DropCall(me.direction, me.floor)
    /\ UNCHANGED person

Enter(p, e) ==
    LET me == elevator[e] IN
    /\ me.open /\ person[p].waiting /\ person[p].floor = me.floor
    /\ Way(person[p].floor, person[p].destination) = me.direction
    /\ person' = [person EXCEPT ![p].floor = NONE, ![p].elevator = e]
    /\ elevator' = [elevator EXCEPT ![e].buttons = @ \cup {person[p].destination}]
    /\ UNCHANGED <<up, down>>

Leave(p) ==
    /\ person[p].elevator # NONE
    /\ LET me == elevator[person[p].elevator] IN
        /\ me.open /\ me.floor = person[p].destination
        /\ person' = [person EXCEPT ![p].floor = me.floor, ![p].elevator = NONE,
                                    ![p].waiting = FALSE]
    /\ UNCHANGED <<elevator, up, down>>

SomebodyMoves(e) ==
    LET me == elevator[e] IN
    \E p \in P :
        \/ person[p].elevator = e /\ person[p].destination = me.floor
        \/ /\ person[p].waiting /\ person[p].floor = me.floor
           /\ Way(person[p].floor, person[p].destination) = me.direction

CloseDoors(e) ==
    /\ elevator[e].open /\ ~SomebodyMoves(e)
    /\ elevator' = [elevator EXCEPT ![e].open = FALSE]
    /\ UNCHANGED <<person, up, down>>

Ahead(me) == {f \in F : IF me.direction = "up" THEN f > me.floor ELSE f < me.floor}
Work(me) == me.buttons \cup up \cup down
GoesOn(me) == /\ ~me.open /\ me.direction # "stationary"
              /\ me.floor \notin me.buttons \cup Calls(me.direction)

Move(e) ==
    LET me == elevator[e] IN
    /\ GoesOn(me) /\ Ahead(me) \cap Work(me) # {}
    /\ elevator' = [elevator EXCEPT ![e].floor = IF me.direction = "up" THEN @ + 1 ELSE @ - 1]
    /\ UNCHANGED <<person, up, down>>

Turn(e) ==
    LET me == elevator[e] IN
    /\ GoesOn(me) /\ Ahead(me) \cap Work(me) = {}
    /\ elevator' = [elevator EXCEPT ![e].direction =
                        IF Work(me) = {} THEN "stationary" ELSE IF @ = "up" THEN "down" ELSE "up"]
    /\ UNCHANGED <<person, up, down>>

Distance(f, g) == IF f < g THEN g - f ELSE f - g

Dispatch(e) ==
    LET me == elevator[e]
        wanted == CHOOSE f \in up \cup down : \A g \in up \cup down :
                    \/ Distance(f, me.floor) < Distance(g, me.floor)
                    \/ (Distance(f, me.floor) = Distance(g, me.floor) /\ f <= g)
        idle == {i \in E : elevator[i].direction = "stationary"}
    IN  /\ me.direction = "stationary" /\ up \cup down # {}
        /\ \A i \in idle :
            LET mine == Distance(me.floor, wanted)
                its == Distance(elevator[i].floor, wanted)
            IN  mine < its \/ (mine = its /\ e <= i)
        /\ elevator' = [elevator EXCEPT ![e].direction =
                            IF wanted # me.floor THEN Way(me.floor, wanted)
                            ELSE IF wanted \in up THEN "up" ELSE "down"]
        /\ UNCHANGED <<person, up, down>>

Next == \/ \E p \in P : \/ CallElevator(p) \/ Leave(p)
                        \/ \E f \in F : PickDestination(p, f)
                        \/ \E e \in E : Enter(p, e)
        \/ \E e \in E : OpenDoors(e) \/ CloseDoors(e) \/ Move(e) \/ Turn(e) \/ Dispatch(e)

Fair == /\ \A p \in P : /\ WF_vars(CallElevator(p)) /\ WF_vars(Leave(p))
                        /\ \A e \in E : WF_vars(Enter(p, e))
        /\ \A e \in E : /\ WF_vars(OpenDoors(e)) /\ WF_vars(CloseDoors(e)) /\ WF_vars(Move(e))
                        /\ WF_vars(Turn(e)) /\ WF_vars(Dispatch(e))
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ Fair

Somewhere == \A p \in P : (person[p].floor = NONE) # (person[p].elevator = NONE)
NoPrisoner == ~\E e \in E, p \in P :
                elevator[e].direction = "stationary" /\ person[p].elevator = e

AnyOpen(direction) == \E e \in E : elevator[e].open /\ elevator[e].direction = direction
Arrives == \A p \in P : person[p].waiting ~>
                (~person[p].waiting /\ person[p].floor = person[p].destination)
UpAnswered == up # {} ~> AnyOpen("up")
DownAnswered == down # {} ~> AnyOpen("down")
DoorsClose == \A e \in E : []<>(~elevator[e].open)
ButtonsGoOut == \A e \in E : elevator[e].buttons # {} ~> elevator[e].buttons = {}
GetsOut == \A p \in P : person[p].elevator # NONE ~> person[p].elevator = NONE
GetsIn == \A p \in P : (person[p].waiting /\ person[p].floor # NONE) ~> person[p].elevator # NONE
Stops == \A e \in E : elevator[e].direction # "stationary" ~>
                (elevator[e].open \/ elevator[e].direction = "stationary")
===============================================================================
