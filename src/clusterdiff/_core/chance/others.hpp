// The other cells of a cluster, by chance. Let x points of a true cluster L lie in a predicted cluster C of b points.
// The r others of L are then spread over the n - b points outside C, and what the other predicted clusters C' are
// expected to hold of them depends on b and r alone:
//     F_b(r) = sum over C' != C of E f(X, r),   X hypergeometric: r of n - b points drawn, |C'| marked.
#pragma once

#include <vector>

#include "base/numeric.hpp"
#include "base/threads.hpp"
#include "chance/sizes.hpp"

namespace clusterdiff {

// What is summed over the parts of a cluster: of a part of x points among r.
enum class Content {
    kept,  // x log x, what survives
    lost,  // x log(r / x), what does not
};

// F_b as a function of r: small r one by one, larger ones by octaves, each a Chebyshev series. Series run over r / scale.
class Others {
  public:
    static constexpr int kNodes = 18;       // of an octave; x log x needs 17 for the last bit
    static constexpr double kDirect = 64;   // below it, one by one

    // F at r, r - step, r - 2 step, …: as the cells of the other cluster grow.
    void descend(double r, double step, int count, double* out) const;

  private:
    friend class OthersOfSide;
    void series(int octave, double r, double step, int count, double* out) const;

    double scale_ = 1;
    double top_ = 0;  // the last octave ends here, in units of the scale
    std::vector<double> direct_;
    std::vector<std::vector<double>> octaves_;
};

// A Chebyshev series of kNodes terms at count places: from, from + by, …
void clenshaw(const double* coefficients, double from, double by, int count, double* out);

// F for each distinct size b of one side, wherever clusters of the other side will ask for it. Adds to `terms` how many
// terms of hypergeometric sums that took.
std::vector<Others> others(Content content, double n, const Sizes& own, const Sizes& asking, Run& run, i64& terms);

// The x at which a cell of clusters of a and b points is looked at: each in a window, or evenly spaced.
struct Places {
    double first, step;
    i64 count;
    bool bell;
    double last() const { return first + step * static_cast<double>(count - 1); }
};
Places places(double n, double a, double b);

}  // namespace clusterdiff
