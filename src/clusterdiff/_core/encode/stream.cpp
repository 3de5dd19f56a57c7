// Text out of an Arrow stream: the batches are kept until all of them have been numbered.
#include <deque>

#include "encode/bytes.hpp"

namespace clusterdiff {

namespace {

// Rows of one batch after another.
class Batches {
  public:
    explicit Batches(Ids type) : type_(type) {}

    void add(Released<ArrowArray>&& batch, const Column& column) {
        if (!batch->length) return;
        kept_.push_back(std::move(batch));
        slices_.push_back(slice_of(*kept_.back().get(), column));
        begins_.push_back(rows_);
        rows_ += slices_.back().length;
    }
    i64 rows() const { return rows_; }
    bool null(i64 row) const {
        const std::size_t b = batch_of(row);
        return slices_[b].null(row - begins_[b]);
    }
    Bytes at(i64 row) const {
        const std::size_t b = batch_of(row);
        const auto [data, length] = slices_[b].text(type_, row - begins_[b]);
        return {data, length};
    }

  private:
    std::size_t batch_of(i64 row) const {
        return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), row) - begins_.begin()) - 1;
    }

    Ids type_;
    std::deque<Released<ArrowArray>> kept_;
    std::vector<Slice> slices_;
    std::vector<i64> begins_;
    i64 rows_ = 0;
};

}  // namespace

EncodedText encode_stream(ArrowArrayStream* from, Run& run) {
    Stream stream(from, "labels");
    const Column& column = stream.column();
    if (!is_text(column.type)) throw BadValue("labels must hold text");
    Batches batches(column.type);
    for (;;) {
        run.poll(0);
        Released<ArrowArray> batch = stream.next();
        if (!batch->release) break;
        batches.add(std::move(batch), column);
    }
    auto at = [&](i64 i) { return batches.at(i); };
    Encoded found = encode_bytes(batches.rows(), [&](i64 i) { return batches.null(i); }, at, [](i64) {}, run);
    EncodedText out;
    const i64 count = found.first.size();
    out.ends = Buffer<i64>(count);
    i64 total = 0;
    run.each(0, count, [&](i64 code) { out.ends[code] = total += at(found.first[code]).length; });
    out.bytes = Buffer<u8>(total);
    run.each(0, count, [&](i64 code) {
        const Bytes text = at(found.first[code]);
        if (text.length) std::memcpy(out.bytes.data() + out.ends[code] - text.length, text.data, static_cast<std::size_t>(text.length));
    });
    out.codes = std::move(found.codes);
    return out;
}

}  // namespace clusterdiff
