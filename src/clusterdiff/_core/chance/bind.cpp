#include "chance/information.hpp"
#include "chance/split_merge.hpp"
#include "chance/tables.hpp"
#include "python/bind.hpp"
#include "python/result.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result expected_result, mean_result;

// Distinct cluster sizes in ascending order, and how many clusters have each.
Sizes size_counts(nb::handle sizes, nb::handle counts, const char* name) {
    const Array s(sizes, name), c(counts, name);
    if (s.size() != c.size()) throw BadValue(std::string(name) + ": sizes and counts must have the same length");
    const i64* size = s.exactly<i64>("int64");
    const i64* whole = c.is_float() ? nullptr : c.exactly<i64>("int64");
    const double* mean = whole ? nullptr : c.exactly<double>("float64");
    Sizes out;
    for (i64 i = 0; i < s.size(); ++i) {
        if (size[i] < 1) throw BadValue(std::string(name) + ": sizes must be at least 1");
        if (whole ? whole[i] < 1 : !(mean[i] > 0)) throw BadValue(std::string(name) + ": counts must be above 0");
        if (i && size[i] <= size[i - 1]) throw BadValue(std::string(name) + ": sizes must ascend");
        out.push_back({size[i], whole ? static_cast<double>(whole[i]) : mean[i]});
    }
    return out;
}

// Counts are whole, or add up to a whole number of points but for rounding.
i64 points(const Sizes& side) {
    i64 n = 0;
    double rest = 0;
    for (const SizeCount& x : side) {
        const double whole = std::floor(x.count);
        n += x.size * static_cast<i64>(whole);
        rest += static_cast<double>(x.size) * (x.count - whole);
    }
    return n + std::llround(rest);
}

// Both sides, of the same points.
struct Margins {
    Sizes truth, pred;
    i64 n;
    Margins(nb::handle true_sizes, nb::handle true_counts, nb::handle pred_sizes, nb::handle pred_counts)
        : truth(size_counts(true_sizes, true_counts, "true")), pred(size_counts(pred_sizes, pred_counts, "pred")), n(points(truth)) {
        if (n != points(pred)) throw BadValue("true and pred must have the same number of points");
    }
    // A pair of sizes takes some dozens of steps.
    i64 work() const { return static_cast<i64>(truth.size() * pred.size()) * 32; }
};

nb::object chance_information(nb::handle true_sizes, nb::handle true_counts, nb::handle pred_sizes, nb::handle pred_counts) {
    const Margins m(true_sizes, true_counts, pred_sizes, pred_counts);
    const Expected e = heavy(m.work(), [&](Run& run) { return expected_information(m.truth, m.pred, m.n, run); });
    return expected_result(e.mutual, e.split_info, e.merge_info, e.split_loss, e.merge_loss);
}

nb::object chance_s_h(nb::handle true_sizes, nb::handle true_counts, nb::handle pred_sizes, nb::handle pred_counts, bool lost) {
    const Margins m(true_sizes, true_counts, pred_sizes, pred_counts);
    if (m.n == 0) throw BadValue("there are no points");
    const Mean mean = heavy(64 * m.work(), [&](Run& run) { return expected_s_h(m.truth, m.pred, m.n, lost, run); });
    return mean_result(mean.value, mean.terms);
}

nb::list sample(nb::handle true_sizes, nb::handle pred_sizes, u64 seed, i64 first, i64 count) {
    const Array t(true_sizes, "true"), p(pred_sizes, "pred");
    if (count < 0 || first < 0) throw BadValue("first and count must be at least 0");
    const TableSampler sampler(t.exactly<i64>("int64"), t.size(), p.exactly<i64>("int64"), p.size(), count);
    std::vector<Cells> tables(static_cast<std::size_t>(count));
    const i64 work = std::max<i64>(4096, 4 * count * t.size() * p.size());
    heavy(work, [&](Run& run) {
        run.tasks(count, [&](i64 task, int) {
            tables[static_cast<std::size_t>(task)] = sampler.draw(seed, static_cast<u64>(first + task), run);
        });
        return 0;
    });
    nb::list out;
    for (Cells& cells : tables) out.append(wrap(std::move(cells)));
    return out;
}

}  // namespace

void bind_chance(nb::module_& m) {
    expected_result.define(m, "ExpectedInformation", {"mutual", "split_info", "merge_info", "split_loss", "merge_loss"});
    mean_result.define(m, "ExpectedS", {"value", "terms"});
    m.def("expected_information", &chance_information, "true_sizes"_a, "true_counts"_a, "pred_sizes"_a, "pred_counts"_a);
    m.def("expected_s_h", &chance_s_h, "true_sizes"_a, "true_counts"_a, "pred_sizes"_a, "pred_counts"_a, "lost"_a);
    m.def("sample_cells", &sample, "true_sizes"_a, "pred_sizes"_a, "seed"_a, "first"_a, "count"_a);
}

}  // namespace clusterdiff
