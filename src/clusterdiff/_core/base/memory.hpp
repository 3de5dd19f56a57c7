// Memory for arrays.
#pragma once

#include <cstring>
#include <new>
#include <utility>

#include "base/common.hpp"

namespace clusterdiff {

struct Block {
    void* data = nullptr;
    std::size_t mapped = 0;  // bytes of a mapped block; 0 for one from malloc
    bool zeroed = false;     // fresh from the system
};

// Blocks from here on are cut from what is kept, with huge pages where the system has them; 0 where nothing is kept.
extern const std::size_t kLargeBlock;

Block take_block(std::size_t bytes);
void give_block(const Block& block);
// Gives back what a block has beyond so many bytes, as far as it can; returns what is left of it.
Block cut_block(const Block& block, std::size_t bytes);

// Has malloc keep what is freed, for arrays of others. For a process of our own: it stays large until it ends.
void keep_freed();

// An owned array of trivial T, uninitialised unless asked otherwise. Movable, not copyable.
template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(i64 count) { allocate(count); }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { release(); }

    static Buffer zeros(i64 count) {
        Buffer b(count);
        if (!b.zeroed_) std::memset(static_cast<void*>(b.data_), 0, static_cast<std::size_t>(count) * sizeof(T));
        return b;
    }
    static Buffer copy(const T* from, i64 count) {
        Buffer b(count);
        if (count) std::memcpy(static_cast<void*>(b.data_), from, static_cast<std::size_t>(count) * sizeof(T));
        return b;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](i64 i) { return data_[i]; }
    const T& operator[](i64 i) const { return data_[i]; }
    i64 size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // Forgets the tail; the memory of a large one is there for others.
    void truncate(i64 count) {
        if (mapped_) mapped_ = cut_block({data_, mapped_, zeroed_}, static_cast<std::size_t>(count) * sizeof(T)).mapped;
        size_ = count;
    }

    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(mapped_, other.mapped_);
        std::swap(zeroed_, other.zeroed_);
    }

  private:
    void allocate(i64 count) {
        if (count < 0 || static_cast<u64>(count) > SIZE_MAX / 2 / sizeof(T)) throw std::bad_alloc();
        const Block block = take_block(static_cast<std::size_t>(count) * sizeof(T));
        data_ = static_cast<T*>(block.data);
        size_ = count;
        mapped_ = block.mapped;
        zeroed_ = block.zeroed;
    }
    void release() {
        if (data_) give_block({data_, mapped_, zeroed_});
    }

    T* data_ = nullptr;
    i64 size_ = 0;
    std::size_t mapped_ = 0;
    bool zeroed_ = false;
};

}  // namespace clusterdiff
