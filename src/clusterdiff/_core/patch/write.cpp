#include "patch/write.hpp"

#include <algorithm>
#include <cstring>

#include "patch/sha256.hpp"

namespace clusterdiff {

namespace {

constexpr char kHex[] = "0123456789abcdef";

// A character that is not plain ASCII, as JSON escapes it; returns how many bytes of UTF-8 it takes.
std::size_t escape(std::string& out, std::string_view text) {
    auto unit = [&](u32 code) {
        out += "\\u";
        for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(code >> shift) & 15];
    };
    const auto byte = [&](std::size_t i) { return static_cast<u32>(static_cast<u8>(text[i])); };
    const u32 head = byte(0);
    if (head < 0x80) {
        const char* const known = "\"\\\b\f\n\r\t";
        const char* const at = std::strchr(known, static_cast<int>(head));
        if (head && at)
            out += '\\', out += "\"\\bfnrt"[at - known];
        else
            unit(head);
        return 1;
    }
    const std::size_t size = head < 0xe0 ? 2 : head < 0xf0 ? 3 : 4;
    if (size > text.size()) throw BadValue("texts must be UTF-8");
    u32 code = head & (0x7fu >> size);
    for (std::size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 63);
    if (size < 4) {
        unit(code);
    } else {
        unit(0xd800 + ((code - 0x10000) >> 10));
        unit(0xdc00 + ((code - 0x10000) & 0x3ff));
    }
    return size;
}

void quote(std::string& out, std::string_view text) {
    out += '"';
    std::size_t plain = 0;  // how much has been written
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<u8>(text[i]);
        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') [[likely]] {
            ++i;
            continue;
        }
        out.append(text, plain, i - plain);
        i += escape(out, text.substr(i));
        plain = i;
    }
    out.append(text, plain);
    out += '"';
}

class Writer {
  public:
    Writer(const Edits& edits, Run& run) : edits_(edits), sorted_(edits.cells.indptr[edits.cells.count]) {
        const Lists& cells = edits.cells;
        std::copy(cells.items, cells.items + sorted_.size(), sorted_.data());
        run.each(0, cells.count, [&](i64 cell) { sort(sorted_.data() + cells.indptr[cell], sorted_.data() + cells.indptr[cell + 1]); });
    }

    // The least point of some cells, of which there is one at least.
    i64 least_of_cells(const Lists& groups, i64 group) const {
        i64 least = first(*groups.begin(group));
        for (const i64* cell = groups.begin(group) + 1; cell < groups.end(group); ++cell) least = lesser(least, first(*cell));
        return least;
    }

    // The least point of a new cluster to which points come.
    i64 least_of_add(i64 add) const {
        i64 least = *edits_.adds.begin(add);
        for (const i64* point = edits_.adds.begin(add) + 1; point < edits_.adds.end(add); ++point) least = lesser(least, *point);
        return edits_.targets.size(add) ? lesser(least, least_of_cells(edits_.targets, add)) : least;
    }

    i64 lesser(i64 a, i64 b) const { return edits_.texts.less(b, a) ? b : a; }

    void remove(std::string& out) const {
        std::vector<i64> points(edits_.removed.begin(0), edits_.removed.end(0));
        sort(points.data(), points.data() + points.size());
        out += "{\"remove\": ";
        list(out, points.data(), points.data() + points.size());
        out += '}';
    }

    void split(std::string& out, i64 i) const {
        const std::vector<i64> parts = largest_first(edits_.splits, i);
        out += "{\"split\": ";
        union_of(out, parts);
        out += ", \"off\": [";
        for (std::size_t part = 1; part < parts.size(); ++part) {
            if (part > 1) out += ", ";
            list(out, begin(parts[part]), end(parts[part]));
        }
        out += "]}";
    }

    void merge(std::string& out, i64 i) const {
        out += "{\"merge\": [";
        bool more = false;
        for (const i64 part : largest_first(edits_.merges, i)) {
            if (more) out += ", ";
            more = true;
            named(out, begin(part), end(part));
        }
        out += "]}";
    }

    void add(std::string& out, i64 i) const {
        std::vector<i64> points(edits_.adds.begin(i), edits_.adds.end(i));
        sort(points.data(), points.data() + points.size());
        out += "{\"add\": ";
        list(out, points.data(), points.data() + points.size());
        out += ", \"to\": ";
        if (edits_.targets.size(i))
            union_of(out, {edits_.targets.begin(i), edits_.targets.end(i)});
        else
            out += "null";
        out += '}';
    }

  private:
    std::string_view text(i64 point) const { return edits_.texts[point]; }
    const i64* begin(i64 cell) const { return sorted_.data() + edits_.cells.indptr[cell]; }
    const i64* end(i64 cell) const { return sorted_.data() + edits_.cells.indptr[cell + 1]; }
    i64 first(i64 cell) const { return *begin(cell); }

