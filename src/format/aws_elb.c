/* The row of AWS Classic Load Balancers.  The stamp is when the request came. */
#include "format/aws_balancer.h"
#include "format/rows.h"

static bool parse_elb(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                      lk_reject *why)
{
    lk_balancer b;

    (void)l;
    (void)c;
    if (!lk_balancer_read(line, &b, out, why))
        return false;
    out->moment = LK_MOMENT_START;
    out->took_ns = b.timed_ns;
    return true;
}

static bool observe_elb(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why;

    (void)s;
    return parse_elb(NULL, c, line, out, &why);
}

static void decide_elb(const lk_sniffer *s, lk_layout *out)
{
    (void)s;
    out->moment = LK_MOMENT_START;
}

const lk_format LK_FORMAT_AWS_ELB = {
    .name = "aws-elb",
    .moment = "start",
    .resolution = "1 us",
    .help = "access log of an AWS Classic Load Balancer",
    .parse = parse_elb,
    .observe = observe_elb,
    .decide = decide_elb,
};
