// Bindings only: check what Python hands in, release the GIL, call the core, hand the result back.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <memory>
#include <mutex>

#include "array.hpp"
#include "assignment.hpp"
#include "encode.hpp"
#include "expected.hpp"
#include "groups.hpp"
#include "join.hpp"
#include "links.hpp"
#include "locate.hpp"
#include "meet.hpp"
#include "moments.hpp"
#include "objects.hpp"
#include "repairs.hpp"
#include "sums.hpp"

namespace cd = clusterdiff;
namespace nb = nanobind;
using namespace nb::literals;
using cd::i32, cd::i64, cd::u32, cd::u64, cd::u8;

namespace {

bool interrupted() {
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

// The heavy part of a call: without the GIL, unless the work is over sooner than the hand-over.
template <class F>
auto heavy(i64 work, F&& f) {
    cd::Run run(work, interrupted);
    if (work < 4096) return f(run);
    nb::gil_scoped_release released;
    return f(run);
}

// What Python holds: the cells and what has been computed from them so far.
struct Table {
    cd::Cells cells;
    std::mutex mutex;
    std::optional<cd::BasicSums> basic;
    std::optional<cd::DetailSums> detail;
    std::optional<cd::Buffer<i64>> true_sizes, pred_sizes;

    // Computes a cached value on first use. The mutex is taken without the GIL, so a waiting thread blocks nobody.
    template <class T, class F>
    const T& once(std::optional<T>& slot, F&& make) {
        heavy(cells.count() + cells.k_pred, [&](cd::Run& run) {
            std::lock_guard lock(mutex);
            if (!slot) slot.emplace(make(run));
        });
        return *slot;
    }
    const cd::BasicSums& basics() {
        return once(basic, [&](cd::Run& run) { return cd::basic_sums(cells, run); });
    }
    const cd::DetailSums& details() {
        return once(detail, [&](cd::Run& run) { return cd::detail_sums(cells, basic, run); });
    }
};

struct PyCells {
    std::shared_ptr<Table> table;
    const cd::Cells& cells() const { return table->cells; }
};

struct PySums {
    std::shared_ptr<Table> table;
    const cd::Cells& cells() const { return table->cells; }
};

PyCells wrap(cd::Cells&& cells) {
    auto table = std::make_shared<Table>();
    table->cells = std::move(cells);
    return {std::move(table)};
}

PyCells meet(nb::handle truth, nb::handle pred) {
    const cd::Array t(truth, "true"), p(pred, "pred");
    const cd::Labels tl = t.labels(), pl = p.labels();
    return wrap(heavy(tl.n, [&](cd::Run& run) { return cd::meet(tl, pl, run); }));
}

nb::object label_array(const std::optional<cd::LabelList>& list) {
    if (!list) return nb::none();
    cd::Buffer<u64> values(list->count);
    for (i64 code = 0; code < list->count; ++code) values[code] = (*list)[code];
    nb::object array = cd::to_numpy(std::move(values));
    return list->is_signed ? array.attr("view")("int64") : array;
}

nb::object locate(const PyCells& self, nb::handle truth, nb::handle pred) {
    const cd::Array t(truth, "true"), p(pred, "pred");
    const cd::Labels tl = t.labels(), pl = p.labels();
    const cd::Cells& cells = self.cells();
    if (!cells.true_labels || !cells.pred_labels) throw cd::BadValue("these cells were made by hand and know no labels");
    if (tl.n != pl.n) throw cd::BadValue("true and pred must have the same length");
    auto run_with = [&](auto zero) {
        cd::Buffer<decltype(zero)> out(tl.n);
        const bool known = heavy(tl.n, [&](cd::Run& run) { return cd::locate(cells, tl, pl, out.data(), run); });
        if (!known) throw cd::BadValue("a point has a pair of labels that these cells do not contain");
        return cd::to_numpy(std::move(out));
    };
    return cells.count() <= INT32_MAX ? run_with(i32{}) : run_with(i64{});
}

nb::object encoded(cd::Encoded&& e) { return nb::make_tuple(cd::to_numpy(std::move(e.codes)), cd::to_numpy(std::move(e.first))); }

template <class Null, class At>
nb::object encode_bytes(i64 n, Null null, At at) {
    return encoded(heavy(n, [&](cd::Run& run) { return cd::encode(n, cd::BytesSource<Null, At>{null, at}, run); }));
}

// A validity bitmap as Arrow lays it out; without one nothing is null.
struct Validity {
    const u8* bits = nullptr;
    i64 offset = 0;
    bool null(i64 i) const { return bits && !(bits[(i + offset) >> 3] >> ((i + offset) & 7) & 1); }
};

Validity validity_of(const std::optional<cd::Array>& bitmap, i64 bit_offset, i64 n) {
    if (!bitmap) return {};
    if (bit_offset < 0 || bitmap->size() * 8 < bit_offset + n) throw cd::BadValue("validity is shorter than the data");
    return {bitmap->exactly<u8>("uint8"), bit_offset};
}

std::optional<cd::Array> maybe(nb::handle source, const char* name) {
    if (source.is_none()) return std::nullopt;
    return std::optional<cd::Array>(std::in_place, source, name);
}

nb::object encode_fixed(nb::handle x, i64 unit) {
    const cd::Array a(x, "x", 2);
    if (a.itemsize() != 1 || (a.size(1) > 1 && a.stride(1) != 1)) throw nb::type_error("x must be uint8 with contiguous rows");
    if ((unit != 1 && unit != 4) || a.size(1) % unit) throw cd::BadValue("unit must be 1 or 4 bytes, and divide the width");
    auto with = [&](auto zero) {
        const cd::FixedSource<decltype(zero)> source{reinterpret_cast<const u8*>(a.data()), a.stride(), a.size(1)};
        return encoded(heavy(a.size(), [&](cd::Run& run) { return cd::encode(a.size(), source, run); }));
    };
    return unit == 1 ? with(u8{}) : with(u32{});
}

nb::object encode_text(nb::handle offsets, nb::handle data, nb::handle validity, i64 bit_offset) {
    const cd::Array o(offsets, "offsets"), bytes(data, "data");
    const auto bitmap = maybe(validity, "validity");
    const i64 n = o.size() - 1;
    if (n < 0) throw cd::BadValue("offsets must have at least one entry");
    const Validity valid = validity_of(bitmap, bit_offset, n);
    const u8* base = bytes.exactly<u8>("uint8");
    auto with = [&](const auto* offset) {
        using Unsigned = std::make_unsigned_t<std::remove_cvref_t<decltype(*offset)>>;
        auto raw = [&](i64 i) { return static_cast<Unsigned>(offset[i]); };
        Unsigned signs = raw(0);  // has its top bit when an offset or a difference is negative
        for (i64 i = 0; i < n; ++i) signs |= raw(i + 1) | (raw(i + 1) - raw(i));
        if (std::bit_width(signs) == 8 * sizeof(Unsigned)) throw cd::BadValue("offsets must not decrease");
        if (offset[n] > bytes.size()) throw cd::BadValue("offsets reach past the end of the data");
        auto at = [&](i64 i) { return cd::Bytes{base + offset[i], static_cast<i64>(offset[i + 1] - offset[i])}; };
        return encode_bytes(n, [&](i64 i) { return valid.null(i); }, at);
    };
    return o.itemsize() == 4 ? with(o.exactly<i32>("int32")) : with(o.exactly<i64>("int64"));
}

nb::object encode_views(nb::handle views, nb::sequence buffers, nb::handle validity, i64 bit_offset) {
    const cd::Array v(views, "views", 2);
    if (v.itemsize() != 1 || v.size(1) != 16 || v.stride(1) != 1) throw nb::type_error("views must be uint8 of shape [n, 16]");
    std::vector<cd::Array> arrays;
    for (nb::handle h : buffers) arrays.emplace_back(h, "buffers");
    std::vector<cd::Bytes> data;
    for (const auto& a : arrays) data.push_back({a.exactly<u8>("uint8"), a.size()});
    const auto bitmap = maybe(validity, "validity");
    const i64 n = v.size();
    const Validity valid = validity_of(bitmap, bit_offset, n);
    // A view is its length, then up to 12 bytes in place, or a prefix, the number of a buffer and an offset into it.
    auto field = [](const char* p, int at) {
        i32 x;
        std::memcpy(&x, p + at, sizeof x);
        return x;
    };
    auto at = [&](i64 i) {
        const char* p = v.data() + i * v.stride();
        const i32 length = field(p, 0);
        if (length <= 12) return cd::Bytes{reinterpret_cast<const u8*>(p) + 4, length};
        return cd::Bytes{data[static_cast<std::size_t>(field(p, 8))].data + field(p, 12), length};
    };
    for (i64 i = 0; i < n; ++i) {
        if (valid.null(i)) continue;
        const char* p = v.data() + i * v.stride();
        const i64 length = field(p, 0), buffer = field(p, 8), offset = field(p, 12);
        if (length < 0 || (length > 12 && (buffer < 0 || buffer >= static_cast<i64>(data.size()) || offset < 0 ||
                                           offset + length > data[static_cast<std::size_t>(buffer)].length)))
            throw cd::BadValue("a view reaches past the end of its buffer");
    }
    return encode_bytes(n, [&](i64 i) { return valid.null(i); }, at);
}

nb::object encode_integers(nb::handle x) {
    const cd::Array a(x, "x");
    const cd::Labels labels = a.labels();
    return encoded(heavy(labels.n, [&](cd::Run& run) { return cd::encode(labels.n, cd::IntegerSource{labels}, run); }));
}

nb::object encode_objects(nb::handle source) {
    cd::ObjectEncoder objects(source);
    cd::Run run(objects.size(), interrupted);
    return objects.encode(run);
}

cd::Labels checked_groups(const cd::Array& groups, i64 k) {
    if (k < 0) throw cd::BadValue("k must not be negative");
    return groups.labels();
}

nb::object group_sum(nb::handle groups, i64 k, nb::handle values) {
    const cd::Array g(groups, "groups"), v(values, "values");
    const cd::Labels labels = checked_groups(g, k);
    if (v.size() != labels.n) throw cd::BadValue("groups and values must have the same length");
    if (v.is_integer())
        return cd::to_numpy(heavy(labels.n, [&](cd::Run& run) { return cd::group_sum(labels, k, v.labels(), run); }));
    return v.visit_numbers([&](auto read) {
        auto value = [&](i64 i) { return read(v.data() + i * v.stride()); };
        return cd::to_numpy(heavy(labels.n, [&](cd::Run& run) { return cd::group_sum_floats(labels, k, value, run); }));
    });
}

nb::object group_members(nb::handle groups, i64 k) {
    const cd::Array g(groups, "groups");
    const cd::Labels labels = checked_groups(g, k);
    auto m = heavy(labels.n, [&](cd::Run& run) { return cd::group_members(labels, k, run); });
    return nb::make_tuple(cd::to_numpy(std::move(m.indptr)), cd::to_numpy(std::move(m.members)));
}

nb::object assign(const PyCells& self, nb::handle values) {
    const cd::Array v(values, "values");
    const cd::Cells& c = self.cells();
    if (v.size() != c.count()) throw cd::BadValue("values must have one entry a cell");
    auto with = [&](const auto* value) {
        for (i64 q = 0; q < c.count(); ++q)
            if (!(value[q] >= 0)) throw cd::BadValue("values must not be negative");
        return cd::to_numpy(heavy(c.count(), [&](cd::Run& run) {
            return cd::Assignment(c.indptr.data(), c.k_true, c.cols.data(), c.k_pred, value).solve(run);
        }));
    };
    return v.is_integer() ? with(v.exactly<i64>("int64")) : with(v.exactly<double>("float64"));
}

// Distinct cluster sizes, and how many clusters have each.
std::vector<cd::SizeCount> size_counts(nb::handle sizes, nb::handle counts, const char* name) {
    const cd::Array s(sizes, name), c(counts, name);
    if (s.size() != c.size()) throw cd::BadValue(std::string(name) + ": sizes and counts must have the same length");
    const i64 *size = s.exactly<i64>("int64"), *count = c.exactly<i64>("int64");
    std::vector<cd::SizeCount> out;
    for (i64 i = 0; i < s.size(); ++i) {
        if (size[i] < 1 || count[i] < 1) throw cd::BadValue(std::string(name) + ": sizes and counts must be at least 1");
        out.push_back({size[i], count[i]});
    }
    return out;
}

nb::object expected_information(nb::handle true_sizes, nb::handle true_counts, nb::handle pred_sizes, nb::handle pred_counts) {
    const auto t = size_counts(true_sizes, true_counts, "true"), p = size_counts(pred_sizes, pred_counts, "pred");
    auto points = [](const std::vector<cd::SizeCount>& side) {
        i64 n = 0;
        for (const auto& x : side) n += x.size * x.count;
        return n;
    };
    if (points(t) != points(p)) throw cd::BadValue("true and pred must have the same number of points");
    // A pair of sizes takes some dozens of steps.
    const i64 work = static_cast<i64>(t.size() * p.size()) * 32;
    const cd::Expected e = heavy(work, [&](cd::Run& run) { return cd::expected_information(t, p, points(t), run); });
    return nb::make_tuple(e.mutual, e.split_info, e.merge_info);
}

// Calls f with weight(point) -> double; without weights every point weighs 1.
template <class F>
auto with_weights(nb::handle weights, i64 n, F&& f) {
    const auto w = maybe(weights, "weights");
    if (!w) return f([](i64) { return 1.0; });
    if (w->size() != n) throw cd::BadValue("weights must have one entry a point");
    const double* values = w->exactly<double>("float64");
    return f([values](i64 i) { return values[i]; });
}

nb::object moments_dense(nb::handle groups, i64 k, nb::handle x, nb::handle weights) {
    const cd::Array g(groups, "groups"), a(x, "x", 2);
    const cd::Labels labels = checked_groups(g, k);
    const i64 n = a.size(0), d = a.size(1), step = a.stride(1);
    if (labels.n != n) throw cd::BadValue("x must have one row a point");
    auto fetch = [&, bytes = step * d](i64 point) {
        const char* from = a.data() + point * a.stride(0);
        for (i64 line = 0; line < bytes; line += 64) __builtin_prefetch(from + line);
    };
    return with_weights(weights, n, [&](auto weight) {
        auto moments = [&](auto row) {
            auto m = heavy(n * std::max<i64>(d, 1), [&](cd::Run& run) {
                const cd::Members members = cd::group_members(labels, k, run);
                return cd::moments_dense(members, k, d, row, fetch, weight, run);
            });
            return nb::object(nb::make_tuple(cd::to_numpy(std::move(m.centres), k, d), cd::to_numpy(std::move(m.within))));
        };
        auto in_place = [&](auto zero) {
            using T = decltype(zero);
            return moments([&](i64 point, double*) { return reinterpret_cast<const T*>(a.data() + point * a.stride(0)); });
        };
        const bool aligned = reinterpret_cast<std::uintptr_t>(a.data()) % 8 == 0 && a.stride(0) % 8 == 0;
        if (aligned && a.code() == 'd' && step == 8) return in_place(double{});
        if (aligned && a.code() == 'f' && step == 4) return in_place(float{});
        return a.visit_numbers([&](auto read) {
            return moments([&, read](i64 point, double* to) {
                const char* from = a.data() + point * a.stride(0);
                for (i64 j = 0; j < d; ++j) to[j] = read(from + j * step);
                return to;
            });
        });
    });
}

nb::object moments_sparse(nb::handle groups, i64 k, nb::handle indptr, nb::handle indices, nb::handle data, i64 d, nb::handle weights) {
    const cd::Array g(groups, "groups"), p(indptr, "indptr"), j(indices, "indices"), x(data, "data");
    const cd::Labels labels = checked_groups(g, k), starts = p.labels(), columns = j.labels();
    const i64 n = labels.n;
    if (starts.n != n + 1) throw cd::BadValue("indptr must have one entry a point and one more");
    if (columns.n != x.size()) throw cd::BadValue("indices and data must have the same length");
    if (d < 0) throw cd::BadValue("d must not be negative");
    for (i64 i = 0; i < n; ++i)
        if (static_cast<i64>(starts[i]) < 0 || starts[i] > starts[i + 1]) throw cd::BadValue("indptr must not decrease");
    if (static_cast<i64>(starts[n]) > columns.n) throw cd::BadValue("indptr reaches past the end of the data");
    return with_weights(weights, n, [&](auto weight) {
        return x.visit_numbers([&](auto read) {
            auto value = [&](i64 at) { return read(x.data() + at * x.stride()); };
            auto fetch = [&](i64 at) {
                if (at >= columns.n) return;
                __builtin_prefetch(columns.data + at * columns.stride);
                __builtin_prefetch(x.data() + at * x.stride());
                __builtin_prefetch(x.data() + at * x.stride() + 64);
            };
            auto moments = [&](auto start, auto index) {
                auto m = heavy(columns.n + n, [&](cd::Run& run) {
                    const cd::Members members = cd::group_members(labels, k, run);
                    return cd::moments_sparse(members, k, d, start, index, value, fetch, weight, run);
                });
                return nb::object(nb::make_tuple(cd::to_numpy(std::move(m.indptr)), cd::to_numpy(std::move(m.indices)), cd::to_numpy(std::move(m.data)),
                                                 cd::to_numpy(std::move(m.within))));
            };
            // SciPy's own types are read as they are, any others one by one.
            auto plain = [&](auto zero) {
                using T = decltype(zero);
                return moments([from = reinterpret_cast<const T*>(starts.data)](i64 i) { return static_cast<i64>(from[i]); },
                               [from = reinterpret_cast<const T*>(columns.data)](i64 i) { return static_cast<i64>(from[i]); });
            };
            if (starts.kind == columns.kind && starts.plain() && columns.plain()) {
                if (starts.kind == cd::Kind::i32) return plain(i32{});
                if (starts.kind == cd::Kind::i64) return plain(i64{});
            }
            return moments([&](i64 i) { return static_cast<i64>(starts[i]); }, [&](i64 i) { return static_cast<i64>(columns[i]); });
        });
    });
}

// Groups given as (indptr, members), checked against the number of points.
cd::Members members_of(nb::handle indptr, nb::handle members, i64 points) {
    const cd::Array p(indptr, "group_indptr"), m(members, "members");
    const cd::Labels starts = p.labels(), list = m.labels();
    if (starts.n < 1 || starts[0] != 0 || static_cast<i64>(starts[starts.n - 1]) != list.n)
        throw cd::BadValue("group_indptr must start at 0 and end at the number of members");
    cd::Members out{cd::Buffer<i64>(starts.n), cd::Buffer<i64>(list.n)};
    for (i64 i = 0; i < starts.n; ++i) {
        out.indptr[i] = static_cast<i64>(starts[i]);
        if (i && out.indptr[i] < out.indptr[i - 1]) throw cd::BadValue("group_indptr must not decrease");
    }
    for (i64 i = 0; i < list.n; ++i) {
        out.members[i] = static_cast<i64>(list[i]);
        if (out.members[i] < 0 || out.members[i] >= points) throw cd::BadValue("members must lie in [0, " + std::to_string(points) + ")");
    }
    return out;
}

i64 pair_count(const cd::Members& m) {
    i64 pairs = m.members.size();
    for (i64 g = 0; g + 1 < m.indptr.size(); ++g) pairs += (m.indptr[g + 1] - m.indptr[g]) * (m.indptr[g + 1] - m.indptr[g]) / 2;
    return pairs;
}

nb::object link_sums_square(nb::handle indptr, nb::handle members, nb::handle d, nb::handle weights) {
    const cd::Array a(d, "d", 2);
    if (a.size(0) != a.size(1)) throw cd::BadValue("d must be square");
    const cd::Members m = members_of(indptr, members, a.size());
    return with_weights(weights, a.size(), [&](auto weight) {
        return a.visit_numbers([&](auto read) {
            auto distance = [&](i64 i, i64 j) { return read(a.data() + i * a.stride(0) + j * a.stride(1)); };
            return cd::to_numpy(heavy(pair_count(m), [&](cd::Run& run) { return cd::link_sums(m, m.indptr.size() - 1, distance, weight, run); }));
        });
    });
}

nb::object link_sums_condensed(nb::handle indptr, nb::handle members, nb::handle condensed, i64 points, nb::handle weights) {
    const cd::Array a(condensed, "condensed");
    if (points < 0 || a.size() != points * (points - 1) / 2) throw cd::BadValue("condensed must have N (N - 1) / 2 entries");
    const cd::Members m = members_of(indptr, members, points);
    return with_weights(weights, points, [&](auto weight) {
        return a.visit_numbers([&](auto read) {
            auto distance = [&](i64 i, i64 j) {
                const i64 low = std::min(i, j), high = std::max(i, j);
                return read(a.data() + (points * low - low * (low + 1) / 2 + high - low - 1) * a.stride());
            };
            return cd::to_numpy(heavy(pair_count(m), [&](cd::Run& run) { return cd::link_sums(m, m.indptr.size() - 1, distance, weight, run); }));
        });
    });
}

// Calls f(repairs, run) for cells whose points may have weights: their mass and Σ w·log(w / unit) in each cell.
template <class F>
auto with_repairs(const PyCells& self, nb::handle mass, nb::handle entropy, double unit, F&& f) {
    const cd::Cells& cells = self.cells();
    const auto m = maybe(mass, "mass"), e = maybe(entropy, "entropy");
    if (m.has_value() != e.has_value()) throw cd::BadValue("mass and entropy must be given together");
    if (cells.count() + cells.k_pred > cd::kMaxClusters) throw cd::BadValue("at most 2^31 - 1 cells and clusters are possible");
    if (m && (m->size() != cells.count() || e->size() != cells.count()))
        throw cd::BadValue("mass and entropy must have one entry a cell");
    const double* masses = m ? m->exactly<double>("float64") : nullptr;
    const double* entropies = e ? e->exactly<double>("float64") : nullptr;
    return heavy(cells.count(), [&](cd::Run& run) {
        cd::Repairs repairs(cells, masses, entropies, unit);
        return f(repairs, run);
    });
}

nb::object repairs(const PyCells& cells, nb::handle mass, nb::handle entropy, double unit) {
    const auto c = with_repairs(cells, mass, entropy, unit, [](cd::Repairs& r, cd::Run&) { return r.candidates(); });
    return nb::make_tuple(cd::to_numpy(c.operation), cd::to_numpy(c.home), cd::to_numpy(c.at), cd::to_numpy(c.gain));
}

nb::object repair_steps(const PyCells& cells, nb::handle mass, nb::handle entropy, double unit) {
    const auto s = with_repairs(cells, mass, entropy, unit, [](cd::Repairs& r, cd::Run& run) { return r.greedy(run); });
    return nb::make_tuple(cd::to_numpy(s.operation), cd::to_numpy(s.truth), cd::to_numpy(s.gain), cd::to_numpy(s.indptr),
                          cd::to_numpy(s.cell), cd::to_numpy(s.from), cd::to_numpy(s.to));
}

CLUSTERDIFF_CLONES u64 total_of(const u64* x, i64 count) {
    u64 sum = 0;
    for (i64 i = 0; i < count; ++i) sum += x[i];
    return sum;
}

// Reads every label once and does next to nothing with it: no meet can be faster.
u64 stream(nb::handle truth, nb::handle pred) {
    const cd::Array t(truth, "true"), p(pred, "pred");
    const cd::Labels sides[2] = {t.labels(), p.labels()};
    return heavy(sides[0].n, [&](cd::Run& run) {
        std::atomic<u64> total{0};
        const int team = run.threads();
        run.workers(team, [&](int worker) {
            u64 sum = 0, scratch[cd::kBlock];
            for (const cd::Labels& x : sides) {
                const i64 begin = x.n / team * worker, end = worker + 1 == team ? x.n : x.n / team * (worker + 1);
                for (i64 at = begin; at < end; at += cd::kBlock) {
                    const i64 count = std::min(cd::kBlock, end - at);
                    sum += total_of(x.block(at, count, scratch), count);
                }
            }
            total += sum;
        });
        return total.load();
    });
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled core: pure functions on arrays.";
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const cd::Interrupted&) {
            if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
        } catch (const cd::BadValue& e) {
            PyErr_SetString(PyExc_ValueError, e.what());
        } catch (const cd::TooLarge& e) {
            PyErr_SetString(PyExc_OverflowError, e.what());
        }
    });

    nb::class_<PySums>(m, "Sums")
        .def_prop_ro("n", [](const PySums& s) { return s.cells().n; })
        .def_prop_ro("cells", [](const PySums& s) { return s.cells().count(); })
        .def_prop_ro("k_true", [](const PySums& s) { return s.cells().k_true; })
        .def_prop_ro("k_pred", [](const PySums& s) { return s.cells().k_pred; })
        .def_prop_ro("mm", [](const PySums& s) { return cd::to_int(s.table->basics().mm); })
        .def_prop_ro("aa", [](const PySums& s) { return cd::to_int(s.table->basics().aa); })
        .def_prop_ro("bb", [](const PySums& s) { return cd::to_int(s.table->basics().bb); })
        .def_prop_ro("true_max", [](const PySums& s) { return s.table->basics().true_max; })
        .def_prop_ro("pred_max", [](const PySums& s) { return s.table->basics().pred_max; })
        .def_prop_ro("s_h", [](const PySums& s) { return s.table->basics().s_h; })
        .def_prop_ro("s_h_mean", [](const PySums& s) { return s.table->basics().s_h_mean; })
        .def_prop_ro("b3_recall", [](const PySums& s) { return s.table->basics().b3_recall; })
        .def_prop_ro("b3_precision", [](const PySums& s) { return s.table->basics().b3_precision; })
        .def_prop_ro("h_true", [](const PySums& s) { return s.table->details().h_true; })
        .def_prop_ro("h_pred", [](const PySums& s) { return s.table->details().h_pred; })
        .def_prop_ro("h_joint", [](const PySums& s) { return s.table->details().h_joint; })
        .def_prop_ro("split_info", [](const PySums& s) { return s.table->details().split_info; })
        .def_prop_ro("merge_info", [](const PySums& s) { return s.table->details().merge_info; })
        .def_prop_ro("mutual", [](const PySums& s) { return s.table->details().mutual; })
        .def_prop_ro("element", [](const PySums& s) { return s.table->details().element; })
        .def_prop_ro("s_pairs", [](const PySums& s) { return s.table->details().s_pairs; })
        .def_prop_ro("s_pairs_mean", [](const PySums& s) { return s.table->details().s_pairs_mean; })
        .def_prop_ro("s_largest", [](const PySums& s) { return s.table->details().s_largest; })
        .def_prop_ro("s_largest_mean", [](const PySums& s) { return s.table->details().s_largest_mean; });

    nb::class_<PyCells>(m, "Cells")
        .def(
            "__init__",
            [](PyCells* self, nb::handle indptr, nb::handle cols, nb::handle sizes, i64 k_pred) {
                const cd::Array p(indptr, "indptr"), c(cols, "cols"), s(sizes, "sizes");
                if (c.size() != s.size()) throw cd::BadValue("cols and sizes must have the same length");
                if (p.size() < 1) throw cd::BadValue("indptr must not be empty");
                new (self) PyCells(wrap(cd::checked_cells(p.exactly<i64>("int64"), p.size() - 1, c.exactly<i32>("int32"),
                                                          s.exactly<i64>("int64"), c.size(), k_pred)));
            },
            "indptr"_a, "cols"_a, "sizes"_a, "k_pred"_a)
        .def("__len__", [](const PyCells& c) { return c.cells().count(); })
        .def_prop_ro("n", [](const PyCells& c) { return c.cells().n; })
        .def_prop_ro("k_true", [](const PyCells& c) { return c.cells().k_true; })
        .def_prop_ro("k_pred", [](const PyCells& c) { return c.cells().k_pred; })
        .def_prop_ro("indptr", [](nb::handle_t<PyCells> h) {
            const auto& c = nb::cast<const PyCells&>(h).cells();
            return cd::view_numpy(c.indptr.data(), c.k_true + 1, h);
        })
        .def_prop_ro("cols", [](nb::handle_t<PyCells> h) {
            const auto& c = nb::cast<const PyCells&>(h).cells();
            return cd::view_numpy(c.cols.data(), c.count(), h);
        })
        .def_prop_ro("sizes", [](nb::handle_t<PyCells> h) {
            const auto& c = nb::cast<const PyCells&>(h).cells();
            return cd::view_numpy(c.sizes.data(), c.count(), h);
        })
        .def_prop_ro("true_sizes", [](nb::handle_t<PyCells> h) {
            Table& t = *nb::cast<const PyCells&>(h).table;
            return cd::view_numpy(t.once(t.true_sizes, [&](cd::Run&) { return t.cells.true_sizes(); }).data(), t.cells.k_true, h);
        })
        .def_prop_ro("pred_sizes", [](nb::handle_t<PyCells> h) {
            Table& t = *nb::cast<const PyCells&>(h).table;
            return cd::view_numpy(t.once(t.pred_sizes, [&](cd::Run&) { return t.cells.pred_sizes(); }).data(), t.cells.k_pred, h);
        })
        .def_prop_ro("true_labels", [](const PyCells& c) { return label_array(c.cells().true_labels); })
        .def_prop_ro("pred_labels", [](const PyCells& c) { return label_array(c.cells().pred_labels); })
        .def("sums", [](const PyCells& c) { return PySums{c.table}; })
        .def("transpose", [](const PyCells& c) {
            auto t = heavy(c.cells().count(), [&](cd::Run&) { return cd::transpose(c.cells()); });
            return nb::make_tuple(wrap(std::move(t.cells)), cd::to_numpy(std::move(t.index)));
        })
        .def("join", [](const PyCells& c) {
            auto j = heavy(c.cells().count(), [&](cd::Run& run) { return cd::join(c.cells(), run); });
            return nb::make_tuple(cd::to_numpy(std::move(j.of_true)), cd::to_numpy(std::move(j.of_pred)), j.count);
        })
        .def("assign", &assign, "values"_a)
        .def("locate", &locate, "true"_a, "pred"_a);

    m.def("meet", &meet, "true"_a, "pred"_a);
    m.def("sum_squares", [](nb::handle x) {
        const cd::Array a(x, "x");
        const cd::Labels labels = a.labels();
        return cd::to_int(heavy(labels.n, [&](cd::Run& run) { return cd::sum_squares(labels, run); }));
    }, "x"_a);
    m.def("group_sum", &group_sum, "groups"_a, "k"_a, "values"_a);
    m.def("group_members", &group_members, "groups"_a, "k"_a);
    m.def("encode_integers", &encode_integers, "x"_a);
    m.def("encode_fixed", &encode_fixed, "x"_a, "unit"_a = 1);
    m.def("encode_text", &encode_text, "offsets"_a, "data"_a, "validity"_a.none() = nb::none(), "bit_offset"_a = 0);
    m.def("encode_views", &encode_views, "views"_a, "buffers"_a, "validity"_a.none() = nb::none(), "bit_offset"_a = 0);
    m.def("encode_objects", &encode_objects, "objects"_a);
    m.def("moments_dense", &moments_dense, "groups"_a, "k"_a, "x"_a, "weights"_a.none() = nb::none());
    m.def("moments_sparse", &moments_sparse, "groups"_a, "k"_a, "indptr"_a, "indices"_a, "data"_a, "d"_a, "weights"_a.none() = nb::none());
    m.def("link_sums_square", &link_sums_square, "group_indptr"_a, "members"_a, "d"_a, "weights"_a.none() = nb::none());
    m.def("link_sums_condensed", &link_sums_condensed, "group_indptr"_a, "members"_a, "condensed"_a, "n"_a, "weights"_a.none() = nb::none());
    m.def("repairs", &repairs, "cells"_a, "mass"_a.none() = nb::none(), "entropy"_a.none() = nb::none(), "unit"_a = 1.0);
    m.def("repair_steps", &repair_steps, "cells"_a, "mass"_a.none() = nb::none(), "entropy"_a.none() = nb::none(), "unit"_a = 1.0);
    m.def("expected_information", &expected_information, "true_sizes"_a, "true_counts"_a, "pred_sizes"_a, "pred_counts"_a);
    m.def("stream", &stream, "true"_a, "pred"_a);
    m.def("threads", &cd::configured_threads);
}
