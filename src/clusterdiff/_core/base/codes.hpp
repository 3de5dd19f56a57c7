// The hash table of the core, and its two uses as a dictionary from values to codes 0, 1, 2, ... by first appearance.
#pragma once

#include <cstring>
#include <vector>

#include "base/hash.hpp"
#include "base/memory.hpp"

namespace clusterdiff {

// Open addressing with linear probing. A slot is a struct with a signed `code`, and is empty when all of its bits are
// set; what else it holds, and so what a comparison looks at, is the user's affair, and so is when to grow.
template <class Slot>
class Probing {
  public:
    Probing() = default;
    Probing(Probing&&) = default;
    Probing& operator=(Probing&&) = default;
    Probing(const Probing& other)
        : slots_(Buffer<Slot>::copy(other.slots_.data(), other.capacity_)), capacity_(other.capacity_), mask_(other.mask_) {}

    i64 capacity() const { return capacity_; }

    // Empties the table, and gives it a power of two of slots, `least` or more.
    void clear(i64 least) {
        capacity_ = 64;
        while (capacity_ < least) capacity_ *= 2;
        mask_ = static_cast<u64>(capacity_ - 1);
        if (slots_.size() < capacity_) slots_ = Buffer<Slot>(capacity_);
        std::memset(static_cast<void*>(slots_.data()), 0xff, static_cast<std::size_t>(capacity_) * sizeof(Slot));
    }

    // The slot for which `same` holds, or the empty one where it would have to be put. The low bits of the hash decide:
    // partitions take the high ones.
    template <class Same>
    Slot& seek(u64 hash, Same&& same) {
        return slots_[position(hash, same)];
    }
    template <class Same>
    const Slot& seek(u64 hash, Same&& same) const {
        return slots_[position(hash, same)];
    }

    // So many times more slots; `hash_of(slot)` tells where a slot belongs.
    template <class HashOf>
    void grow(i64 times, HashOf&& hash_of) {
        const Buffer<Slot> old = std::move(slots_);
        const i64 before = capacity_;
        clear(before * times);
        for (i64 i = 0; i < before; ++i)
            if (old[i].code >= 0) seek(hash_of(old[i]), [](const Slot&) { return false; }) = old[i];
    }

    void prefetch(u64 hash) const { clusterdiff::prefetch(&slots_[static_cast<i64>(hash & mask_)]); }

  private:
    template <class Same>
    i64 position(u64 hash, Same&& same) const {
        for (u64 p = hash & mask_;; p = (p + 1) & mask_) {
            const Slot& slot = slots_[static_cast<i64>(p)];
            if (slot.code < 0 || same(slot)) return static_cast<i64>(p);
        }
    }

    Buffer<Slot> slots_;
    i64 capacity_ = 0;
    u64 mask_ = 0;
};

// Codes of values of any kind, at most half full. A slot keeps 32 bits of the hash, so that the table stays small;
// `same(code)` decides whether the value behind a code is really the one looked for.
class CodeTable {
  public:
    explicit CodeTable(i64 expected = 0) { clear(expected); }

    // Forgets all values and makes room for so many.
    void clear(i64 expected) {
        table_.clear(2 * expected);
        count_ = 0;
    }

    template <class Same>
    i32 find_or_add(u64 hash, Same&& same) {
        if (2 * (count_ + 1) > table_.capacity()) grow();
        const u32 part = static_cast<u32>(hash);
        Slot& slot = table_.seek(hash, [&](const Slot& s) { return s.part == part && same(s.code); });
        if (slot.code < 0) slot = {part, static_cast<i32>(count_++)};
        return slot.code;
    }

    // -1 when absent.
    template <class Same>
    i32 find(u64 hash, Same&& same) const {
        const u32 part = static_cast<u32>(hash);
        return table_.seek(hash, [&](const Slot& s) { return s.part == part && same(s.code); }).code;
    }

    void prefetch(u64 hash) const { table_.prefetch(hash); }

  private:
    struct Slot {
        u32 part;
        i32 code;
    };
    void grow() {
        check_clusters(count_, "The input");
        table_.grow(2, [](const Slot& s) { return u64{s.part}; });
    }

    Probing<Slot> table_;
    i64 count_ = 0;
};

// Codes of 64-bit keys. The table has `kRoom` slots per key or more, and grows so many times when it has not.
template <class Slot, i64 kRoom>
class KeyCodes {
  public:
    // Forgets all keys and makes room for so many slots.
    void clear(i64 slots) {
        table_.clear(slots);
        keys_.clear();
    }

    i32 find_or_add(u64 key) {
        Slot& slot = table_.seek(fold_hash(key), [&](const Slot& s) { return key_of(s) == key; });
        if (slot.code >= 0) return slot.code;
        const i32 code = static_cast<i32>(keys_.size());
        keys_.push_back(key);
        slot.code = code;
        if constexpr (kKeyInSlot) slot.key = key;
        if (kRoom * static_cast<i64>(keys_.size()) > table_.capacity())
            table_.grow(kRoom, [&](const Slot& s) { return fold_hash(key_of(s)); });
        return code;
    }

    // -1 when absent.
    i32 find(u64 key) const {
        return table_.seek(fold_hash(key), [&](const Slot& s) { return key_of(s) == key; }).code;
    }

    const std::vector<u64>& keys() const { return keys_; }

  private:
    static constexpr bool kKeyInSlot = requires(Slot s) { s.key; };

    u64 key_of(const Slot& slot) const {
        if constexpr (kKeyInSlot)
            return slot.key;
        else
            return keys_[static_cast<std::size_t>(slot.code)];
    }

    Probing<Slot> table_;
    std::vector<u64> keys_;
};

// For a few keys that are looked up often: a lookup that finds its key at once is one whose branches are predicted.
struct KeySlot {
    u64 key;
    i32 code;
};
class KeyTable : public KeyCodes<KeySlot, 4> {
  public:
    KeyTable() { clear(1024); }
};

// For the keys of one bucket: slots of 4 bytes point into the list of keys, so that table and list stay in the
// innermost caches. To be cleared before use.
struct CodeSlot {
    i32 code;
};
using LocalCodes = KeyCodes<CodeSlot, 2>;

}  // namespace clusterdiff
