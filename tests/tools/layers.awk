# awk -f layers.awk src/LAYERS FILE... — prints every #include that the layering forbids.
#
# src/LAYERS has lines "folder: folders it may include"; a folder may always include itself.
# include/lockstep/ is the folder "lockstep", which includes only itself.

BEGIN {
    known["lockstep"] = 1
    home["zlib.h"] = "src/input/gzip.c"
    home["kiss_fft.h"] = home["kiss_fftr.h"] = "src/infer/spectrum.c"
    home["cJSON.h"] = "src/model/json.c"
}

function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
}

FILENAME == ARGV[1] {
    sub(/#.*/, "")
    if (split($0, row, ":") < 2)
        next
    gsub(/[ \t]/, "", row[1])
    known[row[1]] = 1
    count = split(row[2], to, " ")
    for (i = 1; i <= count; i++)
        may[row[1], to[i]] = named[to[i]] = 1
    next
}

FNR == 1 {
    split(FILENAME, path, "/")
    from = path[2]
    if (!(from in known))
        complain("unknown folder " from)
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    match($0, /["<][^">]*[">]/)
    name = substr($0, RSTART + 1, RLENGTH - 2)
    last = name
    sub(/.*\//, "", last)
    if (last in home) {
        if (FILENAME != home[last])
            complain(last " belongs in " home[last] " alone")
        next
    }
    if (substr($0, RSTART, 1) == "<")
        next
    if (split(name, part, "/") < 2)
        complain("write \"folder/" name "\"")
    else if (!(part[1] in known))
        complain("unknown folder " part[1])
    else if (from != part[1] && !((from, part[1]) in may))
        complain(from " may not include " part[1])
}

END {
    for (folder in named)
        if (!(folder in known)) {
            printf "%s: unknown folder %s\n", ARGV[1], folder
            bad = 1
        }
    exit bad
}
