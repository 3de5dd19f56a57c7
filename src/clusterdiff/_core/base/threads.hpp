// Threads and interruption. Work is cut into pieces that depend on the data alone, never on the number of threads,
// so the same bits come out whatever that number is.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "base/call.hpp"
#include "base/common.hpp"
#include "base/pause.hpp"

namespace clusterdiff {

// Thrown when the user interrupted the run; the binding turns it into the pending Python exception.
struct Interrupted : std::exception {};

// CLUSTERDIFF_THREADS, or all cores. Read at every call, so that a program can change its mind.
int configured_threads();

// One call into the core: how many threads it may use, and whether the user wants it to stop.
class Run {
  public:
    // Below this many points waking a thread costs more than it saves.
    static constexpr i64 kSerial = i64{1} << 15;

    // `interrupted` is asked now and then, on the calling thread only.
    Run(i64 work, bool (*interrupted)()) : interrupted_(interrupted), threads_(work < kSerial ? 1 : configured_threads()) {}

    // A piece of another run, on one thread: what ends the one ends the other.
    explicit Run(Run* whole) : whole_(whole), interrupted_(nullptr), threads_(1) {}

    int threads() const { return threads_; }

    // After an exception that the caller deals with.
    void resume() { stop_.store(false, std::memory_order_relaxed); }

    // Calls f(worker) for `count` workers, at once as far as there are threads for them. The first exception wins.
    void workers(int count, Call<int> f);

    // Calls f(task, worker) for every task, handed out one by one.
    void tasks(i64 count, Call<i64, int> f);

    // To be called every few thousand points: throws Interrupted when the run is to end.
    void poll();

    // Calls f(i) for i in [begin, end), and polls on the way.
    template <class F>
    void each(i64 begin, i64 end, F&& f) {
        constexpr i64 kSteps = i64{1} << 16;
        for (i64 at = begin; at < end;) {
            poll();
            for (const i64 stop = std::min(end, at + kSteps); at < stop; ++at) f(at);
        }
    }

    // As std::stable_sort, piece by piece.
    template <class It, class Less>
    void stable_sort(It begin, It end, Less less) {
        constexpr std::ptrdiff_t kPiece = 1 << 16;
        const std::ptrdiff_t count = end - begin;
        for (std::ptrdiff_t at = 0; at < count; at += kPiece) {
            poll();
            std::stable_sort(begin + at, begin + std::min(count, at + kPiece), less);
        }
        for (std::ptrdiff_t width = kPiece; width < count; width *= 2)
            for (std::ptrdiff_t at = 0; at + width < count; at += 2 * width) {
                poll();
                std::inplace_merge(begin + at, begin + at + width, begin + std::min(count, at + 2 * width), less);
            }
    }

  private:
    Run* whole_ = nullptr;
    bool (*interrupted_)();
    std::thread::id caller_ = std::this_thread::get_id();
    std::chrono::nanoseconds last_ = rough_time();  // touched by the calling thread only
    std::atomic<bool> stop_{false};
    int threads_;
};

}  // namespace clusterdiff
