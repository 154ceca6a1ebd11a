// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "precision/functions.hpp"

#include <cstdint>
#include <vector>

namespace precision {

template <class T> struct Values {
  T x = 0, y = 0, z = 0;
  int k = 0;
};

/// The arguments with which a function is checked, numbered from 0, so that a sweep can stop and go on anywhere. First
/// all combinations of special values. Then, for one float, all floats; else random bits and the places that matter, in
/// turn. With a stride, every stride-th of those.
template <class T> class ArgumentList {
 public:
  ArgumentList(const Function& function, std::uint64_t samples, std::uint64_t stride);
  std::uint64_t size() const { return special_ + rest_; }
  Values<T> operator[](std::uint64_t index) const;
  /// `count` arguments from `first` on, of the arrays that the function needs.
  void fill(std::uint64_t first, std::size_t count, T* x, T* y, T* z, int* k) const;

 private:
  Values<T> specialAt(std::uint64_t index) const;
  Values<T> sampleAt(std::uint64_t index) const;
  Values<T> placeAt(std::uint64_t random, std::uint64_t more) const;
  Values<T> belowPowerOfTwoAt(std::uint64_t random, std::uint64_t more) const;
  int intAt(std::uint64_t random, T x) const;

  const Function& function_;
  std::vector<T> specials_;
  std::vector<int> ints_;
  std::uint64_t special_ = 0, rest_ = 0, stride_ = 1;
};

extern template class ArgumentList<float>;
extern template class ArgumentList<double>;

} // namespace precision
