#!/usr/bin/env bats
# Completion scripts: what a shell offers is what the program takes.

load helper

# offers WORD... — what bash would offer for the last word of the line
offers() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _lockstep
    echo "${COMPREPLY[*]}"
}

@test "bash completes commands, options and values" {
    source <("$LOCKSTEP" completion bash)
    [ "$(offers lockstep ana)" = analyze ]
    [ "$(offers lockstep analyze --log-f)" = --log-format ]
    [ "$(offers lockstep analyze --color al)" = always ]
    [ "$(offers lockstep analyze --format js)" = json ]
    [ "$(offers lockstep formats --log-format traefik-)" = traefik-clf ]
    [ "$(offers lockstep completion f)" = fish ]
    [ "$(offers lockstep help sche)" = schema ]
    [ "$(offers lockstep analyze READM)" = README.md ]
}

@test "bash is offered every option of every command" {
    source <("$LOCKSTEP" completion bash)
    for command in $("$LOCKSTEP" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        for option in $("$LOCKSTEP" help "$command" | sed -n '/^Options:/,/^$/p' | grep -oE -e '^  (-., |    )?--[a-z-]+' | grep -oE -e '--[a-z-]+'); do
            [[ " $(offers lockstep "$command" "$option") " == *" $option "* ]]
        done
    done
}

@test "the scripts are sound in the shells that are installed" {
    for shell in bash zsh fish; do
        "$LOCKSTEP" completion "$shell" >"$BATS_TEST_TMPDIR/$shell"
        ! command -v "$shell" >/dev/null || "$shell" -n "$BATS_TEST_TMPDIR/$shell"
    done
}

@test "no shell, or one that is not known, is told" {
    run -2 "$LOCKSTEP" completion
    run -2 "$LOCKSTEP" completion zs
    [[ $output == *"did you mean 'zsh'"* ]]
}
