// The Python module: errors, and the bindings of every stage.
#include "base/memory.hpp"
#include "base/pause.hpp"
#include "python/allocator.hpp"
#include "python/bind.hpp"

namespace cd = clusterdiff;
namespace nb = nanobind;

NB_MODULE(_core, m) {
    m.doc() = "The compiled core: pure functions on arrays.";
    // A thread that Python does not wait for may hold a result when the process ends. That is no fault of these bindings,
    // and nobody can act on a page of names about it: only the instrumented core tells.
    nb::set_leak_warnings(CLUSTERDIFF_ASAN);
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const cd::Interrupted&) {
            if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
        } catch (const cd::Changed&) {
            const nb::object error = nb::module_::import_("clusterdiff.errors").attr("changed")();
            PyErr_SetObject(error.type().ptr(), error.ptr());
        } catch (const cd::BadValue& e) {
            PyErr_SetString(PyExc_ValueError, e.what());
        } catch (const cd::TooLarge& e) {
            PyErr_SetString(PyExc_OverflowError, e.what());
        }
    });
    cd::bind_encode(m);
    cd::bind_match(m);
    auto cells = cd::bind_meet(m);
    cd::bind_sums(m, cells);
    cd::bind_chance(m);
    cd::bind_explain(m, cells);
    cd::bind_patch(m);
    cd::bind_points(m);
    cd::bind_draws(m, cells);
    cd::bind_judgements(m);
    cd::bind_sweep(m);
    m.def("threads", &cd::configured_threads);
    m.def("keep_freed", &cd::keep_freed);
    m.def("set_array_memory", &cd::set_array_memory, nb::arg("before").none() = nb::none());
    m.def("set_pause", [](int milliseconds) { cd::pause = std::chrono::milliseconds(milliseconds); }, nb::arg("milliseconds"));
}
