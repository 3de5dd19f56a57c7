#include "encode/encode.hpp"
#include "encode/objects.hpp"
#include "python/bind.hpp"
#include "python/result.hpp"
#include "python/texts.hpp"

namespace clusterdiff {

using namespace nb::literals;

namespace {

Result codes, object_codes;

nb::object encoded(Encoded&& e) { return codes(to_numpy(std::move(e.codes)), to_numpy(std::move(e.first))); }

Validity validity_of(const std::optional<Array>& bitmap, i64 bit_offset, i64 n) {
    if (!bitmap) return {};
    if (bit_offset < 0 || bitmap->size() * 8 < bit_offset + n) throw BadValue("validity is shorter than the data");
    return {bitmap->exactly<u8>("uint8"), bit_offset};
}

nb::object integers(nb::handle x) {
    const Array a(x, "x");
    const Labels labels = a.labels();
    return encoded(heavy(labels.n, [&](Run& run) { return encode_integers(labels, run); }));
}

nb::object fixed(nb::handle x, i64 unit) {
    const Array a(x, "x", 2);
    if (a.itemsize() != 1 || (a.size(1) > 1 && a.stride(1) != 1)) throw nb::type_error("x must be uint8 with contiguous rows");
    if ((unit != 1 && unit != 4) || a.size(1) % unit) throw BadValue("unit must be 1 or 4 bytes, and divide the width");
    const FixedText text{reinterpret_cast<const u8*>(a.data()), a.size(), a.stride(), a.size(1), unit};
    return encoded(heavy(text.n, [&](Run& run) { return encode_fixed(text, run); }));
}

nb::object text(nb::handle offsets, nb::handle data, nb::handle validity, i64 bit_offset) {
    const Array o(offsets, "offsets"), b(data, "data");
    const auto bitmap = maybe(validity, "validity");
    const i64 n = o.size() - 1;
    if (n < 0) throw BadValue("offsets must have at least one entry");
    const Validity valid = validity_of(bitmap, bit_offset, n);
    const Bytes bytes{b.exactly<u8>("uint8"), b.size()};
    Offsets starts;
    if (o.itemsize() == 4)
        starts.narrow = o.exactly<i32>("int32");
    else
        starts.wide = o.exactly<i64>("int64");
    return encoded(heavy(n, [&](Run& run) { return encode_text(starts, n, bytes, valid, run); }));
}

nb::object views(nb::handle views, nb::sequence buffers, nb::handle validity, i64 bit_offset) {
    const Array v(views, "views", 2);
    if (v.itemsize() != 1 || v.size(1) != 16 || v.stride(1) != 1) throw nb::type_error("views must be uint8 of shape [n, 16]");
    std::vector<Array> arrays;
    for (nb::handle h : buffers) arrays.emplace_back(h, "buffers");
    Views all{reinterpret_cast<const u8*>(v.data()), v.size(), v.stride(), {}};
    for (const auto& a : arrays) all.buffers.push_back({a.exactly<u8>("uint8"), a.size()});
    const auto bitmap = maybe(validity, "validity");
    const Validity valid = validity_of(bitmap, bit_offset, all.n);
    return encoded(heavy(all.n, [&](Run& run) { return encode_views(all, valid, run); }));
}

nb::object object_codes_of(EncodedObjects e) {
    nb::list types;
    for (const auto& [type, position] : e.types) types.append(nb::make_tuple(type, position));
    return object_codes(to_numpy(std::move(e.encoded.codes)), to_numpy(std::move(e.encoded.first)), types);
}
nb::object objects(nb::handle source) { return object_codes_of(encode_objects(source)); }
nb::object lists(const nb::list& sources) {
    std::vector<nb::list> found;
    for (nb::handle source : sources) found.push_back(nb::cast<nb::list>(source));
    return object_codes_of(encode_lists(found));
}

nb::object text_ranks_of(nb::handle texts) {
    const Texts t = texts_of(texts);
    return to_numpy(heavy(t.size(), [&](Run& run) { return text_ranks(t, run); }));
}

}  // namespace

void bind_encode(nb::module_& m) {
    codes.define(m, "Codes", {"codes", "first"});
    object_codes.define(m, "ObjectCodes", {"codes", "first", "types"});
    m.def("text_ranks", &text_ranks_of, "texts"_a);
    m.def("encode_integers", &integers, "x"_a);
    m.def("encode_fixed", &fixed, "x"_a, "unit"_a = 1);
    m.def("encode_text", &text, "offsets"_a, "data"_a, "validity"_a.none() = nb::none(), "bit_offset"_a = 0);
    m.def("encode_views", &views, "views"_a, "buffers"_a, "validity"_a.none() = nb::none(), "bit_offset"_a = 0);
    m.def("encode_objects", &objects, "objects"_a);
    m.def("encode_lists", &lists, "lists"_a);
}

}  // namespace clusterdiff
