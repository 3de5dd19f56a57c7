#include "base/pool.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#include <signal.h>
#endif

namespace clusterdiff {

namespace {

// Waits a moment for what is likely to come at once: the next pass of a call, or the last share of this one.
template <class F>
bool look_out(F&& come) {
    constexpr std::chrono::microseconds kMoment{20};
    const auto end = std::chrono::steady_clock::now() + kMoment;
    do {
        if (come()) return true;
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

std::atomic<Pool*> pool{nullptr};

#if !defined(_WIN32)

// A forked child has none of the threads, and perhaps a lock that one of them held: it makes a pool of its own.
[[maybe_unused]] const int forks = pthread_atfork(nullptr, nullptr, [] { pool.store(nullptr); });

// Signals are for the threads of the program, whose calls of the system they are to end. Faults are everybody's own.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, fault);
        pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_;
};

#else

struct SignalsBlocked {};

#endif

}  // namespace

Pool& Pool::instance() {
    Pool* known = pool.load(std::memory_order_acquire);
    if (known) return *known;
    Pool* fresh = new Pool;
    if (pool.compare_exchange_strong(known, fresh)) return *fresh;
    delete fresh;
    return *known;
}

void Pool::run(int count, Call<int> f) {
    Job job{f, count};
    std::unique_lock lock(mutex_);
    start_threads(count - 1);
    open_.push_back(&job);
    any_ = true;
    while (job.next < count) {
        const int share = take_share(job);
        const int wanted = share == 0 ? std::min(sleeping_, count - 1) : 0;
        lock.unlock();
        for (int i = 0; i < wanted; ++i) begun_.notify_one();
        f(share);
        lock.lock();
    }
    lock.unlock();
    auto ended = [&] { return job.others.load(std::memory_order_acquire) == 0; };
    if (look_out(ended)) return;
    lock.lock();
    ++waiting_;
    ended_.wait(lock, ended);
    --waiting_;
}

// By whoever holds the lock.
int Pool::take_share(Job& job) {
    const int share = job.next++;
    if (job.next == job.count) {
        open_.erase(std::find(open_.begin(), open_.end(), &job));
        any_ = !open_.empty();
    }
    return share;
}

void Pool::start_threads(int wanted) {
    if (threads_ >= wanted) return;
    const SignalsBlocked blocked;
    try {
        for (; threads_ < wanted; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
        // No more threads to be had: those that there are take the shares of the others.
    }
}

void Pool::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (open_.empty()) {
            lock.unlock();
            look_out([&] { return any_.load(std::memory_order_relaxed); });
            lock.lock();
            ++sleeping_;
            begun_.wait(lock, [&] { return !open_.empty(); });
            --sleeping_;
        }
        Job& job = *open_.front();
        job.others.fetch_add(1, std::memory_order_relaxed);
        const int share = take_share(job);
        lock.unlock();
        job.f(share);
        lock.lock();
        // The caller may go on at once: nothing of the job is there afterwards.
        if (job.others.fetch_sub(1, std::memory_order_release) == 1 && waiting_) ended_.notify_all();
    }
}

}  // namespace clusterdiff
