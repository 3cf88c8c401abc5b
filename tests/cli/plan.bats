load helper

@test "plan says what it cannot size, and how often two that collided part" {
    lockstep plan
    ended_with 2
    complained "nothing is to be sized"
    lockstep plan --callers -5
    ended_with 2
    complained "'-5' is not a number from 0 on"
    lockstep plan --collisions 2
    says "two that collided part with    75 %"
    lockstep plan --base 1 --deadline 90 --horizon 60
    says "of no use after 60 s"
}

@test "plan says that nothing drains where more is reserved than comes in" {
    lockstep plan --backlog 1180 --cost 28000 --refill 2000000/min --reserved 3000000/min
    ended_with 0
    says "tasks a minute                 0"
    says "without end"
    lockstep plan --backlog 1180 --cost 28000 --refill 2000000/min --reserved 0
    ended_with 0
    says "991 s (16.5 min)"
}
