#include "patch/sha256.hpp"
#include "patch/write.hpp"
#include "python/bind.hpp"
#include "python/result.hpp"
#include "python/texts.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result patch_result;

// Lists given as (indptr, items), checked: items lie in [0, limit).
class CheckedLists {
  public:
    CheckedLists(nb::handle both, const char* name, i64 limit)
        : indptr_(nb::cast<nb::tuple>(both)[0], name), items_(nb::cast<nb::tuple>(both)[1], name) {
        const i64 *starts = indptr_.exactly<i64>("int64"), *items = items_.exactly<i64>("int64");
        const i64 count = indptr_.size() - 1;
        if (count < 0 || starts[0] != 0 || starts[count] != items_.size())
            throw BadValue(std::string(name) + " must start at 0 and end at the number of items");
        for (i64 i = 0; i < count; ++i)
            if (starts[i + 1] < starts[i]) throw BadValue(std::string(name) + " must not decrease");
        for (i64 i = 0; i < items_.size(); ++i)
            if (items[i] < 0 || items[i] >= limit) throw BadValue(std::string(name) + " must hold numbers that exist");
        lists = {starts, items, count};
    }

    Lists lists{};

  private:
    Array indptr_, items_;
};

void require_some(const Lists& lists, const char* name) {
    for (i64 i = 0; i < lists.count; ++i)
        if (lists.size(i) == 0) throw BadValue(std::string(name) + " must not be empty");
}

nb::object patch_of(nb::handle texts, nb::handle removed, nb::handle cells, nb::handle splits, nb::handle merges, nb::handle merge_adds,
                    nb::handle adds, nb::handle targets, const char* separator) {
    const Texts t = texts_of(texts);
    const i64 n = t.size();
    const CheckedLists r(removed, "removed", n), c(cells, "cells", n), a(adds, "adds", n);
    const CheckedLists s(splits, "splits", c.lists.count), m(merges, "merges", c.lists.count), g(targets, "targets", c.lists.count);
    const Array of(merge_adds, "merge_adds");
    const i64* add = of.exactly<i64>("int64");
    if (r.lists.count != 1) throw BadValue("removed must be one list");
    if (of.size() != m.lists.count || g.lists.count != a.lists.count) throw BadValue("merge_adds and targets must have one entry each");
    for (i64 i = 0; i < of.size(); ++i)
        if (add[i] < -1 || add[i] >= a.lists.count) throw BadValue("merge_adds must hold numbers that exist");
    require_some(c.lists, "cells"), require_some(a.lists, "adds"), require_some(s.lists, "splits"), require_some(m.lists, "merges");
    const Edits edits{t, r.lists, c.lists, s.lists, m.lists, add, a.lists, g.lists};
    WrittenPatch written = heavy(n, [&](Run& run) { return write_patch(edits, separator, run); });
    return patch_result(nb::str(written.text.data(), written.text.size()), to_numpy(std::move(written.start)), to_numpy(std::move(written.end)));
}

}  // namespace

void bind_patch(nb::module_& m) {
    m.def(
        "sha256_heads",
        [](nb::bytes text) {
            const std::string_view view(text.c_str(), text.size());
            return nb::make_tuple(sha256_head(view), sha256_head_portable(view));
        },
        "text"_a);
    patch_result.define(m, "WrittenPatch", {"text", "start", "end"});
    m.def("write_patch", &patch_of, "texts"_a, "removed"_a, "cells"_a, "splits"_a, "merges"_a, "merge_adds"_a, "adds"_a, "targets"_a,
          "separator"_a);
}

}  // namespace clusterdiff
