// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/object.hpp"

namespace clotho {

void Object::apiRetain(cl_int invalid) {
  cl_uint count = apiRefs_.load(std::memory_order_relaxed);
  while (count > 0)
    if (apiRefs_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return;
  // Two references: one for this call, and the application's, which has to be there before any thread can release it.
  check(tryRetain(), invalid, "retained after its end");
  retain();
  const bool isFirst = apiRefs_.fetch_add(1, std::memory_order_acq_rel) == 0;
  if (isFirst) apiHoldChanged();
  // If another thread was faster, the application has its reference already.
  release(isFirst ? 1 : 2);
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
