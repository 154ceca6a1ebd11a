// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "precision/device.hpp"
#include "precision/functions.hpp"
#include "precision/values.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace precision {

/// How many arguments a whole sweep has, where there are too many for all.
constexpr std::uint64_t kFloatSamples = std::uint64_t(1) << 28, kDoubleSamples = std::uint64_t(1) << 26;

struct Effort {
  std::uint64_t samples = 0; ///< of arguments, where there are too many for all
  std::uint64_t stride = 1;
  unsigned threads = 1;
  unsigned components = 1; ///< of the vectors with which functions are called
  bool isFiltered = true;  ///< only what may be worse than what is known is compared with the reference
};

/// The state of one function after its first `next` arguments. Numbers of either type fit into doubles.
struct Result {
  std::uint64_t next = 0, size = 0;
  std::uint64_t wrong = 0; ///< results beyond the limit
  double worst = -1;       ///< share of what is allowed, by which the following is the worst case
  double ulp = 0;          ///< its error
  Values<double> values;   ///< its arguments
  double got = 0, wanted = 0;
  bool isDone() const { return size != 0 && next == size; }
};

/// A function with or without relaxed options, and what is known of it.
struct Task {
  const Function* function = nullptr;
  bool relaxed = false;
  Result* result = nullptr;
};

/// Whether functions take the same arguments and are compared with the same reference, so that one sweep does for both.
bool areAlike(const Function& one, const Function& other);

/// Goes on where the results of the tasks, which are alike, end; where these differ, the last catch up first. `save` is
/// called now and then, with what is known so far.
template <class T>
void sweep(const Device& device, std::span<const Task> tasks, const Effort& effort, const std::function<void()>& save);

extern template void sweep<float>(const Device&, std::span<const Task>, const Effort&, const std::function<void()>&);
extern template void sweep<double>(const Device&, std::span<const Task>, const Effort&, const std::function<void()>&);

} // namespace precision
