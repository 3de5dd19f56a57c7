#include "explain/greedy.hpp"

namespace clusterdiff {

std::vector<i64> greedy(const Labels& truth, const Labels& pred, i64 k_true, i64 k_pred, Run& run) {
    auto true_taken = Buffer<u8>::zeros(k_true), pred_taken = Buffer<u8>::zeros(k_pred);
    std::vector<i64> out;
    run.each(0, truth.n, [&](i64 q) {
        const i64 row = static_cast<i64>(truth[q]), column = static_cast<i64>(pred[q]);
        if (row < 0 || row >= k_true || column < 0 || column >= k_pred) throw BadValue("true and pred must be codes of clusters");
        if (true_taken[row] || pred_taken[column]) return;
        true_taken[row] = pred_taken[column] = 1;
        out.push_back(q);
    });
    return out;
}

}  // namespace clusterdiff
