// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

namespace bench {

/// A builtin of float with the range of its arguments and its peers. SLEEF's name is without type and instructions.
struct MathFunction {
  const char* name;
  const char* expression; ///< in OpenCL C, of x and y, and k, which is y as an integer
  double from, to;        ///< x
  double from2 = 0, to2 = 0;
  float (*scalar)(float) = nullptr;
  float (*scalar2)(float, float) = nullptr;
  const char* sleef = nullptr;  ///< of one argument, with its precision: "sin u10"
  const char* sleef2 = nullptr; ///< of two
};

std::span<const MathFunction> mathFunctions();

/// Applies SLEEF's function for the widest vectors that the CPU has to n numbers, n a multiple of 16. `two` says
/// whether it takes two arguments.
class Sleef {
 public:
  Sleef();
  ~Sleef();
  Sleef(const Sleef&) = delete;
  Sleef& operator=(const Sleef&) = delete;
  bool isThere() const { return library_ != nullptr; }
  const char* instructions() const;
  void* find(const char* name) const; ///< null if there is none
  void apply(void* function, bool two, const float* x, const float* y, float* results, unsigned n) const;

 private:
  void* library_ = nullptr;
  bool wide_ = false;
};

} // namespace bench
