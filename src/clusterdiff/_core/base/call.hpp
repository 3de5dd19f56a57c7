// A reference to something that can be called.
#pragma once

#include <type_traits>

namespace clusterdiff {

// Pieces of work are large: that nothing is inlined into what hands them out costs nothing, and spares every kernel its
// own copy of that.
template <class... Args>
class Call {
  public:
    template <class F>
    Call(F&& f)
        : object_(const_cast<void*>(static_cast<const void*>(&f))),
          call_([](void* object, Args... args) { (*static_cast<std::remove_reference_t<F>*>(object))(args...); }) {}
    void operator()(Args... args) const { call_(object_, args...); }

  private:
    void* object_;
    void (*call_)(void*, Args...);
};

}  // namespace clusterdiff
