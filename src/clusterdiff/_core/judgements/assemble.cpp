#include "judgements/assemble.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "base/codes.hpp"

namespace clusterdiff {

namespace {

std::size_t at(i64 i) { return static_cast<std::size_t>(i); }

// Lists of numbers, one for each class, that are joined at no cost.
class Chains {
  public:
    Chains(i64 classes, i64 entries) : chains_(at(classes)) { links_.reserve(at(entries)); }

    i64 size(i64 of) const { return chains_[at(of)].size; }

    void add(i64 to, i64 value) {
        const i64 place = static_cast<i64>(links_.size());
        links_.push_back({value, -1});
        join(to, {place, place, 1});
    }

    void move(i64 from, i64 to) { join(to, std::exchange(chains_[at(from)], {})); }

    // Whether f holds for one of them; it is called until then.
    template <class F>
    bool any(i64 of, F&& f) const {
        for (i64 place = chains_[at(of)].first; place >= 0; place = links_[at(place)].next)
            if (f(links_[at(place)].value)) return true;
        return false;
    }

  private:
    struct Chain {
        i64 first = -1, last = -1, size = 0;
    };
    struct Link {
        i64 value, next;
    };

    void join(i64 to, const Chain& more) {
        Chain& mine = chains_[at(to)];
        if (!more.size) return;
        (mine.size ? links_[at(mine.last)].next : mine.first) = more.first;
        mine.last = more.last;
        mine.size += more.size;
    }

    std::vector<Chain> chains_;
    std::vector<Link> links_;
};

// Disjoint sets of atoms, with the points and scopes of each set at its root. Of two sets the keys of the shorter lists
// are made anew, so that each is a logarithmic number of times.
class Classes {
  public:
    Classes(const Atoms& atoms, const i64* least, Run& run)
        : clusters_in_all_(atoms.clusters), scopes_in_all_(atoms.scopes), parent_(at(atoms.count)), first_(least, least + atoms.count),
          clusters_(atoms.count, atoms.cell_start[atoms.count]), scopes_(atoms.count, atoms.scope_start[atoms.count]) {
        run.each(0, atoms.count, [&](i64 atom) {
            parent_[at(atom)] = atom;
            for (i64 c = atoms.cell_start[atom]; c < atoms.cell_start[atom + 1]; ++c) {
                clusters_.add(atom, atoms.cluster[c]);
                points_of(atom, atoms.cluster[c]) = atoms.points[c];
            }
            for (i64 s = atoms.scope_start[atom]; s < atoms.scope_start[atom + 1]; ++s) {
                scopes_.add(atom, atoms.scope[s]);
                scoped_.find_or_add(scope_key(atom, atoms.scope[s]));
            }
        });
    }

    i64 find(i64 atom) {
        while (parent_[at(atom)] != atom) atom = parent_[at(atom)] = parent_[at(parent_[at(atom)])];
        return atom;
    }

    // Whether two atoms are in one class now: they are not if something holds their classes apart.
    bool unite(i64 one, i64 two) {
        i64 a = find(one), b = find(two);
        if (a == b) return true;
        if (apart(a, b)) return false;
        if (clusters_.size(a) + scopes_.size(a) < clusters_.size(b) + scopes_.size(b)) std::swap(a, b);
        parent_[at(b)] = a;
        first_[at(a)] = std::min(first_[at(a)], first_[at(b)]);
        clusters_.any(b, [&](i64 cluster) {
            const i64 points = std::exchange(points_of(b, cluster), 0);  // a cluster may stand there twice
            points_of(a, cluster) += points;
            return false;
        });
        scopes_.any(b, [&](i64 scope) {
            scoped_.find_or_add(scope_key(a, scope));
            return false;
        });
        clusters_.move(b, a);
        scopes_.move(b, a);
        return true;
    }

    bool has(i64 root, i64 scope) const { return scoped_.find(scope_key(root, scope)) >= 0; }
    const Chains& scopes() const { return scopes_; }
    i64 first(i64 root) const { return first_[at(root)]; }

    i64 points(i64 root, i64 cluster) const {
        const i32 code = placed_.find(cluster_key(root, cluster));
        return code < 0 ? 0 : points_[at(code)];
    }

  private:
    bool apart(i64 a, i64 b) const {
        if (scopes_.size(a) > scopes_.size(b)) std::swap(a, b);
        return scopes_.any(a, [&](i64 scope) { return has(b, scope); });
    }

    i64& points_of(i64 root, i64 cluster) {
        const i32 code = placed_.find_or_add(cluster_key(root, cluster));
        if (at(code) == points_.size()) points_.push_back(0);
        return points_[at(code)];
    }

