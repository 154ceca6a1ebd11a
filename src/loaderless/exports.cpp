// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL functions under their own names, for programs that are linked with libOpenCL.so.1 where no loader is. Each
// name is bound to our function when the library is loaded, so that signatures need not be repeated.
#include "api/entry_points.hpp" // NOLINT(misc-include-cleaner): macros use it

namespace {

using Any = void (*)();

#define NEWER_ENTRY(name) ENTRY(name)
#define ENTRY(name)                                                                                                    \
  extern "C" Any clothoResolve_##name() { return reinterpret_cast<Any>(&clotho::api::name); }
#define OPAQUE_ENTRY(name)
#include "api/entry_points.def"

} // namespace

#define NEWER_ENTRY(name) ENTRY(name)
#define ENTRY(name)                                                                                                    \
  extern "C" __attribute__((visibility("default"), ifunc("clothoResolve_" #name))) decltype(::name) name;
#define OPAQUE_ENTRY(name)
#include "api/entry_points.def"
