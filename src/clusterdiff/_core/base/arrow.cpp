#include "base/arrow.hpp"

#include <stdexcept>

namespace clusterdiff {

namespace {

Ids type_of(const ArrowSchema& schema, const std::string& name) {
    constexpr const char* formats[] = {"c", "s", "i", "l", "C", "S", "I", "L", "b", "u", "U", "vu"};
    for (int type = 0; type < 12 && !schema.dictionary; ++type)
        if (std::strcmp(schema.format, formats[type]) == 0) return static_cast<Ids>(type);
    throw BadValue(name + " must hold integers, booleans or text, not Arrow's '" + schema.format + (schema.dictionary ? "' of a dictionary" : "'"));
}

}  // namespace

Stream::Stream(ArrowArrayStream* from, const char* name, i64 most_columns) : stream_(from) {
    ArrowSchema schema{};
    if (stream_->get_schema(stream_.get(), &schema)) fail();
    Released<ArrowSchema> kept(&schema);
    if (std::strcmp(kept->format, "+s") != 0) {
        columns_.push_back({type_of(*kept.get(), name)});
        return;
    }
    const i64 count = kept->n_children;
    if (count < 1 || count > most_columns)
        throw BadValue(std::string(name) + " must have " + (most_columns == 1 ? "one column" : "one or two columns") + ", not " + std::to_string(count));
    for (i64 i = 0; i < count; ++i) columns_.push_back({type_of(*kept->children[i], i ? std::string("the labels of ") + name : name), i});
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

Slice slice_of(const ArrowArray& batch, const Column& column, i64 begin, i64 end) {
    auto bitmap = [](const ArrowArray& x) { return x.null_count == 0 || x.n_buffers == 0 ? nullptr : static_cast<const u8*>(x.buffers[0]); };
    const i64 offset = batch.offset + begin;
    if (column.child < 0) return {&batch, offset, end - begin, bitmap(batch)};
    const ArrowArray& names = *batch.children[column.child];
    return {&names, names.offset + offset, end - begin, bitmap(names), bitmap(batch), offset};
}

}  // namespace clusterdiff
