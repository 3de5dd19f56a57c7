// Memory for arrays. Page faults and the clearing of fresh pages cost as much as the kernels themselves. So blocks above
// 64 KiB are mapped directly and, once freed, kept for the next call, up to a limit; large ones are aligned to 2 MiB,
// offered for huge pages, and kept in a way that lets the system take them back whenever it wants.
#include "base/memory.hpp"

#include <array>
#include <cstdlib>
#include <mutex>

// AddressSanitizer watches malloc, so under it everything comes from there.
#if defined(__linux__) && !CLUSTERDIFF_ASAN
#define CLUSTERDIFF_MAPPED 1
#include <sys/mman.h>
#else
#define CLUSTERDIFF_MAPPED 0
#endif

namespace clusterdiff {

#if CLUSTERDIFF_MAPPED

namespace {

// Blocks of whole pages, huge ones from a few megabytes on.
class BlockCache {
  public:
    static BlockCache& instance() {
        static BlockCache* cache = new BlockCache;  // never destroyed: buffers may outlive static objects
        return *cache;
    }

    static constexpr std::size_t kFrom = std::size_t{64} << 10;

    Block take(std::size_t bytes) {
        const std::size_t length = round_up(bytes, bytes < kLarge ? kFrom : kHuge);
        // A lock that is not free (another thread, or a fork at a bad moment) is not worth waiting for.
        if (std::unique_lock lock(mutex_, std::try_to_lock); lock.owns_lock()) {
            Kept* best = nullptr;
            for (Kept& kept : kept_)
                if (kept.data && kept.length >= length && kept.length <= length + length / 4 && (!best || kept.length < best->length)) best = &kept;
            if (best) {
                total_ -= best->used;
                const Block block{best->data, best->length};
                *best = {};
                return block;
            }
        }
        return {map(length), length, true};
    }

    // The oldest blocks make room.
    void give(void* data, std::size_t length, std::size_t used) {
        std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock.owns_lock() || used > kLimit) {
            ::munmap(data, length);
            return;
        }
        Kept* place = find_free();
        while (!place || total_ + used > kLimit) {
            Kept* oldest = nullptr;
            for (Kept& kept : kept_)
                if (kept.data && (!oldest || kept.age < oldest->age)) oldest = &kept;
            ::munmap(oldest->data, oldest->length);
            total_ -= oldest->used;
            *oldest = {};
            place = oldest;
        }
        if (length >= kLarge) ::madvise(data, length, MADV_FREE);
        *place = {static_cast<char*>(data), length, used, ++clock_};
        total_ += used;
    }

  private:
    static constexpr std::size_t kHuge = std::size_t{2} << 20;
    static constexpr std::size_t kLarge = std::size_t{4} << 20;
    static constexpr std::size_t kLimit = std::size_t{512} << 20;

    static std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

    static char* map(std::size_t length) {
        if (length < kLarge) {
            void* raw = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (raw == MAP_FAILED) throw std::bad_alloc();
            return static_cast<char*>(raw);
        }
        // One huge page more than needed, so that an aligned part can be cut out of the middle.
        void* raw = ::mmap(nullptr, length + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (raw == MAP_FAILED) throw std::bad_alloc();
        char* start = static_cast<char*>(raw);
        char* aligned = reinterpret_cast<char*>(round_up(reinterpret_cast<std::size_t>(start), kHuge));
        if (aligned > start) ::munmap(start, static_cast<std::size_t>(aligned - start));
        char* end = start + length + kHuge;
        if (end > aligned + length) ::munmap(aligned + length, static_cast<std::size_t>(end - (aligned + length)));
        ::madvise(aligned, length, MADV_HUGEPAGE);
        return aligned;
    }

    struct Kept {
        char* data = nullptr;
        std::size_t length = 0, used = 0;
        u64 age = 0;
    };
    Kept* find_free() {
        for (Kept& kept : kept_)
            if (!kept.data) return &kept;
        return nullptr;
    }
    std::mutex mutex_;
    std::array<Kept, 64> kept_{};
    std::size_t total_ = 0;
    u64 clock_ = 0;
};

}  // namespace

#endif

Block take_block(std::size_t bytes) {
#if CLUSTERDIFF_MAPPED
    if (bytes >= BlockCache::kFrom) return BlockCache::instance().take(bytes);
#endif
    void* data = std::malloc(bytes ? bytes : 1);
    if (!data) throw std::bad_alloc();
    return {data};
}

void give_block(const Block& block, [[maybe_unused]] std::size_t used) {
#if CLUSTERDIFF_MAPPED
    if (block.mapped) {
        BlockCache::instance().give(block.data, block.mapped, used);
        return;
    }
#endif
    std::free(block.data);
}

}  // namespace clusterdiff
