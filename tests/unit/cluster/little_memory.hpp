// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clotho::node::test {

/// Makes this thread's allocations fail after so many others, as long as it lives: -1 lets all succeed. Does nothing in
/// sanitized builds, which have operators of their own.
class LittleMemory {
 public:
  explicit LittleMemory(int allocations);
  ~LittleMemory();
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

  /// Whether an allocation has failed.
  static bool hasFailed();
};

} // namespace clotho::node::test
