// Memory for large arrays. Page faults on 4 KiB pages cost as much as the kernels themselves, so anything above a
// few megabytes is mapped directly, aligned to 2 MiB, and offered to the kernel for huge pages.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "common.hpp"

namespace clusterdiff {

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
        if (!b.mapped_ && count) std::memset(static_cast<void*>(b.data_), 0, static_cast<std::size_t>(count) * sizeof(T));  // mapped pages are born zero
        return b;
    }
    static Buffer copy(const T* from, i64 count) {
        Buffer b(count);
        if (count) std::memcpy(b.data_, from, static_cast<std::size_t>(count) * sizeof(T));
        return b;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](i64 i) { return data_[i]; }
    const T& operator[](i64 i) const { return data_[i]; }
    i64 size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // Forget the tail: the capacity stays, the size shrinks. Whole huge pages behind the end go back to the system.
    void truncate(i64 count) {
        size_ = count;
#if defined(__linux__)
        if (!mapped_) return;
        const std::size_t keep = round_up(static_cast<std::size_t>(count) * sizeof(T) + 1);
        if (keep < bytes_) {
            ::munmap(reinterpret_cast<char*>(data_) + keep, bytes_ - keep);
            bytes_ = keep;
        }
#endif
    }

    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(bytes_, other.bytes_);
        std::swap(mapped_, other.mapped_);
    }

  private:
    static constexpr std::size_t kHuge = std::size_t{2} << 20;
    static constexpr std::size_t kMapFrom = std::size_t{4} << 20;

    static std::size_t round_up(std::size_t bytes) { return (bytes + kHuge - 1) / kHuge * kHuge; }

    void allocate(i64 count) {
        if (count < 0 || static_cast<u64>(count) > SIZE_MAX / 2 / sizeof(T)) throw std::bad_alloc();
        const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
#if defined(__linux__)
        if (bytes >= kMapFrom) {
            map(bytes);
            size_ = count;
            return;
        }
#endif
        data_ = static_cast<T*>(std::malloc(bytes ? bytes : 1));
        if (!data_) throw std::bad_alloc();
        size_ = count;
    }

#if defined(__linux__)
    void map(std::size_t bytes) {
        const std::size_t length = round_up(bytes);
        // One huge page more than needed, so that an aligned part can be cut out of the middle.
        void* raw = ::mmap(nullptr, length + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (raw == MAP_FAILED) throw std::bad_alloc();
        char* start = static_cast<char*>(raw);
        char* aligned = reinterpret_cast<char*>(round_up(reinterpret_cast<std::size_t>(start)));
        if (aligned > start) ::munmap(start, static_cast<std::size_t>(aligned - start));
        char* end = start + length + kHuge;
        if (end > aligned + length) ::munmap(aligned + length, static_cast<std::size_t>(end - (aligned + length)));
        ::madvise(aligned, length, MADV_HUGEPAGE);
        data_ = reinterpret_cast<T*>(aligned);
        bytes_ = length;
        mapped_ = true;
    }
#endif

    void release() {
        if (!data_) return;
#if defined(__linux__)
        if (mapped_) {
            ::munmap(data_, bytes_);
            return;
        }
#endif
        std::free(data_);
    }

    T* data_ = nullptr;
    i64 size_ = 0;
    std::size_t bytes_ = 0;
    bool mapped_ = false;
};

}  // namespace clusterdiff
