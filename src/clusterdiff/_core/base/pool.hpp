// Threads that wait for work: waking one takes a fraction of the time that starting one takes, and one that has just
// been busy looks out for more for a moment before it sleeps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/call.hpp"

namespace clusterdiff {

// Whoever is free takes the next share of a job: a waiting thread, or the caller, who waits for shares that others have
// begun and for nothing else. So jobs of several callers at once, and jobs within jobs, share the threads that there are.
class Pool {
  public:
    // That of this process. It lasts as long as the process does, and no thread of it ever looks at Python.
    static Pool& instance();

    // Calls f(share) once for every share in [0, count), the first of them on the calling thread. It must not throw.
    void run(int count, Call<int> f);

  private:
    struct Job {
        Call<int> f;
        int count;
        int next = 0;                // the first share that nobody has begun
        std::atomic<int> others{0};  // threads of the pool that are at it
    };

    void start_threads(int wanted);
    void serve();
    int take_share(Job& job);

    std::mutex mutex_;
    std::condition_variable begun_, ended_;
    std::vector<Job*> open_;          // those with shares that nobody has begun, the oldest first
    std::atomic<bool> any_{false};    // whether there are any
    int threads_ = 0, sleeping_ = 0, waiting_ = 0;
};

}  // namespace clusterdiff
