// Memory for arrays. Page faults and the clearing of fresh pages cost as much as the kernels themselves. So blocks above
// 64 KiB are mapped directly and, once freed, kept for whoever asks next, up to a limit; large ones are aligned to 2 MiB,
// offered for huge pages, and kept in a way that lets the system take them back whenever it wants.
#include "base/memory.hpp"
#include "base/pages.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <vector>

// AddressSanitizer watches malloc, so under it everything comes from there.
#if defined(__linux__) && !CLUSTERDIFF_ASAN
#define CLUSTERDIFF_MAPPED 1
#include <sys/mman.h>
#else
#define CLUSTERDIFF_MAPPED 0
#endif

#if defined(__GLIBC__) && !CLUSTERDIFF_ASAN
#include <malloc.h>
#endif

namespace clusterdiff {

#if CLUSTERDIFF_MAPPED

namespace {

// Blocks of whole pages, huge ones from a few megabytes on. What is given back joins its free neighbours, and a block is
// cut from the smallest stretch that has room for it: a stage of a job works in the memory of the stage before it.
class BlockCache {
  public:
    static BlockCache& instance() {
        static BlockCache* cache = new BlockCache;  // never destroyed: buffers may outlive static objects
        return *cache;
    }

    static constexpr std::size_t kFrom = std::size_t{64} << 10;
    static constexpr std::size_t kLarge = std::size_t{4} << 20;

    Block take(std::size_t bytes) {
        const std::size_t length = rounded(bytes);
        // A lock that is not free (another thread, or a fork at a bad moment) is not worth waiting for.
        if (std::unique_lock lock(mutex_, std::try_to_lock); lock.owns_lock())
            if (char* data = find(length)) return {data, length};
        return {map(length), length, true};
    }

    // What would be too much to keep goes back to the system.
    void give(char* data, std::size_t length, bool large) {
        std::unique_lock lock(mutex_, std::try_to_lock);
        const std::size_t kept = lock.owns_lock() ? std::min(length, (kLimit - total_) / kHuge * kHuge) : 0;
        if (kept < length) ::munmap(data + kept, length - kept);
        if (!kept) return;
        if (large) {
            ::madvise(data, kept, MADV_HUGEPAGE);
            ::madvise(data, kept, MADV_FREE);
        }
        add(free_[large], {data, kept});
    }
    void give(const Block& block) { give(static_cast<char*>(block.data), block.mapped, block.mapped >= kLarge); }

    Block cut(const Block& block, std::size_t bytes) {
        const bool large = block.mapped >= kLarge;  // and stays so
        const std::size_t length = rounded(std::max(bytes, large ? kLarge : kFrom)), rest = block.mapped - length;
        if (length >= block.mapped) return block;
        // Also what was never written: joined with the rest again, it is the room that the next call asks for.
        give(static_cast<char*>(block.data) + length, rest, large);
        return {block.data, length, block.zeroed};
    }

  private:
    static constexpr std::size_t kHuge = std::size_t{2} << 20;
    static constexpr std::size_t kLimit = std::size_t{512} << 20;

    struct Stretch {
        char* data;
        std::size_t length;
        char* end() const { return data + length; }
    };
    using Stretches = std::vector<Stretch>;  // ascending, and no two of them touch
    static constexpr std::size_t kMost = 256;

    BlockCache() {
        for (Stretches& free : free_) free.reserve(kMost);
    }

    static std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }
    static std::size_t rounded(std::size_t bytes) { return round_up(bytes, bytes < kLarge ? kFrom : kHuge); }

    static char* map(std::size_t length) {
        if (length < kLarge) {
            void* raw = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (raw == MAP_FAILED) throw std::bad_alloc();
            return static_cast<char*>(raw);
        }
        // One huge page more than needed, so that an aligned part can be cut out: the last one, since the system maps
        // downwards, and stretches that touch can be joined.
        void* raw = ::mmap(nullptr, length + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (raw == MAP_FAILED) throw std::bad_alloc();
        char *start = static_cast<char*>(raw), *end = start + length + kHuge;
        char* aligned = end - reinterpret_cast<std::size_t>(end) % kHuge - length;
        if (aligned > start) ::munmap(start, static_cast<std::size_t>(aligned - start));
        if (end > aligned + length) ::munmap(aligned + length, static_cast<std::size_t>(end - (aligned + length)));
        ::madvise(aligned, length, MADV_HUGEPAGE);
        return aligned;
    }

    // Null if there is no room.
    char* find(std::size_t length) {
        Stretches& free = free_[length >= kLarge];
        auto best = free.end();
        for (auto it = free.begin(); it != free.end(); ++it)
            if (it->length >= length && (best == free.end() || it->length < best->length)) best = it;
        if (best == free.end()) return nullptr;
        char* data = best->data;
        *best = {data + length, best->length - length};
        if (!best->length) free.erase(best);
        total_ -= length;
        return data;
    }

    void add(Stretches& free, Stretch given) {
        if (free.size() == kMost) {
            ::munmap(given.data, given.length);
            return;
        }
        total_ += given.length;
        auto next = std::lower_bound(free.begin(), free.end(), given.data, [](const Stretch& s, char* data) { return s.data < data; });
        if (next != free.end() && given.end() == next->data)
            *next = {given.data, given.length + next->length};
        else
            next = free.insert(next, given);
        if (next != free.begin() && (next - 1)->end() == next->data) {
            (next - 1)->length += next->length;
            free.erase(next);
        }
    }

    std::mutex mutex_;
    Stretches free_[2];  // small and large ones
    std::size_t total_ = 0;
};

}  // namespace

#endif

#if CLUSTERDIFF_MAPPED
const std::size_t kLargeBlock = BlockCache::kLarge;
#else
const std::size_t kLargeBlock = 0;
#endif

Block take_block(std::size_t bytes) {
#if CLUSTERDIFF_MAPPED
    if (bytes >= BlockCache::kFrom) return BlockCache::instance().take(bytes);
#endif
    void* data = std::malloc(bytes ? bytes : 1);
    if (!data) throw std::bad_alloc();
    return {data};
}

void give_block(const Block& block) {
#if CLUSTERDIFF_MAPPED
    if (block.mapped) {
        BlockCache::instance().give(block);
        return;
    }
#endif
    std::free(block.data);
}

void use_small_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if CLUSTERDIFF_MAPPED
    if (bytes >= BlockCache::kLarge) ::madvise(data, bytes, MADV_NOHUGEPAGE);
#endif
}

Block cut_block(const Block& block, [[maybe_unused]] std::size_t bytes) {
#if CLUSTERDIFF_MAPPED
    if (block.mapped) return BlockCache::instance().cut(block, bytes);
#endif
    return block;
}

void keep_freed() {
#if defined(__GLIBC__) && !CLUSTERDIFF_ASAN
    ::mallopt(M_MMAP_THRESHOLD, INT_MAX);
    ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

}  // namespace clusterdiff
