#include "encode/lexicon.hpp"

namespace clusterdiff {

namespace {

struct IntegerSource {
    const Labels& x;
    Key key(i64 i) const { return {x[i], 0, 0}; }
    static bool same(i64, i64) { return true; }
    static void prefetch(i64) {}
};

}  // namespace

Encoded encode_integers(const Labels& x, Run& run) { return encode(x.n, IntegerSource{x}, run); }

}  // namespace clusterdiff
