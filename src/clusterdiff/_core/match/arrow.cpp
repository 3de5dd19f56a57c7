#include "match/arrow.hpp"

#include <cstring>

namespace clusterdiff {

Column column_of(const ArrowSchema& schema, const char* side) {
    const bool in_struct = std::strcmp(schema.format, "+s") == 0;
    if (in_struct && schema.n_children != 1)
        throw BadValue(std::string(side) + " must have one column, not " + std::to_string(schema.n_children));
    const ArrowSchema& ids = in_struct ? *schema.children[0] : schema;
    constexpr const char* formats[] = {"c", "s", "i", "l", "C", "S", "I", "L", "b", "u", "U", "vu"};
    for (int type = 0; type < 12 && !ids.dictionary; ++type)
        if (std::strcmp(ids.format, formats[type]) == 0) return {static_cast<Ids>(type), in_struct};
    throw BadValue(std::string(side) + " must hold integers, booleans or text, not Arrow's '" + ids.format + (ids.dictionary ? "' of a dictionary" : "'"));
}

Slice slice_of(const ArrowArray& batch, const Column& column) {
    auto bitmap = [](const ArrowArray& x) { return x.null_count == 0 || x.n_buffers == 0 ? nullptr : static_cast<const u8*>(x.buffers[0]); };
    if (!column.in_struct) return {&batch, batch.offset, batch.length, bitmap(batch)};
    const ArrowArray& ids = *batch.children[0];
    return {&ids, ids.offset + batch.offset, batch.length, bitmap(ids), bitmap(batch), batch.offset};
}

}  // namespace clusterdiff
