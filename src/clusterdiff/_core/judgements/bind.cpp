#include "judgements/assemble.hpp"
#include "python/bind.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

// Entries of lists move from list to list a logarithmic number of times, and their keys are numbered in 32 bits.
constexpr i64 kMaxEntries = i64{1} << 26;

// Lists as (indptr, …), one per atom, whose items are numbers below a limit.
void check_lists(const Array& indptr, const Array& items, i64 limit, const char* name) {
    const i64 *starts = indptr.exactly<i64>("int64"), *values = items.exactly<i64>("int64");
    const i64 count = indptr.size() - 1;
    if (count < 0 || starts[0] != 0 || starts[count] != items.size())
        throw BadValue(std::string(name) + " must start at 0 and end at the number of items");
    for (i64 i = 0; i < count; ++i) {
        if (starts[i + 1] < starts[i]) throw BadValue(std::string(name) + " must not decrease");
        for (i64 j = starts[i]; j < starts[i + 1]; ++j) {
            if (values[j] < 0 || values[j] >= limit) throw BadValue(std::string(name) + " must hold numbers that exist");
            if (j > starts[i] && values[j] <= values[j - 1]) throw BadValue(std::string(name) + " must ascend within an atom");
        }
    }
}

// Atoms given as (indptr, cluster, points) and (indptr, scope), checked.
class CheckedAtoms {
  public:
    CheckedAtoms(nb::handle cells, nb::handle scopes, i64 clusters, i64 scopes_in_all)
        : cell_start_(nb::cast<nb::tuple>(cells)[0], "cells"),
          cluster_(nb::cast<nb::tuple>(cells)[1], "cells"),
          points_(nb::cast<nb::tuple>(cells)[2], "cells"),
          scope_start_(nb::cast<nb::tuple>(scopes)[0], "scopes"),
          scope_(nb::cast<nb::tuple>(scopes)[1], "scopes") {
        check_lists(cell_start_, cluster_, clusters, "cells");
        check_lists(scope_start_, scope_, scopes_in_all, "scopes");
        if (points_.size() != cluster_.size() || scope_start_.size() != cell_start_.size())
            throw BadValue("cells and scopes must be of the same atoms");
        if (cluster_.size() + scope_.size() > kMaxEntries) throw BadValue("at most 2^26 cells and scopes of atoms are possible");
        atoms = {cell_start_.size() - 1,           clusters,
                 scopes_in_all,                    cell_start_.exactly<i64>("int64"),
                 cluster_.exactly<i64>("int64"),   points_.exactly<i64>("int64"),
                 scope_start_.exactly<i64>("int64"), scope_.exactly<i64>("int64")};
    }

    Atoms atoms{};

  private:
    Array cell_start_, cluster_, points_, scope_start_, scope_;
};

// Links given as (left, right, cluster, score), checked.
class CheckedLinks {
  public:
    CheckedLinks(nb::handle all, const Atoms& atoms)
        : left_(nb::cast<nb::tuple>(all)[0], "links"),
          right_(nb::cast<nb::tuple>(all)[1], "links"),
          cluster_(nb::cast<nb::tuple>(all)[2], "links"),
          score_(nb::cast<nb::tuple>(all)[3], "links") {
        links = {left_.size(), left_.exactly<i64>("int64"), right_.exactly<i64>("int64"), cluster_.exactly<i64>("int64"),
                 score_.exactly<double>("float64")};
        if (right_.size() != links.count || cluster_.size() != links.count || score_.size() != links.count)
            throw BadValue("links must have two atoms, a cluster and a score each");
        for (i64 i = 0; i < links.count; ++i)
            if (links.left[i] < 0 || links.left[i] >= atoms.count || links.right[i] < 0 || links.right[i] >= atoms.count)
                throw BadValue("links must be of atoms that exist");
    }

    AtomLinks links;

  private:
    Array left_, right_, cluster_, score_;
};

nb::object assemble_of(nb::handle cells, nb::handle scopes, i64 scopes_in_all, nb::handle least, nb::handle cluster_least,
                       nb::handle cluster_size, nb::handle links) {
    const Array l(least, "least"), c(cluster_least, "cluster_least"), s(cluster_size, "cluster_size");
    const CheckedAtoms a(cells, scopes, s.size(), scopes_in_all);
    if (l.size() != a.atoms.count || c.size() != s.size()) throw BadValue("least must have one entry per atom, and clusters one each");
    const AtomOrder order{l.exactly<i64>("int64"), c.exactly<i64>("int64"), s.exactly<i64>("int64")};
    std::optional<CheckedLinks> linked;
    if (!links.is_none()) linked.emplace(links, a.atoms);
    return to_numpy(heavy(a.atoms.count, [&](Run& run) { return assemble(a.atoms, order, linked ? linked->links : AtomLinks{}, run); }));
}

nb::object points_apart_of(nb::handle cells, nb::handle scopes, i64 scopes_in_all, i64 clusters) {
    const CheckedAtoms a(cells, scopes, clusters, scopes_in_all);
    return to_numpy(heavy(a.atoms.count, [&](Run& run) { return points_apart(a.atoms, run); }));
}

}  // namespace

void bind_judgements(nb::module_& m) {
    m.def("assemble", &assemble_of, "cells"_a, "scopes"_a, "k_scopes"_a, "least"_a, "cluster_least"_a, "cluster_size"_a,
          "links"_a.none() = nb::none());
    m.def("points_apart", &points_apart_of, "cells"_a, "scopes"_a, "k_scopes"_a, "k_clusters"_a);
}

}  // namespace clusterdiff
