// What offers an Arrow stream, asked for it.
#pragma once

#include <nanobind/nanobind.h>

#include "base/arrow.hpp"
#include "python/array.hpp"

namespace clusterdiff {

namespace nb = nanobind;

// The stream is there for as long as this is. To be made when it is read: two of one connection may not be open at once.
class Offered {
  public:
    Offered(nb::handle source, const char* name) {
        if (!nb::hasattr(source, "__arrow_c_stream__"))
            throw nb::type_error((std::string(name) + " must be an Arrow stream, not " + Array::type_name(source)).c_str());
        capsule_ = source.attr("__arrow_c_stream__")();
        stream_ = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule_.ptr(), "arrow_array_stream"));
        if (!stream_) throw nb::python_error();
    }
    ArrowArrayStream* stream() const { return stream_; }

  private:
    nb::object capsule_;
    ArrowArrayStream* stream_;
};

}  // namespace clusterdiff
