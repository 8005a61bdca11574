# Sourced by the scripts beside it, which have set $root; the rest of the file is functions.
#
# install EXTRAS  makes $root/.venv hold this package, in place, with these extras ("" for none).

venv=$root/.venv

# The tests start Python hundreds of times, and where it keeps no bytecode each start compiles all
# modules of this package, which takes longer than most of the tests.
unset PYTHONDONTWRITEBYTECODE

# Says that something is missing and ends the script.
give_up() {
    echo "$0: $*" >&2
    exit 1
}

# Sets $python to an interpreter that is new enough and can make virtual environments.
find_python() {
    found=
    for python in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11; do
        command -v "$python" >/dev/null 2>&1 || continue
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            # Debian ships these two apart from the interpreter.
            "$python" -c 'import ensurepip, venv' 2>/dev/null && return
            found="$python lacks the module venv or ensurepip"
        elif test -z "$found"; then
            found="$("$python" --version 2>&1) is too old"
        fi
    done
    give_up "${found:-there is no Python}: Python 3.11 or newer with venv is needed;" \
        "on Debian: apt install python3 python3-venv"
}

# Whether .venv is whole, runs, is new enough, and lies where it was made: its commands hold the
# path of its interpreter, so that those of a copy would run the original's.
sound() {
    test ! -e "$venv/unfinished" &&
        "$venv/bin/python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null &&
        grep -qF "$venv/bin/python" "$venv/bin/pip" 2>/dev/null
}

# Prints the first line that the stamp should have: what was installed, and from where.
wanted_stamp() {
    (cd "$root" && cat setup.cfg pyproject.toml setup.py) | cksum | tr '\n' ' '
    printf '%s\n' "$root"
}

# Whether .venv holds this package with the extras $1; whoever has extras has the plain package too.
installed() {
    test -f "$venv/stamp" &&
        test "$(sed -n 1p "$venv/stamp")" = "$(wanted_stamp)" &&
        { test -z "$1" || test "$(sed -n 2p "$venv/stamp")" = "$1"; } &&
        sound
}

install() {
    installed "$1" && return
    find_python
    # A lock that the kernel keeps is gone with its holders, however they end.  It belongs to the
    # open file, so the one that this Python takes stays with the shell.
    exec 9<"$root/scripts/venv.sh"
    "$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)' 2>/dev/null || {
        echo "Waiting for another script that sets up $venv ..." >&2
        "$python" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)'
    }
    if ! installed "$1"; then
        echo "Setting up $venv ..." >&2
        rm -f "$venv/stamp"
        if ! sound; then
            rm -rf "$venv"
            mkdir "$venv"
            : >"$venv/unfinished"
            "$python" -m venv "$venv"
        fi
        : >"$venv/unfinished"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --editable "$root${1:+[$1]}" || {
            # Pip has undone what it did, so there is nothing to throw away.
            rm "$venv/unfinished"
            give_up "pip failed; the lines above say why"
        }
        { wanted_stamp && echo "$1"; } >"$venv/stamp.new"
        mv "$venv/stamp.new" "$venv/stamp"
        rm "$venv/unfinished"
    fi
    exec 9<&-
}