    u64 cluster_key(i64 root, i64 cluster) const { return static_cast<u64>(root * clusters_in_all_ + cluster); }
    u64 scope_key(i64 root, i64 scope) const { return static_cast<u64>(root * scopes_in_all_ + scope); }

    i64 clusters_in_all_, scopes_in_all_;
    std::vector<i64> parent_, first_;
    Chains clusters_, scopes_;
    KeyTable placed_, scoped_;
    std::vector<i64> points_;
};

// Asks now and then, after enough steps of loops that may be short or long.
class Steps {
  public:
    explicit Steps(Run& run) : run_(run) {}
    void operator()(i64 steps) {
        if ((left_ -= steps) > 0) return;
        left_ = 1 << 14;
        run_.poll();
    }

  private:
    Run& run_;
    i64 left_ = 0;
};

// A link from a cell of an atom that spans clusters.
struct Waiting {
    i64 cell, other;
    double score;
};

std::vector<Waiting> unite_linked(Classes& classes, const Atoms& atoms, const AtomLinks& links, Run& run) {
    std::vector<Waiting> waiting;
    auto wait = [&](i64 atom, i64 other, i64 link) {
        const i64 *begin = atoms.cluster + atoms.cell_start[atom], *end = atoms.cluster + atoms.cell_start[atom + 1];
        const i64* found = std::lower_bound(begin, end, links.cluster[link]);
        if (found == end || *found != links.cluster[link]) throw BadValue("links must be in clusters of their atoms");
        waiting.push_back({found - atoms.cluster, other, links.score[link]});
    };
    run.each(0, links.count, [&](i64 link) {
        const i64 u = links.left[link], v = links.right[link];
        if (u == v) return;
        if (atoms.spans(u)) wait(u, v, link);
        if (atoms.spans(v)) wait(v, u, link);
        if (!atoms.spans(u) && !atoms.spans(v)) classes.unite(u, v);
    });
    run.stable_sort(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) { return a.cell < b.cell; });
    return waiting;
}

// Each class of atoms that span nothing into the first part of its cluster that takes it; the parts of each cluster, by a
// class of each.
std::vector<std::vector<i64>> first_fit(Classes& classes, const Atoms& atoms, Run& run) {
    struct Home {
        i64 cluster, points, first, root;
    };
    std::vector<Home> homes;
    run.each(0, atoms.count, [&](i64 atom) {
        if (atoms.spans(atom) || classes.find(atom) != atom || atoms.cell_start[atom] == atoms.cell_start[atom + 1]) return;
        const i64 cluster = atoms.cluster[atoms.cell_start[atom]];
        homes.push_back({cluster, classes.points(atom, cluster), classes.first(atom), atom});
    });
    run.stable_sort(homes.begin(), homes.end(), [](const Home& a, const Home& b) {
        return std::tie(a.cluster, b.points, a.first) < std::tie(b.cluster, a.points, b.first);
    });
    std::vector<std::vector<i64>> parts(at(atoms.clusters));
    // The first part without a scope, in the cluster that asked last: thousands may be apart from each other, and each would
    // ask all that came before.
    std::vector<i64> open(at(atoms.scopes), 0), asked(at(atoms.scopes), -1);
    Steps steps(run);
    for (const Home& home : homes) {
        auto& mine = parts[at(home.cluster)];
        i64 place = 0;
        classes.scopes().any(home.root, [&](i64 scope) {
            if (asked[at(scope)] != home.cluster) asked[at(scope)] = home.cluster, open[at(scope)] = 0;
            i64& next = open[at(scope)];
            for (; at(next) < mine.size() && classes.has(classes.find(mine[at(next)]), scope); ++next) steps(1);
            place = std::max(place, next);
            return false;
        });
        for (; at(place) < mine.size() && !classes.unite(mine[at(place)], home.root); ++place) steps(1);
        if (at(place) == mine.size()) mine.push_back(home.root);
        steps(1);
    }
    return parts;
}

}  // namespace

