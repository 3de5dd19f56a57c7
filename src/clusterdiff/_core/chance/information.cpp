#include "chance/information.hpp"

#include <algorithm>

namespace clusterdiff {

namespace {

// The size x of the cell of a true cluster of a points and a predicted one of b is hypergeometric. Its weights are
// built by their ratios, outwards from the mode, and divided by their own sum: no factorials, hence no large numbers.
class ChanceCell {
  public:
    ChanceCell(double a, double b, double n) : a_(a), b_(b), mean_(a * (b / n)), per_mean_(n / b / a), log_n_(std::log(n)) {
        // Where x is close to a or b, log(a / x) or log(b / x) is small, and no longer the difference of two logarithms.
        careful_ = std::min(a, b) < 16 || std::max(a, b) > n / 2;
        log_a_ = std::log(n / b);
        log_b_ = std::log(n / a);
        const double least = std::max(0.0, a + b - n), most = std::min(a, b), rest = n - a - b;
        const double mode = std::clamp(std::floor((a + 1) * ((b + 1) / (n + 2))), least, most);
        add(mode, 1);
        double w = 1;
        for (double x = mode; x < most;) {
            w *= (a - x) * (b - x) / ((x + 1) * (rest + x + 1));
            if (!add(++x, w)) break;
        }
        w = 1;
        for (double x = mode; x > least;) {
            w *= x * (rest + x) / ((a - x + 1) * (b - x + 1));
            if (!add(--x, w)) break;
        }
    }
    // The expected x log(nx / ab), x log(a / x) and x log(b / x).
    double mutual() const { return mutual_ / total_; }
    double split_info() const { return split_ / total_; }
    double merge_info() const { return merge_ / total_; }

  private:
    // False once what is left can no longer change a bit of any of the sums.
    bool add(double x, double w) {
        total_ += w;
        // The sum of x log(x / mean) is mean times that of excess(x / mean - 1), whose terms are not negative:
        // deviations from the mean add up to 0. An empty cell has an excess of 1.
        if (x > 0) {
            const double t = (x - mean_) * per_mean_;
            mutual_ += w * mean_ * excess(t);
            if (careful_) {
                split_ += w * x * log_one_plus((a_ - x) / x);
                merge_ += w * x * log_one_plus((b_ - x) / x);
            } else {
                const double over = log_one_plus(t);  // log(x / mean), at no cost beside the excess
                split_ += w * x * (log_a_ - over);
                merge_ += w * x * (log_b_ - over);
            }
        } else {
            mutual_ += w * mean_;
        }
        return w * (x + mean_) * log_n_ > 1e-21 * std::min({mutual_, split_, merge_});
    }

    double a_, b_, mean_, per_mean_, log_n_;
    double log_a_, log_b_;  // log(a / mean) and log(b / mean)
    bool careful_;
    double total_ = 0, mutual_ = 0, split_ = 0, merge_ = 0;
};

}  // namespace

Expected expected_information(const Sizes& truth, const Sizes& pred, i64 n, Run& run) {
    const double all = static_cast<double>(n);
    // A row a task, added up in order: the same bits for any number of threads.
    std::vector<Expected> rows(truth.size());
    run.tasks(static_cast<i64>(truth.size()), [&](i64 task, int) {
        const SizeCount t = truth[static_cast<std::size_t>(task)];
        Exactish mutual, split, merge, merge_loss;
        for (const SizeCount& p : pred) {
            const ChanceCell cell(static_cast<double>(t.size), static_cast<double>(p.size), all);
            const double count = t.count * p.count;
            mutual.add(count * cell.mutual());
            split.add(count * cell.split_info());
            merge.add(count * cell.merge_info());
            if (p.size > 1) merge_loss.add(count * cell.merge_info() / std::log(static_cast<double>(p.size)));
        }
        const double split_loss = t.size > 1 ? split.value() / std::log(static_cast<double>(t.size)) : 0;
        rows[static_cast<std::size_t>(task)] = {mutual.value(), split.value(), merge.value(), split_loss, merge_loss.value()};
    });
    Exactish mutual, split, merge, split_loss, merge_loss;
    for (const Expected& row : rows) {
        mutual.add(row.mutual);
        split.add(row.split_info);
        merge.add(row.merge_info);
        split_loss.add(row.split_loss);
        merge_loss.add(row.merge_loss);
    }
    return {mutual.value() / all, split.value() / all, merge.value() / all, split_loss.value() / all, merge_loss.value() / all};
}

}  // namespace clusterdiff
