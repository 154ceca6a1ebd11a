// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/object.hpp"

namespace clotho {

void Object::apiRetain(cl_int invalid) {
  cl_uint count = apiRefs_.load(std::memory_order_relaxed);
  while (count > 0)
    if (apiRefs_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return;
  check(tryRetain(), invalid, "retained after its end");
  retain(); // the application's, before anybody can release it
  if (apiRefs_.fetch_add(1, std::memory_order_acq_rel) == 0)
    apiHoldChanged();
  else
    release(); // another thread was faster
  release();
}

void Object::apiRelease(cl_int invalid) {
  cl_uint count = apiRefs_.load(std::memory_order_relaxed);
  do
    check(count > 0, invalid, "released more often than retained");
  while (!apiRefs_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel));
  if (count == 1) {
    apiHoldChanged();
    release();
  }
}

} // namespace clotho
