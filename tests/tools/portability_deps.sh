#!/bin/sh
# portability_deps.sh FOLDER — the libraries that `make portability` builds against, from Debian's archive, unpacked
# below FOLDER/<machine>: nothing is installed, no rights are needed.
#
# i386 and s390x: Debian's packages as they are.  musl: zlib, cJSON, kissfft and cmocka from their source packages,
# built with musl-gcc.
set -eu
folder=$1
packages="zlib1g-dev zlib1g libcjson-dev libcjson1 libkissfft-dev libkissfft-float131 libcmocka-dev libcmocka0
    libzstd-dev libzstd1 liblzma-dev liblzma5 libbz2-dev libbz2-1.0"

command -v apt-get >/dev/null || {
    echo "portability: no apt-get here" >&2
    exit 1
}
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
folder=$(cd "$folder" && pwd)
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
for kind in deb deb-src; do
    echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main"
done >"$folder/sources.list"

# Lists of its own, so that other machines' packages need no `dpkg --add-architecture`.
archive() {
    apt-get -qq -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o Debug::NoLocking=1 \
        -o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=- -o APT::Sandbox::User=root \
        -o APT::Architectures::=amd64 -o APT::Architectures::=i386 -o APT::Architectures::=s390x "$@"
}

unpack() {
    machine=$1
    mkdir -p "$folder/$machine/deb"
    for package in $packages; do
        (cd "$folder/$machine/deb" && archive download "$package:$machine")
    done
    for deb in "$folder/$machine"/deb/*.deb; do
        dpkg -x "$deb" "$folder/$machine"
    done
}

pc() { # NAME LIBRARY VERSION INCLUDE
    printf 'Name: %s\nDescription: %s\nVersion: %s\nCflags: -I%s\nLibs: -L%s/lib -l%s\n' \
        "$1" "$1" "$3" "$4" "$root" "$2" >"$root/pkgconfig/$1.pc"
}

# build LIBRARY SOURCE... — from the folder it is called in
build() {
    library=$1
    shift
    for source in "$@"; do
        # shellcheck disable=SC2086 # words
        musl-gcc -O2 -fPIC -w -I. -Iinclude -Dkiss_fft_scalar=float -DHAVE_CONFIG_H=0 ${DEFINES:-} -c "$source"
    done
    ar rcs "$root/lib/lib$library.a" ./*.o
}

musl() {
    root=$folder/musl
    mkdir -p "$root/src" "$root/lib" "$root/pkgconfig"
    (cd "$root/src" && archive source --download-only zlib cjson kissfft cmocka
    for tar in *.orig.tar.*; do
        case $tar in *.asc) ;; *) tar -xf "$tar" ;; esac
    done)
    # shellcheck disable=SC2046 # one folder each
    (cd "$root"/src/zlib-* && DEFINES='-DHAVE_UNISTD_H -DHAVE_STDARG_H' && build z $(ls ./*.c))
    (cd "$root"/src/cJSON-* && build cjson cJSON.c && mkdir -p cjson && cp cJSON.h cjson)
    (cd "$root"/src/kissfft-* && build kissfft-float kiss_fft.c kiss_fftr.c && mkdir -p kissfft && cp ./*.h kissfft)
    (cd "$root"/src/cmocka-* && DEFINES='-DHAVE_SETJMP_H -DHAVE_STDINT_H -DHAVE_INTTYPES_H -DHAVE_STRINGS_H
        -DHAVE_TIME_H -DHAVE_SIGNAL_H -DHAVE_UNISTD_H -DHAVE_STDIO_H -DHAVE_STDLIB_H -DHAVE_STRING_H
        -DHAVE_SNPRINTF -DHAVE_VSNPRINTF -DHAVE_CLOCK_GETTIME -DHAVE_STRUCT_TIMESPEC -DHAVE_CLOCK_REALTIME' &&
        touch config.h && build cmocka src/cmocka.c)
    pc zlib z 1.2.13 "$(echo "$root"/src/zlib-*)"
    pc libcjson cjson 1.7.15 "$(echo "$root"/src/cJSON-*)"
    pc kissfft-float kissfft-float 131 "$(echo "$root"/src/kissfft-*)"
    sed -i 's/^Cflags:/& -Dkiss_fft_scalar=float/' "$root/pkgconfig/kissfft-float.pc"
    pc cmocka cmocka 1.1.5 "$(echo "$root"/src/cmocka-*)/include"
}

archive update
unpack i386
unpack s390x
! command -v musl-gcc >/dev/null || musl
echo "portability: libraries are in $folder"
