#!/bin/sh
# portability.sh BUILD [MACHINE...] — builds the program and runs the unit tests for other machines, one after
# another, and says which it skips and why; below BUILD/portability.
#
# m32      32 bits (gcc -m32)
# musl     another C library (musl-gcc)
# s390x    big-endian (cross compiler, qemu-user)
# posix    none of Linux's own ways: as on macOS or a BSD, as far as Linux can show that
#
# Without optimisation, which changes nothing here and takes most of the time.  UNIT="hash scale" for some tests.
# The libraries are those of `make portability-deps`.
set -u
build=$1
shift
[ $# -gt 0 ] || set -- posix m32 musl s390x
work=$(pwd)/$build/portability
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1

skip() {
    echo "== $machine: SKIPPED, $1"
}

compiles() {
    echo 'int main(void) { return 0; }' >"$tmp/x.c"
    "$@" -o "$tmp/x" "$tmp/x.c" >/dev/null 2>&1
}

# run MAKE-ARGUMENT... — the program, then the unit tests with $RUNNER before them
run() {
    echo "== $machine"
    : >"$tmp/log"
    set -- "$@" --no-print-directory BUILD="$build/portability/$machine-build" CONFIG=release WERROR=1 CFLAGS=-O0 FRAME_LIMIT=
    if "${MAKE:-make}" "$@" all unit-built && "${MAKE:-make}" "$@" check-unit >"$tmp/log" 2>&1; then
        tail -n 1 "$tmp/log"
    else
        cat "$tmp/log"
        echo "FAILED portability: $machine"
        bad=1
    fi
}

# debian TRIPLE MACHINE — pkg-config for the libraries unpacked below MACHINE
debian() {
    root=$work/$2
    export PKG_CONFIG_LIBDIR="$root/usr/lib/$1/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
    libraries=$root/usr/lib/$1
}

for machine in "$@"; do
    unset RUNNER PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
    case $machine in
    posix)
        run CPPFLAGS='-U__linux__ -U__linux -Ulinux -U__gnu_linux__'
        ;;
    m32)
        debian i386-linux-gnu i386
        if ! compiles gcc -m32; then
            skip "gcc -m32 does not link (gcc-multilib)"
        elif [ ! -d "$libraries" ]; then
            skip "no libraries: make portability-deps"
        elif ! "$tmp/x" 2>/dev/null && ! command -v qemu-i386-static >/dev/null; then
            skip "this machine runs no 32-bit programs, and there is no qemu-i386 (qemu-user-static)"
        else
            "$tmp/x" 2>/dev/null || export RUNNER=qemu-i386-static
            run CC="gcc -m32 -Wno-psabi" CPPFLAGS="-idirafter $root/usr/include -idirafter /usr/include/$(gcc -dumpmachine)" \
                LDFLAGS="-L$libraries -Wl,-rpath,$libraries"
        fi
        ;;
    musl)
        export PKG_CONFIG_LIBDIR="$work/musl/pkgconfig"
        if ! compiles musl-gcc; then
            skip "no musl-gcc (musl-tools)"
        elif [ ! -d "$work/musl/lib" ]; then
            skip "no libraries: make portability-deps"
        else
            run CC=musl-gcc HAVE_BZIP2=
        fi
        ;;
    s390x)
        debian s390x-linux-gnu s390x
        cc=$(command -v s390x-linux-gnu-gcc || command -v s390x-linux-gnu-gcc-12)
        qemu=$(command -v qemu-s390x-static || command -v qemu-s390x)
        if [ -z "$cc" ] || ! compiles "$cc"; then
            skip "no s390x-linux-gnu-gcc that links (gcc-s390x-linux-gnu)"
        elif [ -z "$qemu" ]; then
            skip "no qemu-s390x (qemu-user-static)"
        elif [ ! -d "$libraries" ]; then
            skip "no libraries: make portability-deps"
        else
            export RUNNER="$qemu -L /usr/s390x-linux-gnu"
            run CC="$cc" AR=s390x-linux-gnu-ar CPPFLAGS="-idirafter $root/usr/include" \
                LDFLAGS="-L$libraries -Wl,-rpath,$libraries -Wl,-rpath-link,$libraries"
        fi
        ;;
    *)
        echo "portability: '$machine' is none of posix, m32, musl, s390x" >&2
        bad=1
        ;;
    esac
done
exit $bad
