#include "sums/totals.hpp"

namespace clusterdiff {

CLUSTERDIFF_CLONES void evaluate(CellBlock& block, int count) {
    for (int i = 0; i < count; ++i) block.split[i] = block.m[i] * log_one_plus(block.split[i]);
    for (int i = 0; i < count; ++i) block.merge[i] = block.m[i] * log_one_plus(block.merge[i]);
    for (int i = 0; i < count; ++i) block.chi2[i] = block.both[i] * block.ratio[i] * block.ratio[i];
    for (int i = 0; i < count; ++i) block.ratio[i] = block.both[i] * excess(block.ratio[i]);
}

}  // namespace clusterdiff
