// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fixture.hpp"
#include "told.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace clotho::test {

/// Programs of the modules in tests/spirv, and what the context is told of them.
class IlApi : public Api {
 protected:
  void SetUp() override;
  void TearDown() override;
  /// An assembled module's bytes.
  static std::string module(const std::string& name);
  Owned<cl_program> makeIlProgram(const std::string& il, cl_int expected = CL_SUCCESS);
  /// Creates a program of these bytes, which must fail with CL_INVALID_VALUE and tell the context a sentence with
  /// `why`.
  void expectRefused(const std::string& il, const std::string& why);

  Told told_;
};

/// The bytes of words.
std::string bytesOf(const std::vector<std::uint32_t>& words);
std::vector<std::uint32_t> wordsOf(const std::string& bytes);

} // namespace clotho::test
