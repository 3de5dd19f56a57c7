// When a run asks again whether it is to end.
#pragma once

#include <atomic>
#include <chrono>
#include <ctime>

namespace clusterdiff {

// The time since some moment in the past, exact to a few milliseconds: quick to read is what matters to small inputs.
inline std::chrono::nanoseconds rough_time() {
#if defined(CLOCK_MONOTONIC_COARSE)
    std::timespec now;
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
#else
    return std::chrono::steady_clock::now().time_since_epoch();
#endif
}

// How long it goes on in between.
inline std::atomic<std::chrono::milliseconds> pause{std::chrono::milliseconds(50)};

}  // namespace clusterdiff
