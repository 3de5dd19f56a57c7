#include "chance/split_merge.hpp"

#include "chance/hypergeometric.hpp"
#include "chance/others.hpp"

namespace clusterdiff {

namespace {

using Values = std::vector<double>;

// Given that x points lie in both L and C, the other cells of L and the other cells of C are independent. So
//     E[S] = 1/n sum over L, C and x of x h(x; n, a, b) E[s_L | x] E[s_C | x],   h hypergeometric,
// and E[s_L | x] is what the cell itself holds of L, plus F_b(a - x), over a log a.
class Side {
  public:
    Side(Content content, const Sizes& sizes, std::vector<Others>&& other) : content_(content), sizes_(sizes), others_(std::move(other)) {}

    double size(std::size_t i) const { return static_cast<double>(sizes_[i].size); }
    double count(std::size_t i) const { return sizes_[i].count; }
    std::size_t distinct() const { return sizes_.size(); }
    const Others& others(std::size_t i) const { return others_[i]; }

    // What the cell holds of a cluster of a points: x log x, or for the loss x log(a / x) + (a - x) log(a / (a - x)).
    void own(double a, double x, double step, int count, double* out) const {
        for (int k = 0; k < count; ++k, x += step) {
            if (content_ == Content::kept) {
                out[k] = xlogx(static_cast<i64>(x));
            } else {
                const double rest = a - x;
                out[k] = (x > 0 ? x * log_one_plus(rest / x) : 0) + (rest > 0 ? rest * log_one_plus(x / rest) : 0);
            }
        }
    }

  private:
    Content content_;
    const Sizes& sizes_;
    std::vector<Others> others_;
};

// Values at consecutive x, tabulated once for a tile of pairs of sizes.
struct Tabulated {
    double first = 0;
    Values values;
    const double* from(double x) const { return values.data() + static_cast<std::size_t>(x - first); }
};

constexpr std::size_t kTile = 64;
constexpr i64 kWidest = 1 << 14;

// One tile of pairs of sizes; its scratch memory.
class Tile {
  public:
    Tile(double n, const Side& truth, const Side& pred, std::size_t i0, std::size_t j0)
        : n_(n), truth_(truth), pred_(pred), i0_(i0), j0_(j0), i1_(std::min(i0 + kTile, truth.distinct())), j1_(std::min(j0 + kTile, pred.distinct())) {
        tabulate();
    }

    template <Content kContent>
    double sum() {
        Exactish all;
        for (std::size_t i = i0_; i < i1_; ++i)
            for (std::size_t j = j0_; j < j1_; ++j) all.add(truth_.count(i) * pred_.count(j) * pair<kContent>(i, j));
        return all.value();
    }
    i64 terms() const { return terms_; }

  private:
    const Places& at(std::size_t i, std::size_t j) const { return places_[(i - i0_) * (j1_ - j0_) + (j - j0_)]; }

    // Where all pairs of the tile are looked at x by x, and at much the same x, values depend on one size and x alone.
    void tabulate() {
        double each = 0, low = 1e300, high = -1;
        bool bell = false;
        for (std::size_t i = i0_; i < i1_; ++i)
            for (std::size_t j = j0_; j < j1_; ++j) {
                const Places p = places_.emplace_back(places(n_, truth_.size(i), pred_.size(j)));
                bell |= p.bell;
                each += static_cast<double>(p.count);
                low = std::min(low, p.first);
                high = std::max(high, p.last());
            }
        const double width = high - low + 1, pairs = static_cast<double>(places_.size());
        if (bell || pairs <= 16 || width > kWidest || width > 4 * each / pairs) return;
        for (std::size_t i = i0_; i < i1_; ++i) own_true_.push_back(own_at(truth_, i, low, high));
        for (std::size_t j = j0_; j < j1_; ++j) own_pred_.push_back(own_at(pred_, j, low, high));
        for (std::size_t j = j0_; j < j1_; ++j) {
            double top = 0, bottom = 1e300;
            for (std::size_t i = i0_; i < i1_; ++i) reach(truth_.size(i), at(i, j), top, bottom);
            others_pred_.push_back(others_at(pred_, j, top, bottom, few(i1_ - i0_, width)));
        }
        for (std::size_t i = i0_; i < i1_; ++i) {
            double top = 0, bottom = 1e300;
            for (std::size_t j = j0_; j < j1_; ++j) reach(pred_.size(j), at(i, j), top, bottom);
            others_true_.push_back(others_at(truth_, i, top, bottom, few(j1_ - j0_, width)));
        }
    }
    // How many values are fewer than those that as many pairs look at, of which a window has two or three times as many.
    static double few(std::size_t pairs, double width) { return std::max(4.0, static_cast<double>(pairs) / 3) * width; }
    static void reach(double size, const Places& p, double& top, double& bottom) {
        top = std::max(top, size - p.first);
        bottom = std::min(bottom, size - p.last());
    }
    static Tabulated own_at(const Side& side, std::size_t i, double low, double high) {
        Tabulated t{low, Values(static_cast<std::size_t>(high - low) + 1)};
        side.own(side.size(i), low, 1, static_cast<int>(std::min(high, side.size(i)) - low) + 1, t.values.data());
        return t;
    }
    // F at r = size - x, by x - size; nothing if there are too many of them, which are then found pair by pair.
    static Tabulated others_at(const Side& side, std::size_t i, double top, double bottom, double most) {
        if (top - bottom + 1 > most) return {};
        Tabulated t{-top, Values(static_cast<std::size_t>(top - bottom) + 1)};
        side.others(i).descend(top, 1, static_cast<int>(t.values.size()), t.values.data());
        return t;
    }

