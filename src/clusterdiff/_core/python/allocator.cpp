// NumPy lets whoever wants to take care of its arrays' memory (NEP 49). Its headers are needed for that alone, and what
// they say of it does not change: the shape of a handler, and the place of one function in the table that NumPy exports.
#include "python/allocator.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "base/memory.hpp"

namespace clusterdiff {

namespace nb = nanobind;

namespace {

struct Handler {
    char name[127];
    std::uint8_t version;
    void* context;
    void* (*malloc)(void*, std::size_t);
    void* (*calloc)(void*, std::size_t, std::size_t);
    void* (*realloc)(void*, void*, std::size_t);
    void (*free)(void*, void*, std::size_t);
};

constexpr std::size_t kSetHandler = 304;

// The blocks that arrays have now: what NumPy says of the size of one that it gives back is not always what it asked for.
std::mutex mutex;
std::unordered_map<void*, Block>& taken() {
    static auto* blocks = new std::unordered_map<void*, Block>;  // never destroyed: arrays may outlive static objects
    return *blocks;
}

Block take(std::size_t bytes) {
    try {
        const Block block = take_block(bytes);
        const std::scoped_lock lock(mutex);
        taken().emplace(block.data, block);
        return block;
    } catch (const std::bad_alloc&) {
        return {};  // and NumPy raises a MemoryError
    }
}

// The block at an address, forgotten; none if it is malloc's.
Block forget(void* data) {
    const std::scoped_lock lock(mutex);
    const auto found = taken().find(data);
    if (found == taken().end()) return {};
    const Block block = found->second;
    taken().erase(found);
    return block;
}

void* take_raw(void*, std::size_t bytes) { return bytes < kLargeBlock ? std::malloc(bytes) : take(bytes).data; }

void* take_zeros(void*, std::size_t count, std::size_t width) {
    const std::size_t bytes = count * width;  // which NumPy has seen not to overflow
    if (bytes < kLargeBlock) return std::calloc(count, width);
    const Block block = take(bytes);
    if (block.data && !block.zeroed) std::memset(block.data, 0, bytes);
    return block.data;
}

void give(void*, void* data, std::size_t) {
    const Block block = forget(data);
    if (block.data)
        give_block(block);
    else
        std::free(data);
}

void* take_again(void*, void* data, std::size_t bytes) {
    const Block block = forget(data);
    if (!block.data) return std::realloc(data, bytes);
    void* more = take_raw(nullptr, bytes);
    if (more) {
        std::memcpy(more, data, std::min(bytes, block.mapped));
        give_block(block);
    } else {
        const std::scoped_lock lock(mutex);
        taken().emplace(data, block);
    }
    return more;
}

Handler handler{"clusterdiff", 1, nullptr, take_raw, take_zeros, take_again, give};

}  // namespace

nb::object set_array_memory(nb::handle before) {
    if (!kLargeBlock) return nb::none();
    nb::object numpy;
    try {
        numpy = nb::module_::import_("numpy._core._multiarray_umath");
    } catch (const nb::python_error&) {  // before NumPy 2
        numpy = nb::module_::import_("numpy.core._multiarray_umath");
    }
    const nb::object table = numpy.attr("_ARRAY_API");
    void** const exported = static_cast<void**>(PyCapsule_GetPointer(table.ptr(), nullptr));
    if (!exported) throw nb::python_error();
    const nb::object wanted = before.is_none() ? nb::steal(PyCapsule_New(&handler, "mem_handler", nullptr)) : nb::borrow(before);
    const auto set_handler = reinterpret_cast<PyObject* (*)(PyObject*)>(exported[kSetHandler]);
    nb::object old = nb::steal(set_handler(wanted.ptr()));
    if (!old) throw nb::python_error();
    return old;
}

}  // namespace clusterdiff
