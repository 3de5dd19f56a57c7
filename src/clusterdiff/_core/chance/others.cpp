#include "chance/others.hpp"

#include <atomic>
#include <bit>
#include <numbers>

#include "chance/hypergeometric.hpp"

namespace clusterdiff {

namespace {

using Values = std::vector<double>;
constexpr int P = Others::kNodes;
constexpr double kDirect = Others::kDirect;

// Chebyshev nodes of [-1, 1], and what turns values there into coefficients.
struct Chebyshev {
    double node[P], coefficient[P][P];
    Chebyshev() {
        for (int i = 0; i < P; ++i) node[i] = std::cos(std::numbers::pi * (i + 0.5) / P);
        for (int k = 0; k < P; ++k)
            for (int i = 0; i < P; ++i) coefficient[k][i] = std::cos(std::numbers::pi * k * (i + 0.5) / P) * (k ? 2.0 : 1.0) / P;
    }
};
const Chebyshev chebyshev;

double octave_start(int octave) { return std::ldexp(kDirect, octave); }
// The exponent of s, less that of the first octave.
int octave_of(double s) {
    static_assert(kDirect == 64);
    return std::max(0, static_cast<int>(std::bit_cast<u64>(s) >> 52) - (1023 + 6));
}

// Sizes that need not be whole, with counts that need not either.
struct Marked {
    double size, count;
};

double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

// E f(X, r) with K of N points marked.
double part_mean(Content content, double N, double K, double r, i64& asked) {
    if (r <= 0 || K <= 0 || (content == Content::kept && (K <= 1 || r <= 1))) return 0;
    const Folded folded(N, K, r);
    const bool whole = folded.shift == std::floor(folded.shift);  // then every x is, and small ones have a table
    auto kept = [whole](double x) { return whole ? xlogx(static_cast<i64>(std::max(x, 0.0))) : x_log_x(x); };
    if (content == Content::kept) return hypergeometric_mean(N, folded, kept, asked);
    const double log_r = std::log(r);
    auto lost = [&](double x) {
        if (x <= 0) return 0.0;
        // Close to r the logarithm is small, and no longer the difference of two.
        return 2 * x < r ? x * log_r - kept(x) : x * log_one_plus((r - x) / x);
    };
    return hypergeometric_mean(N, folded, lost, asked);
}

// Sums over many sizes of a smooth function of the size: the sizes of an octave become its Chebyshev nodes.
std::vector<Marked> condensed(const Sizes& all, std::size_t count) {
    std::vector<Marked> out;
    auto size = [&](std::size_t i) { return static_cast<double>(all[i].size); };
    for (std::size_t i = 0; i < count;) {
        std::size_t end = i + 1;
        if (size(i) >= kDirect) {
            const double stop = octave_start(octave_of(size(i)) + 1);
            while (end < count && size(end) < stop) ++end;
        }
        if (end - i <= P) {
            for (; i < end; ++i) out.push_back({size(i), all[i].count});
            continue;
        }
        const double mid = (size(i) + size(end - 1)) / 2, half = (size(end - 1) - size(i)) / 2;
        double weight[P] = {};
        for (; i < end; ++i) {
            const double u = (size(i) - mid) / half;
            double term[P];  // the Chebyshev polynomials at u
            term[0] = 1;
            term[1] = u;
            for (int k = 2; k < P; ++k) term[k] = 2 * u * term[k - 1] - term[k - 2];
            for (int j = 0; j < P; ++j) {
                double lagrange = 0;
                for (int k = 0; k < P; ++k) lagrange += chebyshev.coefficient[k][j] * term[k];
                weight[j] += all[i].count * lagrange;
            }
        }
        for (int j = 0; j < P; ++j) out.push_back({mid + half * chebyshev.node[j], weight[j]});
    }
    return out;
}

// Which r are asked for: small ones, and octaves.
struct Asked {
    int direct = 0;  // how many small r, from 0
    std::vector<char> octave;
    explicit Asked(int octaves) : octave(static_cast<std::size_t>(octaves)) {}
    void add(const Asked& other) {
        direct = std::max(direct, other.direct);
        for (std::size_t p = 0; p < octave.size(); ++p) octave[p] |= other.octave[p];
    }
};

// All r at which F is computed for one size: N points outside the cluster, series in units of the scale.
Values nodes(const Asked& asked, double N, double scale) {
    Values r;
    for (int j = 0; j < asked.direct; ++j) r.push_back(std::min<double>(j, N));
    for (std::size_t p = 0; p < asked.octave.size(); ++p) {
        if (!asked.octave[p]) continue;
        const double low = octave_start(static_cast<int>(p)), top = std::min(2 * low, N / scale);
        for (int j = 0; j < P; ++j) r.push_back(std::min(N, ((low + top) / 2 + (top - low) / 2 * chebyshev.node[j]) * scale));
    }
    return r;
}

}  // namespace

Places places(double n, double a, double b) {
    if (const Bell bell(n, a, b); bell.count) return {bell.first, bell.step, bell.count, true};
    const Window window(n, a, b);
    return {window.low, 1, static_cast<i64>(window.high - window.low) + 1, false};
}

// F for all sizes of one side. Where there are many, small clusters share what small clusters hold: that sum, as a
// function of N = n - b, is interpolated between a few N.
class OthersOfSide {
  public:
    OthersOfSide(Content content, double n, const Sizes& own, const Sizes& asking, Run& run)
        : content_(content), n_(n), own_(own), made_(own.size()), asked_(own.size(), Asked(octave_of(2 * n) + 2)) {
        if (own.size() > 24)
            while (small_ < own.size() && static_cast<double>(own[small_].size) <= n / 8) ++small_;
        run.tasks(count(), [&](i64 i, int) { ask(at(i), asking); });
        if (small_) share(run);
        run.tasks(count(), [&](i64 i, int) { make(at(i), run); });
    }
    std::vector<Others> take() { return std::move(made_); }
    i64 terms() const { return terms_.load(); }