    const double* own(const Side& side, std::size_t i, const std::vector<Tabulated>& table, std::size_t i0, Values& scratch) const {
        if (!table.empty()) return table[i - i0].from(first_);
        scratch.resize(static_cast<std::size_t>(count_));
        side.own(side.size(i), first_, step_, count_, scratch.data());
        return scratch.data();
    }
    const double* others(const Side& side, std::size_t j, double a, const std::vector<Tabulated>& table, std::size_t j0, Values& scratch) const {
        if (!table.empty() && !table[j - j0].values.empty()) return table[j - j0].from(first_ - a);
        scratch.resize(static_cast<std::size_t>(count_));
        side.others(j).descend(a - first_, step_, count_, scratch.data());
        return scratch.data();
    }

    // Weights at first_, first_ + step_, …; returns their sum.
    double weigh(double a, double b, const Places& p) {
        first_ = p.first;
        step_ = p.step;
        count_ = static_cast<int>(p.count);
        weights_.resize(static_cast<std::size_t>(p.count));
        weight_ = weights_.data();
        if (p.bell) {
            const Bell bell(n_, a, b);
            double total = 0;
            for (int k = 0; k < count_; ++k) total += weights_[static_cast<std::size_t>(k)] = bell.weight(first_ + k * step_);
            return total;
        }
        // By ratios outwards from the mode, until nothing is left that could change a bit: x s t grows no faster than x^3
        // beyond x = 2.
        const double high = p.last(), mode = std::clamp(mode_of(n_, a, b), first_, high), rest = n_ - a - b;
        double* const middle = weights_.data() + static_cast<std::size_t>(mode - first_);
        double *up = middle, *down = middle, total = *middle = 1, w = 1;
        double bulk = mode * mode * mode;
        for (double x = mode; x < high;) {
            w *= (a - x) * (b - x) / ((x + 1) * (rest + x + 1));
            total += *++up = w;
            ++x;
            const double term = w * (x * x * x);
            if (x <= 2)
                bulk = std::max(bulk, term);
            else if (term < 1e-20 * bulk)
                break;
        }
        w = 1;
        for (double x = mode; x > first_;) {
            w *= x * (rest + x) / ((a - x + 1) * (b - x + 1));
            total += *--down = w;
            --x;
            if (w < 1e-21) break;
        }
        first_ += static_cast<double>(down - weights_.data());
        if (first_ == 0) {  // an empty cell adds nothing
            ++down;
            ++first_;
        }
        count_ = static_cast<int>(up - down) + 1;
        weight_ = down;
        return total;
    }

    template <Content kContent>
    double pair(std::size_t i, std::size_t j) {
        const double a = truth_.size(i), b = pred_.size(j), total = weigh(a, b, at(i, j));
        if (count_ <= 0) return 0;
        terms_ += count_;
        const double *own_a = own(truth_, i, own_true_, i0_, own_a_), *rest_a = others(pred_, j, a, others_pred_, j0_, rest_a_);
        const double *own_b = own(pred_, j, own_pred_, j0_, own_b_), *rest_b = others(truth_, i, b, others_true_, i0_, rest_b_);
        // A singleton keeps everything, and loses nothing.
        const double per_a = a > 1 ? 1 / xlogx(static_cast<i64>(a)) : 0, per_b = b > 1 ? 1 / xlogx(static_cast<i64>(b)) : 0;
        const double one_a = kContent == Content::kept && a == 1, one_b = kContent == Content::kept && b == 1;
        double sum = 0;
        for (int k = 0; k < count_; ++k) {
            const double s = one_a + (own_a[k] + rest_a[k]) * per_a, t = one_b + (own_b[k] + rest_b[k]) * per_b;
            const double both = kContent == Content::kept ? s * t : s + t - s * t;
            sum += weight_[k] * (first_ + k * step_) * both;
        }
        return sum / total;
    }

    double n_;
    const Side &truth_, &pred_;
    std::size_t i0_, j0_, i1_, j1_;
    std::vector<Places> places_;
    std::vector<Tabulated> own_true_, own_pred_, others_true_, others_pred_;
    double first_ = 0, step_ = 1;
    int count_ = 0;
    i64 terms_ = 0;
    const double* weight_ = nullptr;
    Values weights_, own_a_, own_b_, rest_a_, rest_b_;
};

}  // namespace

Mean expected_s_h(const Sizes& truth, const Sizes& pred, i64 n, bool lost, Run& run) {
    const double all = static_cast<double>(n);
    const Content content = lost ? Content::lost : Content::kept;
    i64 terms = 0;
    const Side true_side(content, truth, others(content, all, truth, pred, run, terms)), pred_side(content, pred, others(content, all, pred, truth, run, terms));
    const std::size_t across = (pred.size() + kTile - 1) / kTile, down = (truth.size() + kTile - 1) / kTile;
    std::vector<Mean> tiles(across * down);  // added up in order: the same bits for any number of threads
    run.tasks(static_cast<i64>(tiles.size()), [&](i64 task, int) {
        const std::size_t t = static_cast<std::size_t>(task);
        Tile tile(all, true_side, pred_side, t / across * kTile, t % across * kTile);
        const double sum = lost ? tile.sum<Content::lost>() : tile.sum<Content::kept>();
        tiles[t] = {sum, tile.terms()};
    });
    Exactish sum;
    for (const Mean& tile : tiles) {
        sum.add(tile.value);
        terms += tile.terms;
    }
    return {sum.value() / all, terms};
}

}  // namespace clusterdiff