    void sort(i64* begin, i64* end) const {
        std::sort(begin, end, [&](i64 a, i64 b) { return edits_.texts.less(a, b); });
    }

    std::vector<i64> largest_first(const Lists& groups, i64 group) const {
        std::vector<i64> cells(groups.begin(group), groups.end(group));
        std::sort(cells.begin(), cells.end(), [&](i64 a, i64 b) {
            const i64 one = edits_.cells.size(a), other = edits_.cells.size(b);
            return one != other ? one > other : edits_.texts.less(first(a), first(b));
        });
        return cells;
    }

    void list(std::string& out, const i64* begin, const i64* end) const {
        out += '[';
        for (const i64* at = begin; at < end; ++at) {
            if (at > begin) out += ", ";
            quote(out, text(*at));
        }
        out += ']';
    }

    void union_of(std::string& out, const std::vector<i64>& cells) const {
        std::vector<i64> points;
        for (const i64 cell : cells) points.insert(points.end(), begin(cell), end(cell));
        if (cells.size() > 1) sort(points.data(), points.data() + points.size());
        named(out, points.data(), points.data() + points.size());
    }

    // The digest is that of the list as JSON writes it.
    void named(std::string& out, const i64* begin, const i64* end) const {
        out += "{\"member\": ";
        quote(out, text(*begin));
        out += ", \"size\": " + std::to_string(end - begin) + ", \"digest\": \"";
        std::string whole;
        list(whole, begin, end);
        const u64 head = sha256_head(whole);
        for (int shift = 60; shift >= 0; shift -= 4) out += kHex[(head >> shift) & 15];
        out += "\"}";
    }

    const Edits& edits_;
    Buffer<i64> sorted_;
};

struct Operation {
    i64 least;
    void (Writer::*write)(std::string&, i64) const;
    i64 number;
};

}  // namespace

WrittenPatch write_patch(const Edits& edits, std::string_view separator, Run& run) {
    const Writer writer(edits, run);
    std::vector<Operation> operations;
    // Each kind in the order of the least points of the clusters that it is about.
    auto kind = [&](i64 count, void (Writer::*write)(std::string&, i64) const, auto&& least) {
        const auto start = static_cast<std::ptrdiff_t>(operations.size());
        run.each(0, count, [&](i64 i) { operations.push_back({least(i), write, i}); });
        run.stable_sort(operations.begin() + start, operations.end(), [&](const Operation& a, const Operation& b) { return edits.texts.less(a.least, b.least); });
    };
    kind(edits.splits.count, &Writer::split, [&](i64 i) { return writer.least_of_cells(edits.splits, i); });
    kind(edits.merges.count, &Writer::merge, [&](i64 i) {
        const i64 least = writer.least_of_cells(edits.merges, i);
        return edits.merge_adds[i] < 0 ? least : writer.lesser(least, writer.least_of_add(edits.merge_adds[i]));
    });
    kind(edits.adds.count, &Writer::add, [&](i64 i) { return writer.least_of_add(i); });

    // Pieces are written apart, and then joined.
    constexpr i64 kPiece = 2048;
    const bool removes = edits.removed.size(0) > 0;
    const i64 rest = static_cast<i64>(operations.size()), count = rest + removes, pieces = (rest + kPiece - 1) / kPiece;
    std::vector<std::string> texts(static_cast<std::size_t>(pieces));
    WrittenPatch out{{}, Buffer<i64>(count), Buffer<i64>(count)};
    if (removes) {
        out.start[0] = 0;
        writer.remove(out.text);
        out.end[0] = static_cast<i64>(out.text.size());
    }
    run.tasks(pieces, [&](i64 piece, int) {
        run.poll();
        std::string& text = texts[static_cast<std::size_t>(piece)];
        for (i64 i = piece * kPiece; i < std::min(rest, (piece + 1) * kPiece); ++i) {
            const Operation& operation = operations[static_cast<std::size_t>(i)];
            if (i || removes) text += separator;
            out.start[i + removes] = static_cast<i64>(text.size());
            (writer.*operation.write)(text, operation.number);
            out.end[i + removes] = static_cast<i64>(text.size());
        }
    });
    for (i64 piece = 0; piece < pieces; ++piece) {
        run.poll();
        const auto before = static_cast<i64>(out.text.size());
        for (i64 i = piece * kPiece; i < std::min(rest, (piece + 1) * kPiece); ++i)
            out.start[i + removes] += before, out.end[i + removes] += before;
        out.text += texts[static_cast<std::size_t>(piece)];
        texts[static_cast<std::size_t>(piece)] = {};
    }
    return out;
}

}  // namespace clusterdiff
