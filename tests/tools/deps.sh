#!/bin/sh
# deps.sh [PACKAGE...] — installs what is missing of lockstep's packages and those named.
set -eu
packages="gcc make pkg-config zlib1g-dev libzstd-dev liblzma-dev libbz2-dev libcjson-dev libkissfft-dev libcmocka-dev bats mandoc jq
    python3-jsonschema python3-distributed parallel $*"
optional="libisal-dev" # not on every architecture
libraries="zlib libcjson kissfft-float cmocka"

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

without_apt() {
    # shellcheck disable=SC2086 # names are words
    if "${PKG_CONFIG:-pkg-config}" --exists --print-errors $libraries; then
        echo "deps: no apt-get here; the libraries are installed"
        echo "deps: gzip is read faster where libisal is there"
        echo "deps: zstd, xz and bzip2 are read where libzstd, liblzma and libbz2 are there"
        echo "deps: the tests also need bats, mandoc, jq and python3 with jsonschema; those of tests/scale python3 with distributed, and GNU parallel"
        exit 0
    fi
    echo "deps: no apt-get here: install a C11 compiler, GNU make, pkg-config, zlib, cJSON," \
        "kissfft (float), cmocka, bats, mandoc, jq and python3 with jsonschema" >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "deps: not root and no sudo; run: $*" >&2
        exit 1
    fi
}

command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || without_apt

missing=
for package in $packages; do
    is_installed "$package" || missing="$missing $package"
done
wanted=
for package in $optional; do
    is_installed "$package" || wanted="$wanted $package"
done
if [ -z "$missing$wanted" ]; then
    echo "deps: all packages are installed"
    exit 0
fi
echo "deps: installing$missing$wanted"
as_root apt-get update -q
install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}
# shellcheck disable=SC2086 # names are words
[ -z "$missing" ] || install $missing
for package in $wanted; do
    install "$package" || echo "deps: no $package here: gzip is read by zlib, slower"
done
