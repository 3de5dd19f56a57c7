// Random numbers for draws that may be made in any order: a stream for each number.
#pragma once

#include "base/common.hpp"

namespace clusterdiff {

// SplitMix64.
class Stream {
  public:
    Stream(u64 seed, u64 number) : state_(mixed(mixed(seed + kStep) ^ mixed(number * kStep + 1))) {}
    u64 next() { return mixed(state_ += kStep); }

  private:
    static constexpr u64 kStep = 0x9e3779b97f4a7c15;
    static u64 mixed(u64 z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    u64 state_;
};

}  // namespace clusterdiff
