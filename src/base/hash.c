#include "base/hash.h"

#include "base/word.h"

/* "lockstep", "arrivals": any fixed pair would do, but ids in reports depend on this one. */
#define PUBLISHED_K0 UINT64_C(0x706574736b636f6c)
#define PUBLISHED_K1 UINT64_C(0x736c617669727261)

typedef struct sip {
    uint64_t v0, v1, v2, v3;
} sip;

static inline uint64_t rotl(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static inline void sip_round(sip *s)
{
    s->v0 += s->v1;
    s->v1 = rotl(s->v1, 13) ^ s->v0;
    s->v0 = rotl(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotl(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotl(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotl(s->v1, 17) ^ s->v2;
    s->v2 = rotl(s->v2, 32);
}

static inline void compress(sip *s, uint64_t word)
{
    s->v3 ^= word;
    sip_round(s);
    s->v0 ^= word;
}

static inline uint64_t siphash13(const unsigned char *p, size_t len, uint64_t k0, uint64_t k1)
{
    sip s = { k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
              k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573) };

    for (size_t i = 0; i + 8 <= len; i += 8)
        compress(&s, lk_word_64(p + i));
    compress(&s, (uint64_t)len << 56 | lk_word_tail(p, len));
    s.v2 ^= 0xff;
    sip_round(&s);
    sip_round(&s);
    sip_round(&s);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

uint64_t lk_hash(const void *p, size_t len)
{
    return siphash13(p, len, PUBLISHED_K0, PUBLISHED_K1);
}

uint64_t lk_hash_keyed(const void *p, size_t len, uint64_t k0, uint64_t k1)
{
    return siphash13(p, len, k0, k1);
}
