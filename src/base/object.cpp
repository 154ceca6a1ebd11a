// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/object.hpp"

namespace clotho {

void Object::apiRetain(cl_int invalid) {
  cl_uint count = apiRefs_.load(std::memory_order_relaxed);
  do
    check(count > 0, invalid, "retained after its last release");
  while (!apiRefs_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
}

void Object::apiRelease(cl_int invalid) {
  cl_uint count = apiRefs_.load(std::memory_order_relaxed);
  do
    check(count > 0, invalid, "released more often than retained");
  while (!apiRefs_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel));
  if (count == 1) {
    lastApiRelease();
    release();
  }
}

} // namespace clotho
