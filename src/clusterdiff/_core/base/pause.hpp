// How long a run goes on before it asks again whether it is to end.
#pragma once

#include <atomic>
#include <chrono>

namespace clusterdiff {

inline std::atomic<std::chrono::milliseconds> pause{std::chrono::milliseconds(50)};

}  // namespace clusterdiff