Buffer<i64> assemble(const Atoms& atoms, const AtomOrder& order, const AtomLinks& links, Run& run) {
    Classes classes(atoms, order.least, run);
    const std::vector<Waiting> waiting = unite_linked(classes, atoms, links, run);
    std::vector<std::vector<i64>> parts = first_fit(classes, atoms, run);

    struct Want {
        i64 points, size, least, cluster_least, atom, cell;
    };
    std::vector<Want> wants;
    run.each(0, atoms.count, [&](i64 atom) {
        if (!atoms.spans(atom)) return;
        for (i64 cell = atoms.cell_start[atom]; cell < atoms.cell_start[atom + 1]; ++cell) {
            const i64 cluster = atoms.cluster[cell];
            wants.push_back({atoms.points[cell], order.cluster_size[cluster], order.least[atom], order.cluster_least[cluster], atom, cell});
        }
    });
    run.stable_sort(wants.begin(), wants.end(), [](const Want& a, const Want& b) {
        return std::tie(b.points, b.size, a.least, a.cluster_least) < std::tie(a.points, a.size, b.least, b.cluster_least);
    });

    struct Part {
        double strength;
        i64 points, first, root;
    };
    std::vector<Part> found;
    // The last of a heap is the best: the strongest link, then most points, then the least point.
    auto worse = [](const Part& a, const Part& b) { return std::tie(a.strength, a.points, b.first) < std::tie(b.strength, b.points, a.first); };
    Steps steps(run);
    for (const Want& want : wants) {
        const i64 cluster = atoms.cluster[want.cell];
        auto& mine = parts[at(cluster)];
        steps(1 + static_cast<i64>(mine.size()));
        if (mine.size() == 1 && classes.unite(mine[0], want.atom)) continue;  // most have no choice
        found.clear();
        for (i64& part : mine) {
            part = classes.find(part);
            found.push_back({-std::numeric_limits<double>::infinity(), classes.points(part, cluster), classes.first(part), part});
        }
        const auto links_begin = std::lower_bound(waiting.begin(), waiting.end(), want.cell, [](const Waiting& w, i64 cell) { return w.cell < cell; });
        for (auto link = links_begin; link != waiting.end() && link->cell == want.cell; ++link) {
            const i64 root = classes.find(link->other);
            for (Part& part : found)
                if (part.root == root) part.strength = std::max(part.strength, link->score);
        }
        std::make_heap(found.begin(), found.end(), worse);
        bool placed = false;
        for (; !placed && !found.empty(); found.pop_back()) {
            std::pop_heap(found.begin(), found.end(), worse);
            placed = classes.unite(found.back().root, want.atom);
        }
        if (!placed) mine.push_back(want.atom);
    }
    Buffer<i64> out(atoms.count);
    run.each(0, atoms.count, [&](i64 atom) { out[atom] = classes.find(atom); });
    return out;
}

Buffer<i64> points_apart(const Atoms& atoms, Run& run) {
    const i64 cells = atoms.cell_start[atoms.count];
    auto out = Buffer<i64>::zeros(cells);
    // Cells with a scope, cluster by cluster.
    struct Scoped {
        i64 cluster, scope, cell, atom;
    };
    std::vector<Scoped> rows;
    run.each(0, atoms.count, [&](i64 atom) {
        for (i64 cell = atoms.cell_start[atom]; cell < atoms.cell_start[atom + 1]; ++cell)
            for (i64 s = atoms.scope_start[atom]; s < atoms.scope_start[atom + 1]; ++s)
                rows.push_back({atoms.cluster[cell], atoms.scope[s], cell, atom});
    });
    auto less = [](const Scoped& a, const Scoped& b) { return std::tie(a.cluster, a.scope, a.cell) < std::tie(b.cluster, b.scope, b.cell); };
    run.stable_sort(rows.begin(), rows.end(), less);
    // An atom may share several scopes with another: each other is counted once.
    std::vector<i64> seen(at(cells), -1);
    Steps steps(run);
    auto count = [&](i64 cluster, i64 atom, i64 stamp) {
        i64 sum = 0;
        for (i64 s = atoms.scope_start[atom]; s < atoms.scope_start[atom + 1]; ++s) {
            auto row = std::lower_bound(rows.begin(), rows.end(), Scoped{cluster, atoms.scope[s], -1, -1}, less);
            for (; row != rows.end() && row->cluster == cluster && row->scope == atoms.scope[s]; ++row) {
                steps(1);
                if (std::exchange(seen[at(row->cell)], stamp) != stamp) sum += atoms.points[row->cell];
            }
        }
        return sum;
    };
    // Neighbours often have the same scopes, and then the same sum.
    i64 last_cluster = -1, last_atom = -1, last_sum = 0;
    auto same_scopes = [&](i64 a, i64 b) {
        return std::equal(atoms.scope + atoms.scope_start[a], atoms.scope + atoms.scope_start[a + 1], atoms.scope + atoms.scope_start[b],
                          atoms.scope + atoms.scope_start[b + 1]);
    };
    for (const Scoped& row : rows) {
        steps(1);
        if (row.scope != atoms.scope[atoms.scope_start[row.atom]]) continue;  // once per cell
        if (row.cluster != last_cluster || !same_scopes(row.atom, last_atom))
            last_sum = count(row.cluster, row.atom, row.cell), last_cluster = row.cluster, last_atom = row.atom;
        out[row.cell] = last_sum - atoms.points[row.cell];
    }
    return out;
}

}  // namespace clusterdiff
