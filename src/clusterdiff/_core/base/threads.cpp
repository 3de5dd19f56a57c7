#include "base/threads.hpp"

#include <cstdlib>
#include <mutex>
#include <string>

#include "base/pool.hpp"

namespace clusterdiff {

int configured_threads() {
    static const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));  // a file is read for it
    const char* text = std::getenv("CLUSTERDIFF_THREADS");
    if (!text || !*text) return cores;
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*end || value < 1 || value > 4096)
        throw BadValue(std::string("CLUSTERDIFF_THREADS must be a whole number from 1 to 4096, not '") + text + "'");
    return static_cast<int>(value);
}

void Run::workers(int count, Call<int> f) {
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
    Pool::instance().run(count, guarded);
    if (error) std::rethrow_exception(error);
}

void Run::tasks(i64 count, Call<i64, int> f) {
    std::atomic<i64> next{0};
    workers(static_cast<int>(std::min<i64>(threads_, count)), [&](int worker) {
        for (;;) {
            const i64 task = next.fetch_add(1, std::memory_order_relaxed);
            if (task >= count) return;
            poll();
            f(task, worker);
        }
    });
}

void Run::poll() {
    if (whole_) return whole_->poll();
    if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
    if (std::this_thread::get_id() != caller_) return;
    const auto now = rough_time();
    if (now - last_ < pause.load(std::memory_order_relaxed)) return;
    last_ = now;
    if (interrupted_()) {
        stop_.store(true, std::memory_order_relaxed);
        throw Interrupted();
    }
}

}  // namespace clusterdiff
