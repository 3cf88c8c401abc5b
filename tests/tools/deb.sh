#!/bin/sh
# deb.sh VERSION — $BUILD/lockstep_VERSION_ARCH.deb from the release build, with dpkg's tools.
#
# One package with the program, manuals, completions and the shared library; what else it needs to
# run is what dpkg-shlibdeps finds.
set -eu
version=$1
for tool in dpkg-deb dpkg-shlibdeps dpkg; do
    command -v "$tool" >/dev/null || {
        echo "deb: $tool is not installed (apt-get install dpkg-dev)" >&2
        exit 1
    }
done
arch=$(dpkg --print-architecture)
stage=$BUILD/deb
rm -rf "$stage"
mkdir -p "$stage/root/DEBIAN" "$stage/debian"
root=$(cd "$stage/root" && pwd)
stage=$(dirname "$root") # BUILD may be relative, and there is a cd below

"$MAKE" --no-print-directory -s CONFIG=release prefix=/usr DESTDIR="$root" install >/dev/null
strip --strip-unneeded "$root/usr/bin/lockstep" "$root/usr/lib/liblockstep.so.$version"
strip --strip-debug "$root/usr/lib/liblockstep.a"
find "$root/usr/share/man" -type f -exec gzip -9n {} +
install -d "$root/usr/share/doc/lockstep"
install -m 644 README.md "$root/usr/share/doc/lockstep/"
if [ -f LICENSE ]; then install -m 644 LICENSE "$root/usr/share/doc/lockstep/copyright"; fi

# dpkg-shlibdeps wants to see a source package beside it.
printf 'Source: lockstep\n\nPackage: lockstep\nArchitecture: any\n' >"$stage/debian/control"
depends=$(cd "$stage" && dpkg-shlibdeps -O -l"$root/usr/lib" root/usr/bin/lockstep \
    "root/usr/lib/liblockstep.so.$version" 2>"$stage/shlibdeps.txt" |
    sed -n 's/^shlibs:Depends=//p') || {
    cat "$stage/shlibdeps.txt" >&2
    exit 1
}
case $depends in
*libc6*) ;;
*)
    echo "deb: dpkg-shlibdeps names no libraries" >&2
    cat "$stage/shlibdeps.txt" >&2
    exit 1
    ;;
esac
cat >"$root/DEBIAN/control" <<END
Package: lockstep
Version: $version
Section: admin
Priority: optional
Architecture: $arch
Maintainer: lockstep maintainers <maintainers@lockstep.invalid>
Depends: $depends
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Description: post-incident investigation of retry storms from HTTP access logs
 Reads rotated, compressed access logs after an incident and says whether
 callers came back in step: which fixed delay in a retry path did it, how much
 each retry layer multiplied the load, and how many calls really failed.
END
# ldconfig is run by dpkg's trigger, as for any package with a shared library.
echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
package=$BUILD/lockstep_${version}_$arch.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package"
