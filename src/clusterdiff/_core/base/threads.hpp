// Threads and interruption. Work is cut into pieces that depend on the data alone, never on the number of threads,
// so the same bits come out whatever that number is.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/common.hpp"

namespace clusterdiff {

// Thrown when the user interrupted the run; the binding turns it into the pending Python exception.
struct Interrupted : std::exception {};

// CLUSTERDIFF_THREADS, or all cores. Read at every call, so that a program can change its mind.
inline int configured_threads() {
    const char* text = std::getenv("CLUSTERDIFF_THREADS");
    if (!text || !*text) return std::max(1u, std::thread::hardware_concurrency());
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*end || value < 1 || value > 4096)
        throw BadValue(std::string("CLUSTERDIFF_THREADS must be a whole number from 1 to 4096, not '") + text + "'");
    return static_cast<int>(value);
}

// One call into the core: how many threads it may use, and whether the user wants it to stop.
class Run {
  public:
    // Below this many points starting a thread costs more than it saves.
    static constexpr i64 kSerial = i64{1} << 17;

    // `interrupted` is asked now and then, on the calling thread only.
    Run(i64 work, bool (*interrupted)()) : interrupted_(interrupted), last_(Clock::now()) {
        threads_ = work < kSerial ? 1 : configured_threads();
    }

    int threads() const { return threads_; }

    // After an exception that the caller deals with.
    void resume() { stop_.store(false, std::memory_order_relaxed); }

    // Calls f(worker) on `count` workers at once; worker 0 is the calling thread. The first exception wins.
    template <class F>
    void workers(int count, F&& f) {
        if (count <= 1) {
            f(0);
            return;
        }
        std::exception_ptr error;
        std::mutex mutex;
        auto guarded = [&](int worker) {
            try {
                f(worker);
            } catch (...) {
                std::lock_guard lock(mutex);
                if (!error) error = std::current_exception();
                stop_.store(true, std::memory_order_relaxed);
            }
        };
        std::vector<std::thread> team;
        team.reserve(static_cast<std::size_t>(count) - 1);
        int started = 1;
        try {
            for (; started < count; ++started) team.emplace_back(guarded, started);
        } catch (const std::system_error&) {
            // No more threads to be had: the calling thread does the missing workers' share below.
        }
        guarded(0);
        for (int worker = started; worker < count; ++worker) guarded(worker);
        for (auto& thread : team) thread.join();
        if (error) std::rethrow_exception(error);
    }

    // Calls f(task, worker) for every task, handed out one by one.
    template <class F>
    void tasks(i64 count, F&& f) {
        std::atomic<i64> next{0};
        const int team = static_cast<int>(std::min<i64>(threads_, count));
        workers(team, [&](int worker) {
            for (;;) {
                const i64 task = next.fetch_add(1, std::memory_order_relaxed);
                if (task >= count) return;
                poll(worker);
                f(task, worker);
            }
        });
    }

    // To be called every few thousand points: throws Interrupted when the run is to end.
    void poll(int worker) {
        if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
        if (worker != 0) return;
        const auto now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        last_ = now;
        if (interrupted_()) {
            stop_.store(true, std::memory_order_relaxed);
            throw Interrupted();
        }
    }

  private:
    using Clock = std::chrono::steady_clock;

    bool (*interrupted_)();
    Clock::time_point last_;  // touched by worker 0 only
    std::atomic<bool> stop_{false};
    int threads_ = 1;
};

}  // namespace clusterdiff
