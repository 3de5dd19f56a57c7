#include "base/arrow.hpp"

#include <stdexcept>

namespace clusterdiff {

namespace {

Column column_of(const ArrowSchema& schema, const char* name) {
    const bool in_struct = std::strcmp(schema.format, "+s") == 0;
    if (in_struct && schema.n_children != 1)
        throw BadValue(std::string(name) + " must have one column, not " + std::to_string(schema.n_children));
    const ArrowSchema& ids = in_struct ? *schema.children[0] : schema;
    constexpr const char* formats[] = {"c", "s", "i", "l", "C", "S", "I", "L", "b", "u", "U", "vu"};
    for (int type = 0; type < 12 && !ids.dictionary; ++type)
        if (std::strcmp(ids.format, formats[type]) == 0) return {static_cast<Ids>(type), in_struct};
    throw BadValue(std::string(name) + " must hold integers, booleans or text, not Arrow's '" + ids.format + (ids.dictionary ? "' of a dictionary" : "'"));
}

}  // namespace

Stream::Stream(ArrowArrayStream* from, const char* name) : stream_(from) {
    ArrowSchema schema{};
    if (stream_->get_schema(stream_.get(), &schema)) fail();
    Released<ArrowSchema> kept(&schema);
    column_ = column_of(*kept.get(), name);
}

Released<ArrowArray> Stream::next() {
    ArrowArray batch{};
    if (stream_->get_next(stream_.get(), &batch)) fail();
    return Released<ArrowArray>(&batch);
}

void Stream::fail() {
    const char* error = stream_->get_last_error(stream_.get());
    throw std::runtime_error(error ? error : "an Arrow stream ended early");
}

Slice slice_of(const ArrowArray& batch, const Column& column) {
    auto bitmap = [](const ArrowArray& x) { return x.null_count == 0 || x.n_buffers == 0 ? nullptr : static_cast<const u8*>(x.buffers[0]); };
    if (!column.in_struct) return {&batch, batch.offset, batch.length, bitmap(batch)};
    const ArrowArray& ids = *batch.children[0];
    return {&ids, ids.offset + batch.offset, batch.length, bitmap(ids), bitmap(batch), batch.offset};
}

}  // namespace clusterdiff
