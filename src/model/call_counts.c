#include "model/call_counts.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t lk_call_http(const lk_call *call)
{
    return larger(call->lines, call->attempts);
}

void lk_call_counts_add(lk_call_counts *c, const lk_call *call)
{
    c->calls[call->fate]++;
    c->rejected[call->fate] += call->rejected;
    c->lines += call->lines;
    c->tries += call->tries;
    c->attempts += call->attempts;
    c->http += lk_call_http(call);
    c->most = larger(c->most, call->attempts);
}

void lk_call_counts_add_task(lk_call_counts *c, const lk_task *task)
{
    c->tasks++;
    c->task_calls += task->calls;
    c->task_most_calls = larger(c->task_most_calls, task->calls);
    c->task_most_http = larger(c->task_most_http, task->http);
}

void lk_call_counts_merge(lk_call_counts *c, const lk_call_counts *other)
{
    for (size_t f = 0; f < LK_FATES; f++) {
        c->calls[f] += other->calls[f];
        c->rejected[f] += other->rejected[f];
    }
    c->lines += other->lines;
    c->tries += other->tries;
    c->attempts += other->attempts;
    c->http += other->http;
    c->most = larger(c->most, other->most);
    c->tasks += other->tasks;
    c->task_calls += other->task_calls;
    c->task_most_calls = larger(c->task_most_calls, other->task_most_calls);
    c->task_most_http = larger(c->task_most_http, other->task_most_http);
}

uint64_t lk_call_counts_calls(const lk_call_counts *c)
{
    return c->calls[LK_FATE_FIRST] + c->calls[LK_FATE_RECOVERED] + c->calls[LK_FATE_FAILED] +
           c->calls[LK_FATE_OPEN];
}