  private:
    static std::size_t at(i64 i) { return static_cast<std::size_t>(i); }
    i64 count() const { return static_cast<i64>(own_.size()); }
    double size(std::size_t i) const { return static_cast<double>(own_[i].size); }

    void ask(std::size_t i, const Sizes& asking) {
        const double b = size(i);
        Others& o = made_[i];
        o.scale_ = i < small_ ? (n_ - b) / n_ : 1;
        o.top_ = i < small_ ? n_ : n_ - b;
        for (const SizeCount& other : asking) {
            const double a = static_cast<double>(other.size);
            const Places x = places(n_, a, b);
            const double high = a - x.first, low = a - x.last();
            if (low < kDirect) asked_[i].direct = std::max(asked_[i].direct, static_cast<int>(std::min(high, kDirect - 1)) + 1);
            if (high < kDirect) continue;
            const int last = octave_of(high / o.scale_);
            for (int p = octave_of(std::max(low, kDirect) / o.scale_); p <= last; ++p) asked_[i].octave[static_cast<std::size_t>(p)] = 1;
        }
    }

    void share(Run& run) {
        for (std::size_t i = 1; i < small_; ++i) asked_[0].add(asked_[i]);
        for (std::size_t i = 1; i < small_; ++i) asked_[i] = asked_[0];
        const double low = n_ - size(small_ - 1), high = n_ - size(0), half = (high - low) / 2, mid = (high + low) / 2;
        // Nothing happens to the sum before N comes down to the largest size: nodes enough for 32 powers of e.
        const double far = half > 0 ? (mid - size(small_ - 1)) / half : 1e9;
        const int q = std::max(3, static_cast<int>(std::ceil(32 / std::log(far + std::sqrt(far * far - 1)))) + 1);
        std::vector<Values> r;
        for (int j = 0; j < q; ++j) {
            between_.push_back(mid + half * std::cos(std::numbers::pi * (j + 0.5) / q));
            r.push_back(nodes(asked_[0], between_.back(), between_.back() / n_));
            shared_.emplace_back(r.back().size());
        }
        few_ = condensed(own_, small_);
        const std::size_t each = r[0].size();
        run.tasks(static_cast<i64>(static_cast<std::size_t>(q) * each), [&](i64 task, int) {
            const std::size_t j = at(task) / each, s = at(task) % each;
            i64 asked = 0;
            shared_[j][s] = of_few(between_[j], r[j][s], asked);
            terms_ += asked;
        });
    }

    // How much each of the N between which the sum was computed counts at another one (barycentric weights).
    Values mixture(double N) const {
        const std::size_t q = between_.size();
        Values weight(q);
        double total = 0;
        for (std::size_t j = 0; j < q; ++j) {
            if (N == between_[j]) {
                std::fill(weight.begin(), weight.end(), 0.0);
                weight[j] = 1;
                return weight;
            }
            const double angle = std::numbers::pi * (static_cast<double>(j) + 0.5) / static_cast<double>(q);
            total += weight[j] = (j % 2 ? -1 : 1) * std::sin(angle) / (N - between_[j]);
        }
        for (double& w : weight) w /= total;
        return weight;
    }

    // What small clusters hold of r points among N.
    double of_few(double N, double r, i64& asked) const {
        double sum = 0;
        for (const Marked& m : few_) sum += m.count * part_mean(content_, N, m.size, r, asked);
        return sum;
    }

