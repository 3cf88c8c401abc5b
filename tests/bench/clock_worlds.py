#!/usr/bin/env python3
"""Made-up access logs of many kinds, clocks planted or not, and what the program says of them.

usage: clock_worlds.py run PROGRAM [--kinds A,B] [--seeds 1,2] [--formats combined,nginx,json] [--keep DIR]
       clock_worlds.py write KIND SEED FORMAT FILE

`run` prints Markdown: by kind, of how many logs the verdict, the kind of clock and the period (2 %) are
right.  `write` writes one log.  The same kind and seed give the same bytes.  Standard library only.

Formats: combined (whole seconds, of the end), combined-start (of the start), nginx (combined with a duration,
milliseconds and an id), json (milliseconds).
"""
import argparse
import datetime
import json
import math
import os
import random
import subprocess
import sys
import tempfile

EPOCH_S = 1782000000  # 21 June 2026, a full minute
BROWSERS = ["Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0",
            "Mozilla/5.0 (Windows NT 10.0) Chrome/126.0", "okhttp/4.9.3"]
ALL, ONE = "each its own", "one for all"


class World:
    """Requests as (second, duration, address, agent, path, status, method, Retry-After)."""

    def __init__(self, seed, span_s):
        self.random = random.Random(seed)
        self.span_s = span_s
        self.requests = []

    def request(self, at, address, agent, path, status, took=0.05, method="GET", retry_after=None):
        if 0 <= at < self.span_s:
            self.requests.append((at, took, address, agent, path, status, method, retry_after))

    def service(self, typical_s, spread=0.4):
        return self.random.lognormvariate(math.log(typical_s), spread)

    def traffic(self, rate, failed=0.01, users=400, outage=None, failed_then=0.9):
        """Poisson arrivals of many users; in the outage (from, to) other shares fail."""
        at = self.random.expovariate(rate)
        while at < self.span_s:
            bad = failed_then if outage and outage[0] <= at < outage[1] else failed
            self.request(at, address(10, self.random.randrange(users)), self.random.choice(BROWSERS),
                         "/p/%d" % self.random.randrange(30),
                         503 if self.random.random() < bad else 200, self.service(0.05, 0.6))
            at += self.random.expovariate(rate)

    def pollers(self, n, period, path, agent, phase=None, jitter=0.02, fails=lambda at: False, net=20):
        """Callers that come every period, whatever the answer; phase None = each its own."""
        for i in range(n):
            at = self.random.random() * period if phase is None else phase
            while at < self.span_s:
                self.request(at + self.random.uniform(0, jitter), address(net, i), agent, path,
                             503 if fails(at) else 200, self.service(0.02, 0.3))
                at += period

    def crowd(self, n, period, path, agent, phase, jitter=0.1):
        """n requests every period, each of a new address."""
        at = phase
        while at < self.span_s:
            for _ in range(n):
                self.request(at + self.random.uniform(0, jitter), address(60, self.random.randrange(10**6)),
                             agent, path, 200, 0.02)
            at += period

    def herd(self, n, delay, trigger, fails_again, width=1.0, path="/v1/jobs", agent="python-requests/2.31.0",
             status=429, took=0.05, slop=0.005, tries=12, addresses=ALL, retry_after=None, ends_at=None):
        """n callers refused about the trigger; each waits delay(k) s from the end and tries again."""
        for i in range(n):
            at = trigger + self.random.random() * width
            who = address(40, i if addresses == ALL else 0 if addresses == ONE else i % addresses)
            for k in range(tries + 1):
                lasts = self.service(took)
                if ends_at is not None and k == 0:
                    lasts = max(0.01, ends_at - at)
                refused = k == 0 or self.random.random() < fails_again
                self.request(at, who, agent, path, status if refused else 200, lasts, "POST",
                             retry_after if refused else None)
                if not refused:
                    break
                at += lasts + delay(k) + self.random.expovariate(1 / slop)


