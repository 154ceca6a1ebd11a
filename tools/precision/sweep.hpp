// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "precision/device.hpp"
#include "precision/functions.hpp"
#include "precision/values.hpp"

#include <cstdint>
#include <functional>

namespace precision {

struct Effort {
  std::uint64_t samples = 0; ///< of arguments, where there are too many for all
  std::uint64_t stride = 1;
  unsigned threads = 1;
  unsigned components = 1; ///< of the vectors with which functions are called
};

/// What is known of one function after its first `next` arguments. Numbers of either type fit into doubles.
struct Result {
  std::uint64_t next = 0, size = 0;
  std::uint64_t wrong = 0; ///< results beyond the limit
  double worst = -1;       ///< share of what is allowed, by which the following is the worst case
  double ulp = 0;          ///< its error
  Values<double> values;   ///< its arguments
  double got = 0, wanted = 0;
  bool isDone() const { return size != 0 && next == size; }
};

/// Goes on where `result` ends. `save` is called now and then, with what is known so far.
template <class T>
void sweep(const Device& device, const Function& function, bool relaxed, const Effort& effort, Result& result,
           const std::function<void()>& save);

extern template void sweep<float>(const Device&, const Function&, bool, const Effort&, Result&,
                                  const std::function<void()>&);
extern template void sweep<double>(const Device&, const Function&, bool, const Effort&, Result&,
                                   const std::function<void()>&);

} // namespace precision