    void make(std::size_t i, Run& run) {
        const double b = size(i), N = n_ - b;
        const bool shares = i < small_;
        Others& o = made_[i];
        const Asked& asked = asked_[i];
        const Values r = nodes(asked, N, o.scale_), weight = shares ? mixture(N) : Values();
        Values value(r.size());
        i64 terms = 0;
        for (std::size_t s = 0; s < r.size(); ++s) {
            run.poll();
            for (std::size_t j = 0; j < weight.size(); ++j) value[s] += weight[j] * shared_[j][s];
            value[s] += shares ? -part_mean(content_, N, b, r[s], terms)  // C is not among them
                               : of_few(N, r[s], terms);
            for (std::size_t other = small_; other < own_.size(); ++other)
                if (const double times = own_[other].count - (other == i); times > 0)
                    value[s] += times * part_mean(content_, N, size(other), r[s], terms);
        }
        terms_ += terms;
        o.direct_.assign(value.begin(), value.begin() + asked.direct);
        std::size_t s = static_cast<std::size_t>(asked.direct);
        o.octaves_.resize(asked.octave.size());
        for (std::size_t p = 0; p < asked.octave.size(); ++p) {
            if (!asked.octave[p]) continue;
            Values& c = o.octaves_[p];
            c.assign(P, 0.0);
            for (std::size_t k = 0; k < P; ++k)
                for (std::size_t j = 0; j < P; ++j) c[k] += chebyshev.coefficient[k][j] * value[s + j];
            s += P;
        }
    }

    Content content_;
    double n_;
    const Sizes& own_;
    std::vector<Others> made_;
    std::vector<Asked> asked_;
    std::size_t small_ = 0;        // sizes that share
    std::vector<Marked> few_;      // those, condensed
    Values between_;               // the N
    std::vector<Values> shared_;   // the sum at each of them
    std::atomic<i64> terms_{0};    // of all hypergeometric sums
};

std::vector<Others> others(Content content, double n, const Sizes& own, const Sizes& asking, Run& run, i64& terms) {
    OthersOfSide side(content, n, own, asking, run);
    terms += side.terms();
    return side.take();
}

void Others::descend(double r, double step, int count, double* out) const {
    int i = 0;
    while (i < count) {
        const double here = r - i * step;
        if (here < kDirect) {
            for (; i < count; ++i) {
                const std::size_t k = static_cast<std::size_t>(r - i * step);
                out[i] = k < direct_.size() ? direct_[k] : 0;  // never asked for
            }
            return;
        }
        const int p = octave_of(here / scale_);
        const double low = octave_start(p) * scale_;  // all that are not below it lie in this octave
        const int last = std::clamp(static_cast<int>(std::floor((r - std::max(low, kDirect)) / step)), i, count - 1);
        series(p, here, step, last + 1 - i, out + i);
        i = last + 1;
    }
}

// Clenshaw's recurrence, many places at a time: a Chebyshev series at from, from + by, …
CLUSTERDIFF_CLONES void clenshaw(const double* c, double from, double by, int count, double* out) {
    constexpr int kLanes = 16;
    for (int i = 0; i < count; i += kLanes) {
        double twice[kLanes], b1[kLanes], b2[kLanes], sum[kLanes];
        for (int j = 0; j < kLanes; ++j) {
            twice[j] = 2 * (from + (i + j) * by);
            b1[j] = c[P - 1];
            b2[j] = 0;
        }
        for (int k = P - 2; k > 0; --k)
            for (int j = 0; j < kLanes; ++j) {
                const double b = c[k] + twice[j] * b1[j] - b2[j];
                b2[j] = b1[j];
                b1[j] = b;
            }
        for (int j = 0; j < kLanes; ++j) sum[j] = c[0] + twice[j] / 2 * b1[j] - b2[j];
        std::copy(sum, sum + std::min(kLanes, count - i), out + i);
    }
}

void Others::series(int octave, double r, double step, int count, double* out) const {
    const double low = octave_start(octave), top = std::min(2 * low, top_), mid = (low + top) / 2, half = (top - low) / 2;
    if (octaves_[static_cast<std::size_t>(octave)].empty()) {  // never asked for
        std::fill(out, out + count, 0.0);
        return;
    }
    const double* c = octaves_[static_cast<std::size_t>(octave)].data();
    const double from = half > 0 ? (r / scale_ - mid) / half : 0, by = half > 0 ? -step / (scale_ * half) : 0;
    clenshaw(c, from, by, count, out);
}

}  // namespace clusterdiff
