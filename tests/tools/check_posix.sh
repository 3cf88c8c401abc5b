#!/bin/sh
# check_posix.sh RESULT FILE... — outside #if the sources include no header but those of C11, of POSIX.1-2008 and of
# the libraries: so macOS and the BSDs need no others.  What a machine may lack stands behind a condition.
result=$1
shift
mkdir -p "$(dirname "$result")"
awk '
BEGIN {
    n = split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign" \
        " stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar" \
        " wctype" \
        " arpa/inet dirent dlfcn fcntl fnmatch ftw glob grp iconv langinfo libgen netdb netinet/in poll pthread" \
        " pwd regex sched semaphore spawn strings sys/ipc sys/mman sys/msg sys/resource sys/select sys/sem" \
        " sys/shm sys/socket sys/stat sys/statvfs sys/time sys/times sys/types sys/uio sys/un sys/utsname" \
        " sys/wait syslog tar termios unistd utime wordexp" \
        " zlib bzlib lzma zstd cjson/cJSON kiss_fftr isa-l isa-l/igzip_lib" \
        " getopt sys/ioctl", name, " ") # the last two: in no standard and everywhere
    for (i = 1; i <= n; i++)
        known[name[i] ".h"] = 1
}
FNR == 1 { depth = 0 }
/^[ \t]*#[ \t]*if/ { is_guard[++depth] = /_H[ \t]*$/ }
/^[ \t]*#[ \t]*endif/ { depth-- }
/^[ \t]*#[ \t]*include[ \t]*</ {
    match($0, /<[^>]*>/)
    header = substr($0, RSTART + 1, RLENGTH - 2)
    passed++
    if (header in known || header ~ /^lockstep\//)
        next
    for (i = 1; i <= depth; i++)
        if (!is_guard[i])
            next
    passed--
    failed++
    print FILENAME ":" FNR ": <" header "> is not in POSIX.1-2008 and stands behind no condition"
}
END {
    print "posix: " passed + 0 " passed, " failed + 0 " failed"
    print passed + 0, failed + 0 >result
    exit failed > 0
}' result="$result" "$@"
