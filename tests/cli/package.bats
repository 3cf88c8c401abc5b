#!/usr/bin/env bats
# What `make install` and `make deb` give: a program, a library, manuals and completions that work.

load helper

# The built program's folder is build/CONFIG; the packages come from the release build.
setup_file() {
    export STAGE="$BATS_FILE_TMPDIR/stage"
    case $LOCKSTEP in
    */release/lockstep) ;;
    *) return 0 ;;
    esac
    make -s BUILD="$(dirname "$(dirname "$LOCKSTEP")")" CONFIG=release prefix=/opt/x DESTDIR="$STAGE" install >/dev/null
}

release_only() {
    case $LOCKSTEP in
    */release/lockstep) ;;
    *) skip "packages are made of the release build" ;;
    esac
}

@test "install puts program, libraries, header, manuals and completions in place" {
    release_only
    cd "$STAGE/opt/x"
    [ -x bin/lockstep ]
    [ -f include/lockstep/lockstep.h ]
    [ -f share/man/man1/lockstep.1 ]
    [ "$(readlink lib/liblockstep.so)" = liblockstep.so.0 ]
    [ -f lib/liblockstep.so.0 ]
    bash -n share/bash-completion/completions/lockstep
    grep -q '^#compdef lockstep' share/zsh/site-functions/_lockstep
    grep -q '^complete -c lockstep' share/fish/vendor_completions.d/lockstep.fish
}

@test "the shared library shows what the public headers declare, and nothing else" {
    release_only
    nm -D --defined-only "$STAGE/opt/x/lib/liblockstep.so" | sed 's/.* //' | sort >"$BATS_TEST_TMPDIR/shown"
    grep -hv '^typedef' include/lockstep/*.h | grep -oE '\blockstep_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$BATS_TEST_TMPDIR/declared"
    # what the library defines is declared; every declared function is defined
    run comm -3 "$BATS_TEST_TMPDIR/shown" "$BATS_TEST_TMPDIR/declared"
    [ -z "$output" ]
}

@test "a program of one's own builds with pkg-config, shared and static, and prints the same report" {
    release_only
    export PKG_CONFIG_PATH="$STAGE/opt/x/lib/pkgconfig"
    lib="$STAGE/opt/x/lib"
    cc -std=c11 -Wall -Wextra -Werror tests/package/example.c -o "$BATS_TEST_TMPDIR/shared" \
        $(pkg-config --define-prefix --cflags --libs lockstep)
    LD_LIBRARY_PATH="$lib" "$BATS_TEST_TMPDIR/shared" testdata/incidents/seed-requeue-60s.log.gz >"$BATS_TEST_TMPDIR/1"
    "$LOCKSTEP" analyze --format json testdata/incidents/seed-requeue-60s.log.gz | cmp - "$BATS_TEST_TMPDIR/1"
    cc -std=c11 tests/package/example.c -o "$BATS_TEST_TMPDIR/static" \
        $(pkg-config --define-prefix --cflags lockstep) "$lib/liblockstep.a" \
        $(pkg-config --static --libs lockstep | sed 's/-llockstep//')
    "$BATS_TEST_TMPDIR/static" testdata/incidents/seed-requeue-60s.log.gz | cmp - "$BATS_TEST_TMPDIR/1"
    [ "$(pkg-config --modversion lockstep)" = "$("$LOCKSTEP" --version | sed 's/lockstep \([0-9.]*\).*/\1/')" ]
}

@test "the Debian package installs, runs and goes away in a scratch root" {
    release_only
    command -v dpkg-shlibdeps >/dev/null || skip "dpkg-dev is not installed"
    build=$(dirname "$(dirname "$LOCKSTEP")")
    # as it is typed, with a relative folder
    package=$(make -s BUILD="$(realpath --relative-to=. "$build")" deb | tail -n 1)
    dpkg-deb -f "$package" Depends | grep -q 'libcjson1'
    dpkg-deb -f "$package" Depends | grep -q 'libkissfft'
    root=$BATS_TEST_TMPDIR/root
    dpkg-deb -f "$package" Depends | grep -q 'libc6'
    dpkg-deb -f "$package" Depends | grep -q 'zlib1g'
    if [ "$(id -u)" -ne 0 ]; then
        dpkg-deb -x "$package" "$root"
        "$root/usr/bin/lockstep" --version
        return
    fi
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
    : >"$root/var/lib/dpkg/status"
    dpkg --root="$root" --force-depends --force-script-chrootless -i "$package"
    [ -f "$root/usr/share/man/man1/lockstep.1.gz" ]
    "$root/usr/bin/lockstep" analyze testdata/incidents/seed-requeue-60s.log.gz | grep -q '60.1 s'
    dpkg --root="$root" --force-depends -r lockstep
    [ ! -e "$root/usr/bin/lockstep" ]
    [ -z "$(find "$root/usr" -type f)" ]
}

@test "uninstall leaves nothing of install" {
    release_only
    make -s BUILD="$(dirname "$(dirname "$LOCKSTEP")")" CONFIG=release prefix=/opt/x DESTDIR="$STAGE" uninstall
    [ -z "$(find "$STAGE" -type f -o -type l)" ]
}
