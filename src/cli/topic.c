#include "cli/topic.h"

#include "cli/option.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
const lk_topic LK_TOPICS[] = {
    { "quick-start", "the first five minutes of an investigation",
"1. Is the log understood?  Which format, which lines do not fit:\n\n"
"       lockstep formats --explain access.log\n\n"
"2. Was it the retries?  All rotated files at once, in any order, compressed\n"
"   or not; the first three lines of the report are the answer:\n\n"
"       lockstep analyze access.log*\n\n"
"3. If callers share an address (a proxy, a NAT), name what tells them apart:\n\n"
"       lockstep analyze --caller xff access.log*\n\n"
"4. Who, where?  The same for each target, worst first:\n\n"
"       lockstep analyze --by target access.log*\n\n"
"5. A page for those who were not there, without their names in it:\n\n"
"       lockstep analyze --redact all --format html --output r.html access.log*\n\n"
"6. Will it come again?   lockstep watch access.log\n" },
    { "reading", "how to read the report, from the top",
"The first lines are the verdict; 'synchronised' means that callers came back\n"
"together on a delay that their retry path gives to all of them.\n\n"
"Two error rates   that of HTTP attempts and that of calls.  Both are right:\n"
"                  one call is several attempts.\n"
"The incident      when it began, when the load was gone, when it was over;\n"
"                  the tail is the time between the last two.\n"
"Amplification     HTTP attempts for each unit of work; layers multiply.\n"
"Clocks            each period, its constant, who ticks, how waves decay.\n"
"                  'look for' is what to search in the callers' settings.\n"
"Fixed delays      constants in comebacks, those that drive no waves as well.\n"
"How callers ...   the policy that their delays show, and what is wrong in it.\n"
"Capacity          what the server admits against what is asked of it.\n"
"What to change    bound concurrency first, then jitter, then cap attempts.\n"
"Not known         what this log cannot show.  Read it before you conclude.\n\n"
"Every number with its unit: lockstep-report(5).\n" },
    { "clocks", "what a clock is, and which kinds there are",
"Congestion makes noise.  A clean period betrays a clock, and the clock is a\n"
"number in somebody's configuration.\n\n"
"retry        comes only after a failure: a delay in a retry path.  Callers\n"
"             that were refused together come back together.\n"
"scheduled    comes whether or not it was refused: cron, probes, pollers.\n"
"unexplained  periodic, and the log does not show why: no callers to follow.\n\n"
"It takes about two waves where callers can be told apart and statuses are\n"
"logged, four to six by statuses alone, and more by the times alone.  Three\n"
"equal distances in time alone are not enough.\n\n"
"Stamps of whole seconds hide delays and periods under 4.5 s.  A fixed delay\n"
"whose callers do not come together is no clock: it stands under 'Fixed\n"
"delays' only.\n\n"
"Why it was called a clock:  lockstep analyze --explain clock access.log\n"
"Only among some callers:    lockstep analyze --population 'python*' access.log\n" },
    { "calls", "attempts, calls, tasks: what is counted",
"attempt   one HTTP request as the access log saw it\n"
"call      one unit of work of the application: one or more attempts; it\n"
"          fails only when its last attempt failed\n"
"task      one unit of work of a job runner: one or more calls\n"
"rejection an attempt refused for capacity: 429, 503, 529, or --rejected LIST\n\n"
"Calls are told by an id where the log has one (an invocation or request id,\n"
"an idempotency key, --call-id FIELD, --task-id FIELD), else inferred from\n"
"caller, method, target, user agent and time; the report says which.\n"
"The callers' own record settles it: --sdk-log FILE.\n\n"
"Every rejected attempt is in a call that recovered, in one that failed, in\n"
"one still open at the end, or in none that can be told: the account adds up.\n" },
    { "policies", "retry policies by name, and how to try one",
"fixed                d, always the same: synchronises\n"
"exponential          base * factor^k up to a cap, no jitter: synchronises\n"
"equal-jitter         half of it fixed, half random\n"
"full-jitter          uniform from 0 to it: spreads best\n"
"decorrelated-jitter  uniform from base to 3 * the delay before, up to a cap\n"
"percent-jitter       +-p of it: as bad as none for a small p\n"
"retry-after-exact    what the server says, to the second: synchronises\n"
"retry-after-jitter   that, and a random part more\n"
"immediate, none      at once; never\n\n"
"Try before the incident, and size against what the server admits:\n\n"
"    lockstep simulate outage --policy 'full-jitter:base=1,cap=60;fixed:base=5'\n"
"    lockstep plan --callers 400 --allowance 4000/min --base 1 --cap 8\n\n"
"Judge a window by its width against what the server needs to refill for the\n"
"next request, not by its share of the delay.\n" },
    { "logs", "which logs are read, and what to do with others",
"Recognised by themselves, each file for itself: Apache, nginx (combined with\n"
"further columns), ingress-nginx, Caddy, IIS, HAProxy, Envoy, Istio, Traefik,\n"
"Squid, AWS ALB/ELB/CloudFront/S3, Google, Azure, Cloudflare, Heroku, JSON\n"
"lines, logfmt; inside syslog, docker, CRI, journald.\n\n"
"    lockstep formats                       lists them\n"
"    lockstep formats --explain FILE        shows how a file is read\n\n"
"Others:  --log-format 'nginx:...' or 'apache:...'  as in the configuration\n"
"         --json-keys time=ts,status=res.code       for JSON lines\n"
"         --tz Europe/Berlin                        stamps without a zone\n\n"
"The more a log holds the more can be known.  Worth adding, in this order: the\n"
"time a request took, fractions of seconds, an id of the call, Retry-After.\n" },
    { "watching", "a log that is being written",
"    lockstep watch /var/log/nginx/access.log\n"
"    tail -F access.log | lockstep watch --json\n"
"    lockstep watch access.log --exec /usr/local/bin/page-me\n\n"
"An alert when a clock appears and one when it has faded, each once; a line a\n"
"minute otherwise, of the minutes of the log's own stamps (-q: none).\n\n"
"Files are followed through rotation by rename and by copytruncate.  Memory\n"
"is bounded for ever: the last half hour is looked at (--window).\n"
"--exec runs a program without a shell; the alert is JSON on its standard\n"
"input and LOCKSTEP_... in its environment.\n" },
    { "exit-status", "what the exit statuses mean",
"0    the report was made (a reader that goes away early is no failure)\n"
"1    --fail-on WHAT was given, and it was found\n"
"2    wrong use: an unknown command or option, or a value that makes no sense\n"
"3    an input could not be read, was damaged, or held no line that is a\n"
"     request; the report of what could be read is still printed\n"
"4    the output could not be written\n"
"130  interrupted: the report covers what was read until then\n"
"143  terminated\n\n"
"In a pipeline of tests, a number is the most that is allowed:\n\n"
"    lockstep analyze --fail-on synchronised,amplification=5 access.log\n" },
    { "privacy", "what leaves the machine, and how names are hidden",
"Nothing leaves the machine: lockstep opens no connection and writes no file\n"
"but those that you name (and a log's folder is looked at by watch).\n\n"
"A report holds user agents, targets and hosts, and addresses in the lines\n"
"that it quotes as unreadable.  To hand it on:\n\n"
"    lockstep analyze --redact all access.log\n"
"    lockstep analyze --redact callers,targets access.log\n\n"
"Pseudonyms are numbers; with --redact-key FILE they are the same in every\n"
"report made with that key, so that two can be compared.\n"
"What comes from a log is escaped: nothing in it acts on a terminal.\n" },
    { NULL, NULL, NULL },
};
/* clang-format on */

const lk_topic *lk_topic_find(const char *name)
{
    for (const lk_topic *t = LK_TOPICS; t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

void lk_topic_list(lk_buf *out)
{
    lk_buf_text(out, "Topics:\n");
    for (const lk_topic *t = LK_TOPICS; t->name; t++)
        lk_opt_help_row(t->name, t->help, out);
}
