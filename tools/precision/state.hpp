// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "precision/sweep.hpp"

#include <map>
#include <string>

namespace precision {

/// The results of a sweep, by set, function and components of the vectors with which it is called, in a file that is
/// replaced whole, so that a sweep that was interrupted goes on. Results that were made with other numbers of arguments
/// are kept until the function is swept again.
class State {
 public:
  State(std::string path, unsigned components); ///< an empty path: nothing is read or written
  Result& of(const std::string& set, std::string_view function);
  const Result* find(const std::string& set, std::string_view function) const;
  void save() const;

 private:
  std::string keyOf(const std::string& set, std::string_view function) const;

  std::string path_;
  unsigned components_;
  std::map<std::string, Result> results_;
};

} // namespace precision
