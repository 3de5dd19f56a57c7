// Thrift's compact protocol, in which Parquet files describe themselves.
#pragma once

#include "match/pieces.hpp"

namespace clusterdiff {

class Thrift {
  public:
    enum Type { stop, yes, no, byte, i16, i32, i64_, real, binary, list, set, map, structure };

    Thrift(const u8* at, const u8* end) : at_(at), end_(end) {}
    const u8* at() const { return at_; }

    // Calls f(field, type) for each field of a structure; those of which it returns false are passed over.
    template <class F>
    void fields(F&& f) {
        i64 field = 0;
        while (const u8 head = next()) {
            const Type type = known(head & 15);
            field = head >> 4 ? field + (head >> 4) : integer();
            if (!f(field, type)) pass(type, 0);
        }
    }

    // Calls f() for each element of a list of structures.
    template <class F>
    void structures(F&& f) {
        const auto [count, type] = elements();
        if (type != structure) throw NotPlain();
        for (i64 i = 0; i < count; ++i) f();
    }

    i64 integer() {
        const u64 x = varint();
        return static_cast<i64>(x >> 1) ^ -static_cast<i64>(x & 1);
    }

  private:
    u8 next() {
        if (at_ == end_) throw NotPlain();
        return *at_++;
    }
    static Type known(int type) {
        if (type > structure) throw NotPlain();
        return static_cast<Type>(type);
    }
    u64 varint() {
        u64 x = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const u8 part = next();
            x |= u64{part & 0x7fu} << shift;
            if (part < 0x80) return x;
        }
        throw NotPlain();
    }
    // Of a list: every element has a byte at least.
    std::pair<i64, Type> elements() {
        const u8 head = next();
        const u64 count = head >> 4 == 15 ? varint() : head >> 4;
        if (count > static_cast<u64>(end_ - at_)) throw NotPlain();
        return {static_cast<i64>(count), known(head & 15)};
    }
    void leap(u64 bytes) {
        if (bytes > static_cast<u64>(end_ - at_)) throw NotPlain();
        at_ += bytes;
    }
    // `element` of a list or map, where a truth value has a byte of its own.
    void pass(Type type, int depth, bool element = false) {
        constexpr int kDeepest = 32;
        if (depth > kDeepest) throw NotPlain();
        switch (type) {
            case yes:
            case no:
                if (element) leap(1);
                return;
            case byte: return leap(1);
            case i16:
            case i32:
            case i64_: varint(); return;
            case real: return leap(8);
            case binary: return leap(varint());
            case list:
            case set: {
                const auto [count, inner] = elements();
                for (i64 i = 0; i < count; ++i) pass(inner, depth + 1, true);
                return;
            }
            case map: {
                const u64 count = varint();
                if (!count) return;
                if (count > static_cast<u64>(end_ - at_)) throw NotPlain();
                const u8 types = next();
                for (u64 i = 0; i < count; ++i) {
                    pass(known(types >> 4), depth + 1, true);
                    pass(known(types & 15), depth + 1, true);
                }
                return;
            }
            case structure:
                while (const u8 head = next()) {
                    if (!(head >> 4)) varint();
                    pass(known(head & 15), depth + 1);
                }
                return;
            case stop: throw NotPlain();
        }
    }

    const u8 *at_, *end_;
};

}  // namespace clusterdiff
