// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>

namespace clotho {

/// The exception with which an API call ends in an error code. `why` is a sentence for the log, with static lifetime.
/// Thrown on the application's threads only; workers and devices pass a status instead.
struct Error {
  cl_int code;
  const char* why;
};

inline void check(bool holds, cl_int code, const char* why) {
  if (!holds) throw Error{code, why};
}

} // namespace clotho
