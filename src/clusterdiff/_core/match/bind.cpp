#include <cstring>

#include "match/lines.hpp"
#include "match/match.hpp"
#include "match/parquet.hpp"
#include "python/bind.hpp"
#include "python/result.hpp"
#include "python/stream.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result matched, stream_labels;

// None for what there is not.
template <class T>
nb::object maybe_numpy(bool there, Buffer<T>&& buffer) {
    return there ? to_numpy(std::move(buffer)) : nb::none();
}

nb::object labels_of(StreamLabels&& x) {
    const bool text = is_text(x.type);
    nb::object values = x.wide.empty() ? to_numpy(std::move(x.narrow)) : to_numpy(std::move(x.wide));
    if (x.type == Ids::u64 && nb::cast<i64>(values.attr("itemsize")) == 8) values = values.attr("view")("uint64");
    if (x.type == Ids::boolean) values = values.attr("astype")("bool");
    const bool nulls = !x.absent.empty();
    return stream_labels(values, maybe_numpy(nulls, std::move(x.absent)), maybe_numpy(text, std::move(x.ends)), maybe_numpy(text, std::move(x.bytes)));
}

// Calls f(stream, run). Whoever fills the stream may need the GIL.
template <class F>
auto reading(nb::handle source, const char* name, i64 rows, F&& f) {
    const Offered offered(source, name);
    Run run(rows, interrupted);
    nb::gil_scoped_release released;
    return f(offered.stream(), run);
}

// Matching, and about how many rows a side has.
struct PyMatching {
    explicit PyMatching(i64 expected) : rows(expected), matching(expected) {}
    i64 rows;
    Matching matching;
};

nb::object read(PyMatching& self, nb::handle source) {
    auto labels = reading(source, "ids", self.rows, [&](ArrowArrayStream* from, Run& run) {
        Stream stream(from, self.matching.side(), 2);
        BatchPieces pieces(stream);
        return self.matching.read(pieces, run);
    });
    return labels ? labels_of(std::move(*labels)) : nb::none();
}

// Calls f(run), which reads a file; None if that is not plain.
template <class F>
nb::object reading_plain(PyMatching& self, F&& f) {
    std::optional<StreamLabels> labels;
    try {
        labels = heavy(self.rows, f);
    } catch (const NotPlain&) {
        return nb::none();
    }
    return labels_of(std::move(*labels));
}

nb::object read_lines(PyMatching& self, int file, const char* delimiter, i64 fields, i64 point, i64 cluster) {
    if (std::strlen(delimiter) != 1) throw BadValue("the delimiter must be one byte");
    Lines lines(file, static_cast<u8>(delimiter[0]), fields, {point, cluster});
    BatchPieces pieces(lines);
    return reading_plain(self, [&](Run& run) { return self.matching.read(pieces, run); });
}

// One column after the other, so that ids are written where labels have been.
nb::object read_parquet(PyMatching& self, int file, i64 fields, i64 point, i64 cluster) {
    return reading_plain(self, [&](Run& run) {
        Parquet ids(file, fields, {point}), clusters(file, fields, {cluster});
        StreamLabels labels = read_labels(clusters, self.rows, run);
        self.matching.read(ids, run);
        return labels;
    });
}

nb::object match(PyMatching& self) {
    Matched m = heavy(self.rows, [&](Run& run) { return self.matching.match(run); });
    const bool wide = m.place.empty();
    return matched(wide ? to_numpy(std::move(m.wide_place)) : to_numpy(std::move(m.place)), to_numpy(std::move(m.extra)), to_numpy(std::move(m.repeats[0])), to_numpy(std::move(m.repeats[1])));
}

nb::object taken(nb::handle values, nb::handle places) {
    const Array v(values, "values"), p(places, "places");
    const Labels from = v.labels(), at = p.labels();
    Buffer<u8> out(at.n * from.width());
    heavy(at.n, [&](Run& run) { take_labels(from, at, reinterpret_cast<char*>(out.data()), run); });
    return to_numpy(std::move(out)).attr("view")(values.attr("dtype"));
}

nb::object labels(nb::handle source, i64 rows) {
    return labels_of(reading(source, "labels", rows, [&](ArrowArrayStream* from, Run& run) {
        Stream stream(from, "labels");
        BatchPieces pieces(stream);
        return read_labels(pieces, rows, run);
    }));
}

}  // namespace

void bind_match(nb::module_& m) {
    matched.define(m, "Matched", {"place", "extra", "true_repeats", "pred_repeats"});
    stream_labels.define(m, "StreamLabels", {"values", "absent", "ends", "bytes"});
    nb::class_<PyMatching>(m, "Matching").def(nb::init<i64>(), "rows"_a).def("read", &read, "side"_a).def("read_lines", &read_lines, "file"_a, "delimiter"_a, "fields"_a, "point"_a, "cluster"_a).def("read_parquet", &read_parquet, "file"_a, "fields"_a, "point"_a, "cluster"_a).def("match", &match);
    m.def("read_labels", &labels, "labels"_a, "rows"_a);
    m.def("take", &taken, "values"_a, "places"_a);
}

}  // namespace clusterdiff
