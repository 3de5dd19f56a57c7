// NumPy lets whoever wants to take care of its arrays' memory (NEP 49). Its headers are needed for that alone, and what
// they say of it does not change: the shape of a handler, and the place of one function in the table that NumPy exports.
#include "python/allocator.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

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

// What lies before the data of an array: the block that both are in, or none if malloc gave them. What NumPy says of the
// size of memory that it gives back is not always what it asked for. As long as a line of the cache: data begin with one.
struct Front {
    Block block;
    char rest[64 - sizeof(Block)];
};

Front* front(void* data) { return static_cast<Front*>(data) - 1; }

void* with_front(void* memory, const Block& block) { return memory ? new (memory) Front{block, {}} + 1 : nullptr; }

void* take(std::size_t bytes, bool zeros) {
    try {
        const Block block = take_block(bytes + sizeof(Front));
        if (zeros && !block.zeroed) std::memset(block.data, 0, bytes + sizeof(Front));
        return with_front(block.data, block);
    } catch (const std::bad_alloc&) {
        return nullptr;  // and NumPy raises a MemoryError
    }
}

void* take_raw(void*, std::size_t bytes) {
    return bytes >= kLargeBlock ? take(bytes, false) : with_front(std::malloc(bytes + sizeof(Front)), {});
}

void* take_zeros(void*, std::size_t count, std::size_t width) {
    const std::size_t bytes = count * width;  // which NumPy has seen not to overflow
    return bytes >= kLargeBlock ? take(bytes, true) : with_front(std::calloc(bytes + sizeof(Front), 1), {});
}

void give(void*, void* data, std::size_t) {
    if (!data) return;
    const Block block = front(data)->block;
    block.data ? give_block(block) : std::free(front(data));
}

void* take_again(void*, void* data, std::size_t bytes) {
    if (!data) return take_raw(nullptr, bytes);
    const Block block = front(data)->block;
    if (!block.data) {
        void* const memory = std::realloc(front(data), bytes + sizeof(Front));
        return memory ? static_cast<Front*>(memory) + 1 : nullptr;
    }
    void* const more = take_raw(nullptr, bytes);
    if (!more) return nullptr;
    std::memcpy(more, data, std::min(bytes, block.mapped - sizeof(Front)));
    give_block(block);
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
