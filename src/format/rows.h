/* format/rows — the rows of LK_FORMATS, one file each family, and what of a line they are given. */
#ifndef LK_FORMAT_ROWS_H
#define LK_FORMAT_ROWS_H

#include "format/layout.h"

/* clf_lines.c */
extern const lk_format LK_FORMAT_COMBINED, LK_FORMAT_COMBINED_EXT, LK_FORMAT_COMMON,
    LK_FORMAT_INGRESS;
/* json_families.c */
extern const lk_format LK_FORMAT_JSON, LK_FORMAT_CADDY, LK_FORMAT_TRAEFIK, LK_FORMAT_ENVOY_JSON,
    LK_FORMAT_GCP, LK_FORMAT_AZURE_APPGW, LK_FORMAT_AZURE_FRONTDOOR, LK_FORMAT_API_GATEWAY,
    LK_FORMAT_CLOUDFLARE, LK_FORMAT_ECS;
/* envoy.c */
extern const lk_format LK_FORMAT_ENVOY, LK_FORMAT_ISTIO;
/* haproxy.c, haproxy_clf.c */
extern const lk_format LK_FORMAT_HAPROXY, LK_FORMAT_HAPROXY_CLF;
/* squid.c */
extern const lk_format LK_FORMAT_SQUID, LK_FORMAT_SQUID_COMBINED;
/* traefik_clf.c */
extern const lk_format LK_FORMAT_TRAEFIK_CLF;
/* app_lines.c */
extern const lk_format LK_FORMAT_APP;
/* werkzeug.c */
extern const lk_format LK_FORMAT_WERKZEUG;
/* heroku.c, logfmt.c, ltsv.c */
extern const lk_format LK_FORMAT_HEROKU, LK_FORMAT_LOGFMT, LK_FORMAT_LTSV;

/* aws_alb.c, aws_elb.c, aws_s3.c, aws_cloudfront.c */
extern const lk_format LK_FORMAT_AWS_ALB, LK_FORMAT_AWS_ELB, LK_FORMAT_AWS_S3,
    LK_FORMAT_AWS_CLOUDFRONT;
/* w3c.c */
extern const lk_format LK_FORMAT_W3C;

/* custom_line.c; not in the list, for no line shows it */
extern const lk_format LK_FORMAT_CUSTOM;

/* Without blanks in front and without blanks and a CR behind; empty for a line that is ignored, a
 * blank one or a comment. */
lk_slice lk_line_body(lk_slice line);

/* Gives a line that begins with '#' to the rows that want it. */
void lk_line_directive(lk_parse_cache *c, lk_slice line);

#endif