def address(net, i):
    return "%d.%d.%d.%d" % (net, i // 62500 % 250, i // 250 % 250, i % 250 + 1)


def fixed(seconds):
    return lambda k: seconds


def in_turn(*seconds):
    return lambda k: seconds[k % len(seconds)]


# ---- kinds ----------------------------------------------------------------------------------

KINDS = {}


def kind(span_s, retry=(), other=()):
    """retry: periods of retry clocks, one of which must be named and no other called one; other: periods of
    clocks of which one must be named as no retry clock.  Neither: no retry clock may be reported."""
    def add(make):
        KINDS[make.__name__.replace("_", "-")] = (make, span_s, retry, other)
        return make
    return add


@kind(1800, retry=[30.06])
def fixed_delay(w):
    w.traffic(5)
    w.herd(250, fixed(30.0), 500, 0.7)


@kind(1800, retry=[20.06])
def retry_after_obeyed(w):
    w.traffic(5)
    w.herd(250, fixed(20.0), 500, 0.7, retry_after=20)


@kind(1800, retry=[15.06])
def one_address_for_all(w):
    w.traffic(3)
    w.herd(200, fixed(15.0), 400, 0.8, addresses=ONE, tries=15)


@kind(1800, retry=[15.06])
def twelve_addresses(w):
    w.traffic(3)
    w.herd(200, fixed(15.0), 500, 0.85, addresses=12, tries=20)


@kind(1800, retry=[20.06])
def three_waves(w):
    w.traffic(4)
    w.herd(250, fixed(20.0), 600, 0.75, tries=3)


@kind(1800, retry=[21.9])
def drift_by_service_time(w):
    w.traffic(4)
    w.herd(300, fixed(20.0), 500, 0.8, width=1.5, took=1.5, slop=0.3, tries=14)


@kind(1800, retry=[10.06])
def crash_ends_calls(w):
    w.traffic(4)
    w.herd(250, fixed(10.0), 500, 0.75, width=30, path="/stream", status=502, ends_at=531.0)


@kind(1800, retry=[12.05, 60.15])
def delay_inside_cycle(w):
    w.traffic(3)
    w.herd(400, in_turn(12.0, 12.0, 36.0), 400, 0.88, tries=24)


@kind(1800, retry=[84.15, 60.05, 12.05])
def cycle_of_a_sum(w):
    w.traffic(3)
    w.herd(400, in_turn(12.0, 12.0, 60.0), 400, 0.88, tries=24)


@kind(1800, retry=[20.06])
def missing_chunk(w):
    w.traffic(5)
    w.herd(250, fixed(20.0), 500, 0.8, tries=20)
    w.requests = [r for r in w.requests if not 590 <= r[0] < 675]


@kind(86400, retry=[12.06])
def ten_minutes_of_a_day(w):
    w.traffic(1.5)
    w.herd(200, fixed(12.0), 47000, 0.93, tries=50)


@kind(1800, retry=[1.05])
def one_second_delay(w):
    """Too short for whole seconds: see BELOW_WHOLE_SECONDS."""
    w.traffic(8)
    w.herd(300, fixed(1.0), 600, 0.85, width=0.2, tries=30)


@kind(1500)
def doubling_delay(w):
    """Together, but no clock: 2, 4, 8 ... s."""
    w.traffic(3)
    w.herd(300, lambda k: min(2.0 * 2**k, 64), 400, 0.8, status=503, tries=5)


def pulls(w, begun_within_s):
    """Pulls of 120 nodes that back off 10, 20, 40 ... 300 s."""
    w.traffic(3, outage=(600, 2400))
    for i in range(120):
        at = 600 + w.random.random() * begun_within_s
        for k in range(14):
            lasts, refused = 0.05 + w.random.random() * 0.05, at < 2400
            w.request(at, address(42, i), "containerd/1.7", "/v2/app/manifests/latest",
                      503 if refused else 200, lasts)
            if not refused:
                break
            at += lasts + min(10 * 2**k, 300)


@kind(3600, retry=[300.08])
def registry_outage(w):
    """Begun within a minute: at their cap of 300 s they are together."""
    pulls(w, 60)


@kind(3600)
def registry_outage_apart(w):
    pulls(w, 300)


@kind(1800)
def full_jitter(w):
    w.traffic(4)
    w.herd(300, lambda k: w.random.random() * min(2.0**k * 2, 60), 500, 0.8, status=503)


@kind(1800)
def equal_jitter(w):
    w.traffic(4)
    w.herd(300, lambda k: (0.5 + 0.5 * w.random.random()) * 20, 500, 0.8, status=503)


@kind(2400)
def fixed_delay_apart(w):
    """Failures at random: a fixed delay, but nobody comes together."""
    w.traffic(2)
    for i in range(2400 * 3):
        at = w.random.random() * 2400
        for _ in range(6):
            refused = w.random.random() < 0.12
            w.request(at, address(45, i), "rq-worker/1.15", "/api/item", 503 if refused else 200, 0.05, "POST")
            if not refused:
                break
            at += 10.05 + w.random.expovariate(100)


@kind(3600)
def failures_at_random(w):
    w.traffic(12, failed=0.05)


@kind(8 * 3600, other=[1200])
def twenty_minute_pollers(w):
    w.traffic(1)
    w.pollers(40, 1200, "/sync", "Agent/2.1", phase=w.random.random() * 1200, jitter=0.5)


@kind(5400, other=[30])
def monitors_in_phase(w):
    w.traffic(3)
    w.pollers(14, 30, "/health", "UptimeRobot/2.0", phase=7.3)


@kind(5400, other=[30])
def monitors_of_an_outage(w):
    w.traffic(3, outage=(1500, 3000), failed_then=0.3)
    w.pollers(14, 30, "/health", "UptimeRobot/2.0", phase=7.3, fails=lambda at: 1500 < at < 3000)


@kind(3600, other=[10])
def probes_of_an_outage(w):
    w.traffic(4, outage=(1000, 2500), failed_then=0.4)
    w.pollers(12, 10, "/healthz", "kube-probe/1.29", fails=lambda at: 1000 < at < 2500)


@kind(3600, other=[10])
def probes_refused_throughout(w):
    w.traffic(4)
    w.pollers(9, 10, "/healthz", "kube-probe/1.29", phase=3.0, fails=lambda at: True)


@kind(3600)
def probes_refused_throughout_apart(w):
    w.traffic(4)
    w.pollers(9, 10, "/healthz", "kube-probe/1.29", fails=lambda at: True)


@kind(3600, other=[15])
def scrapes(w):
    w.traffic(3)
    w.pollers(5, 15, "/metrics", "Prometheus/2.51", jitter=0.004)


@kind(3600, other=[60])
def cron_lines(w):
    w.traffic(3)
    w.pollers(60, 60, "/api/report", "curl/7.88", phase=0.3, jitter=0.3)


@kind(3600, other=[60])
def cron_lines_of_an_outage(w):
    w.traffic(3, outage=(600, 3000), failed_then=0.5)
    w.pollers(60, 60, "/api/report", "curl/7.88", phase=0.3, jitter=0.3, fails=lambda at: 600 < at < 3000)


@kind(3600, other=[60])
def cron_lines_refused_throughout(w):
    w.traffic(3)
    w.pollers(60, 60, "/api/report", "curl/7.88", phase=0.3, jitter=0.3, fails=lambda at: True)


@kind(1800, other=[1])
def one_second_pollers(w):
    w.traffic(3)
    w.pollers(20, 1.0, "/state", "dash/1", phase=0.1, jitter=0.1)


@kind(1800, other=[7])
def one_second_pollers_and_a_crowd(w):
    w.traffic(3)
    w.pollers(20, 1.0, "/state", "dash/1", phase=0.1, jitter=0.1)
    w.crowd(21, 7.0, "/feed", "app/2", 0.45)


@kind(1800)
def period_beside_the_resolution(w):
    w.traffic(3)
    w.pollers(8, 1.07, "/state", "dash/1", phase=0.2, jitter=0.01)


# ---- logs -----------------------------------------------------------------------------------

BELOW_WHOLE_SECONDS = ("one-second-delay", "one-second-pollers")
FORMATS = ("combined", "combined-start", "nginx", "json")


def stamp(second):
    when = datetime.datetime.fromtimestamp(EPOCH_S + math.floor(second), datetime.timezone.utc)
    return when.strftime("%d/%b/%Y:%H:%M:%S +0000"), when.strftime("%Y-%m-%dT%H:%M:%S")


def line_of(request, form, number):
    at, took, who, agent, path, status, method, retry_after = request
    clf, iso = stamp(at if form == "combined-start" else at + took)
    if form == "json":
        return json.dumps({"time_iso8601": "%s.%03d+00:00" % (iso, int((at + took) % 1.0 * 1000)),
                           "remote_addr": who, "method": method, "uri": path, "status": status,
                           "request_time": round(took, 3), "user_agent": agent, "retry_after": retry_after})
    text = '%s - - [%s] "%s %s HTTP/1.1" %d 100 "-" "%s"' % (who, clf, method, path, status, agent)
    if form == "nginx":
        text += ' "-" %.3f %.3f "%032x" "-" "-" "%s"' % (
            took, EPOCH_S + at + took, number, "-" if retry_after is None else retry_after)
        text = text.replace('" "-" %.3f' % took, '" %.3f' % took, 1)
    return text


def write(name, seed, form, path):
    make, span_s = KINDS[name][:2]
    world = World("%s/%s" % (name, seed), span_s)
    make(world)
    world.requests.sort(key=lambda r: r[0] if form == "combined-start" else r[0] + r[1])
    with open(path, "w", encoding="ascii") as out:
        for number, request in enumerate(world.requests):
            out.write(line_of(request, form, number) + "\n")


# ---- judging --------------------------------------------------------------------------------

def is_named(clocks, kinds, periods):
    return any(c["kind"] in kinds and abs(c["period_s"] / p - 1.0) < 0.02 for c in clocks for p in periods)


def judge(report, name, form):
    """right: no retry clock where none is planted, one where one is; named: one of the periods."""
    retry, other = KINDS[name][2:]
    clocks = report["clocks"]
    has_retry = any(c["kind"] == "retry" for c in clocks)
    if form.startswith("combined") and name in BELOW_WHOLE_SECONDS:
        return not has_retry or bool(retry), None
    if retry:
        return has_retry, is_named(clocks, ("retry",), retry)
    return not has_retry, is_named(clocks, ("scheduled", "unexplained"), other) if other else None


def run(args):
    print("| kind | logs | verdict right | with a clock | period named | not so |")
    print("|---|---|---|---|---|---|")
    total = [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        folder = args.keep or folder
        for name in args.kinds.split(",") if args.kinds else KINDS:
            row, wrong = [0, 0, 0, 0], []
            for seed in args.seeds.split(","):
                for form in args.formats.split(","):
                    path = os.path.join(folder, "%s.%s.%s.log" % (name, seed, form))
                    write(name, seed, form, path)
                    done = subprocess.run([args.program, "analyze", "-q", "-f", "json", path],
                                          stdout=subprocess.PIPE, check=True)
                    right, named = judge(json.loads(done.stdout), name, form)
                    row = [row[0] + 1, row[1] + right, row[2] + (named is not None), row[3] + bool(named)]
                    if not right or named is False:
                        wrong.append("%s/%s" % (seed, form))
                    if not args.keep:
                        os.remove(path)
            print("| %s | %d | %d | %d | %d | %s |" % (name, *row, " ".join(wrong)), flush=True)
            total = [a + b for a, b in zip(total, row)]
    print("| all | %d | %d | %d | %d | |" % tuple(total))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("write")
    for field in ("kind", "seed", "form", "path"):
        one.add_argument(field)
    many = commands.add_parser("run")
    many.add_argument("program")
    many.add_argument("--kinds", default="")
    many.add_argument("--seeds", default="1")
    many.add_argument("--formats", default="combined,nginx,json")
    many.add_argument("--keep", default="")
    args = parser.parse_args()
    if args.command == "write":
        write(args.kind, args.seed, args.form, args.path)
    else:
        run(args)


if __name__ == "__main__":
    sys.exit(main())
