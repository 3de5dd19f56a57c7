// Hashing of integers and of bytes, and a table from 64-bit keys to codes.
#pragma once

#include <cstring>

#include "memory.hpp"

namespace clusterdiff {

// A bijection on 64 bits whose every output bit depends on every input bit (two rounds of xor-shift and multiply).
inline u64 mix(u64 x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    return x;
}

// A cheaper hash for tables that compare keys anyway: one wide multiplication, folded.
inline u64 fold_hash(u64 key) {
    const u128 product = static_cast<u128>(key) * 0x9e3779b97f4a7c15ull;
    return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
}

inline u64 read8(const u8* p) {
    u64 x;
    std::memcpy(&x, p, 8);
    return x;
}

inline u64 read4(const u8* p) {
    u32 x;
    std::memcpy(&x, p, 4);
    return x;
}

// 64-bit hash of a run of bytes (the multiply-and-fold scheme of wyhash). Callers verify equality: it is not trusted.
inline u64 hash_bytes(const u8* p, i64 length) {
    constexpr u64 k0 = 0xa0761d6478bd642full, k1 = 0xe7037ed1a0b428dbull, k2 = 0x8ebc6af09c88c6e3ull;
    auto fold = [](u64 a, u64 b) {
        const u128 product = static_cast<u128>(a) * b;
        return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
    };
    u64 state = k0 ^ (static_cast<u64>(length) * k2);
    i64 left = length;
    while (left > 16) {
        state = fold(read8(p) ^ k1, read8(p + 8) ^ state);
        p += 16;
        left -= 16;
    }
    u64 a = 0, b = 0;
    if (left >= 8) {
        a = read8(p);
        b = read8(p + left - 8);
    } else if (left >= 4) {
        a = read4(p);
        b = read4(p + left - 4);
    } else if (left > 0) {
        a = (static_cast<u64>(p[0]) << 16) | (static_cast<u64>(p[left >> 1]) << 8) | p[left - 1];
    }
    return fold(k1 ^ static_cast<u64>(length), fold(a ^ k1, b ^ state));
}

// Codes for keys by first appearance. Open addressing, linear probing, at most half full; `same(code)` decides whether
// the key behind a code with equal hash is really the one looked for, so a collision costs time and never the truth.
class CodeTable {
  public:
    explicit CodeTable(i64 expected = 0) {
        i64 capacity = 64;
        while (capacity < 2 * expected) capacity *= 2;
        resize(capacity);
    }

    template <class Same>
    i32 find_or_add(u64 hash, Same&& same) {
        if (2 * (count_ + 1) > capacity_) grow();
        for (u64 p = hash & mask_;; p = (p + 1) & mask_) {
            Slot& slot = slots_[static_cast<i64>(p)];
            if (slot.code < 0) {
                slot = {hash, static_cast<i32>(count_)};
                return static_cast<i32>(count_++);
            }
            if (slot.hash == hash && same(slot.code)) return slot.code;
        }
    }

    // -1 when absent.
    template <class Same>
    i32 find(u64 hash, Same&& same) const {
        for (u64 p = hash & mask_;; p = (p + 1) & mask_) {
            const Slot& slot = slots_[static_cast<i64>(p)];
            if (slot.code < 0) return -1;
            if (slot.hash == hash && same(slot.code)) return slot.code;
        }
    }

    void prefetch(u64 hash) const { __builtin_prefetch(&slots_[static_cast<i64>(hash & mask_)]); }
    i64 size() const { return count_; }

  private:
    struct Slot {
        u64 hash;
        i32 code;
    };

    void resize(i64 capacity) {
        slots_ = Buffer<Slot>(capacity);
        std::memset(static_cast<void*>(slots_.data()), 0xff, static_cast<std::size_t>(capacity) * sizeof(Slot));
        capacity_ = capacity;
        mask_ = static_cast<u64>(capacity) - 1;
    }

    void grow() {
        check_clusters(count_, "The input");
        Buffer<Slot> old = std::move(slots_);
        resize(capacity_ * 4);
        for (i64 i = 0; i < old.size(); ++i) {
            if (old[i].code < 0) continue;
            u64 p = old[i].hash & mask_;
            while (slots_[static_cast<i64>(p)].code >= 0) p = (p + 1) & mask_;
            slots_[static_cast<i64>(p)] = old[i];
        }
    }

    Buffer<Slot> slots_;
    i64 capacity_ = 0, count_ = 0;
    u64 mask_ = 0;
};

}  // namespace clusterdiff
