#!/bin/sh
# pkgconfig.sh PREFIX LIBDIR INCLUDEDIR VERSION 'PACKAGE...' 'LIBS' — lockstep.pc on standard output.
#
# Folders below PREFIX stay relative to it, so that --define-prefix and a staging folder work.
prefix=$1
below() {
    case $1 in
    "$prefix"/*) printf '${prefix}/%s' "${1#"$prefix"/}" ;;
    *) printf '%s' "$1" ;;
    esac
}
cat <<END
prefix=$prefix
libdir=$(below "$2")
includedir=$(below "$3")

Name: lockstep
Description: post-incident investigation of retry storms from HTTP access logs
Version: $4
Requires.private: $(echo "$5" | tr -s ' ')
Libs: -L\${libdir} -llockstep
Libs.private: $(echo "$6" | sed 's/^ *//') -pthread
Cflags: -I\${includedir}
END
