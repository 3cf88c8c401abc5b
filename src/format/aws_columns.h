/* format/aws_columns — columns that stand between blanks, bare or "quoted", and what the formats of load
 * balancers and object stores share in them.
 *
 * Owner:  results point into the argument, or are "/" and the like in constant memory.
 * Source: AWS documentation of ELB, ALB and S3 access logs.  */
#ifndef LK_FORMAT_AWS_COLUMNS_H
#define LK_FORMAT_AWS_COLUMNS_H

#include "base/slice.h"

/* The next column, without its quotes; *rest moves behind it.  False when there is none, or a
 * quoted one that never closes: then *rest is empty. */
bool lk_aws_column(lk_slice *rest, lk_slice *out);

/* Three digits, or the "0" of servers that sent nothing. */
bool lk_aws_status(lk_slice v, unsigned *status);

/* "203.0.113.7:2817", "2001:db8::7:2817" and "[2001:db8::7]:2817" without the port, which is
 * always there. */
lk_slice lk_aws_peer(lk_slice v);

/* "h.example:443" and "[::1]:443" without the port, "::1" as it is. */
lk_slice lk_aws_host(lk_slice v);

/* The host of "GET https://h.example:443/p HTTP/1.1"; NONE when there is none. */
lk_slice lk_aws_url_host(lk_slice request);

#endif
