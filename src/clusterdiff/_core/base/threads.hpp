// Threads and interruption. Work is cut into pieces that depend on the data alone, never on the number of threads,
// so the same bits come out whatever that number is.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <type_traits>
#include <vector>

#include "base/common.hpp"

namespace clusterdiff {

// Thrown when the user interrupted the run; the binding turns it into the pending Python exception.
struct Interrupted : std::exception {};

// CLUSTERDIFF_THREADS, or all cores. Read at every call, so that a program can change its mind.
int configured_threads();

// A reference to something that can be called. Pieces of work are large: that nothing is inlined into what hands them
// out costs nothing, and spares every kernel its own copy of that.
template <class... Args>
class Call {
  public:
    template <class F>
    Call(F&& f)
        : object_(const_cast<void*>(static_cast<const void*>(&f))),
          call_([](void* object, Args... args) { (*static_cast<std::remove_reference_t<F>*>(object))(args...); }) {}
    void operator()(Args... args) const { call_(object_, args...); }

  private:
    void* object_;
    void (*call_)(void*, Args...);
};

// One call into the core: how many threads it may use, and whether the user wants it to stop.
class Run {
  public:
    // Below this many points starting a thread costs more than it saves.
    static constexpr i64 kSerial = i64{1} << 17;

    // `interrupted` is asked now and then, on the calling thread only.
    Run(i64 work, bool (*interrupted)()) : interrupted_(interrupted), last_(Clock::now()), threads_(work < kSerial ? 1 : configured_threads()) {}

    // A piece of another run, on one of its workers: what ends the one ends the other.
    Run(Run& whole, int worker) : whole_(&whole), worker_(worker), interrupted_(nullptr), last_(), threads_(1) {}

    int threads() const { return threads_; }

    // After an exception that the caller deals with.
    void resume() { stop_.store(false, std::memory_order_relaxed); }

    // Calls f(worker) on `count` workers at once; worker 0 is the calling thread. The first exception wins.
    void workers(int count, Call<int> f);

    // Calls f(task, worker) for every task, handed out one by one.
    void tasks(i64 count, Call<i64, int> f);

    // To be called every few thousand points: throws Interrupted when the run is to end.
    void poll(int worker);

    // Calls f(i) for i in [begin, end), and polls on the way.
    template <class F>
    void each(i64 begin, i64 end, F&& f, int worker = 0) {
        constexpr i64 kSteps = i64{1} << 16;
        for (i64 at = begin; at < end;) {
            poll(worker);
            for (const i64 stop = std::min(end, at + kSteps); at < stop; ++at) f(at);
        }
    }

    // As std::stable_sort, piece by piece.
    template <class It, class Less>
    void stable_sort(It begin, It end, Less less) {
        constexpr std::ptrdiff_t kPiece = 1 << 16;
        const std::ptrdiff_t count = end - begin;
        for (std::ptrdiff_t at = 0; at < count; at += kPiece) {
            poll(0);
            std::stable_sort(begin + at, begin + std::min(count, at + kPiece), less);
        }
        for (std::ptrdiff_t width = kPiece; width < count; width *= 2)
            for (std::ptrdiff_t at = 0; at + width < count; at += 2 * width) {
                poll(0);
                std::inplace_merge(begin + at, begin + at + width, begin + std::min(count, at + 2 * width), less);
            }
    }

  private:
    using Clock = std::chrono::steady_clock;

    Run* whole_ = nullptr;
    int worker_ = 0;
    bool (*interrupted_)();
    Clock::time_point last_;  // touched by worker 0 only
    std::atomic<bool> stop_{false};
    int threads_;
};

}  // namespace clusterdiff
