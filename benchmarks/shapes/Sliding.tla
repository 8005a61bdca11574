------------------------------- MODULE Sliding -------------------------------
\* sliding.py: pieces slide on a board of 4 columns and 5 rows.
EXTENDS Integers, Sequences
CONSTANTS Pieces

P == 0 .. Pieces - 1

\* Width, height, first column and first row of each piece.
Shapes == << <<2, 2, 1, 0>>, <<1, 2, 0, 0>>, <<1, 2, 3, 0>>, <<1, 2, 0, 2>>,
             <<2, 1, 1, 2>>, <<1, 1, 1, 3>>, <<1, 1, 2, 3>>, <<1, 2, 3, 2>> >>
Moves == {<<0, -1>>, <<0, 1>>, <<1, 0>>, <<-1, 0>>}

VARIABLES piece

Init == piece = [i \in P |-> <<Shapes[i + 1][3], Shapes[i + 1][4]>>]

CellsAt(i, x, y) ==
    {<<x + dx, y + dy>> : dx \in 0 .. Shapes[i + 1][1] - 1, dy \in 0 .. Shapes[i + 1][2] - 1}
Cells(i) == CellsAt(i, piece[i][1], piece[i][2])

Slide(i, d) ==
    LET moved == CellsAt(i, piece[i][1] + d[1], piece[i][2] + d[2]) IN
    /\ \A c \in moved : c[1] \in 0 .. 3 /\ c[2] \in 0 .. 4
    /\ \A j \in P \ {i} : moved \cap Cells(j) = {}
    /\ piece' = [piece EXCEPT ![i] = <<@[1] + d[1], @[2] + d[2]>>]

Next == \E i \in P, d \in Moves : Slide(i, d)
Spec == Init /\ [][Next]_piece

Apart == \A a, b \in P : a # b => Cells(a) \cap Cells(b) = {}
===============================================================================
