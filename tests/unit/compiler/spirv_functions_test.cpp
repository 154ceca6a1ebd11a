// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that instructions of OpenCL.std are calls of are in the builtin library, under the names that clang
// gives them.
#include "compiler/builtins/library.hpp"
#include "compiler/frontend/spirv/opencl_std.hpp"

#include <gtest/gtest.h>

namespace clotho::compiler::spirv {
namespace {

constexpr unsigned kLast = 204; // of the instructions
constexpr unsigned kLengths[] = {1, 2, 3, 4, 8, 16};

bool isGeometric(unsigned number) { return number >= 104 && number <= 110; }

class SpirvFunctionsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto library = BuiltinLibrary::open(CLOTHO_BUILTINS);
    ASSERT_TRUE(static_cast<bool>(library)) << llvm::toString(library.takeError());
    library_ = std::move(*library);
  }
  /// The name of the function if the library lacks it.
  std::string missing(unsigned number, bool isFloat, unsigned bits, unsigned elements) const {
    const auto function = extendedFunction(number, isFloat, bits, elements);
    if (!function) return {};
    const std::string name = mangle(function->name, function->parameters);
    return library_->defines(name) ? std::string() : name;
  }
  std::unique_ptr<BuiltinLibrary> library_;
};

TEST_F(SpirvFunctionsTest, OfFloats) {
  for (unsigned number = 0; number <= 110; ++number)
    for (const unsigned bits : {16U, 32U, 64U})
      for (const unsigned elements : kLengths) {
        if (number == 46) continue; // nan is of integers
        if (isGeometric(number) && elements > 4) continue;
        if (number == 104 && elements < 3) continue; // a cross product
        if (number >= 108 && number <= 110 && bits != 32) continue;
        EXPECT_EQ(missing(number, true, bits, elements), "") << number;
      }
  for (const unsigned number : {186U, 187U}) // bitselect and select
    for (const unsigned bits : {16U, 32U, 64U})
      for (const unsigned elements : kLengths)
        EXPECT_EQ(missing(number, true, bits, elements), "") << number;
}

TEST_F(SpirvFunctionsTest, OfIntegers) {
  for (unsigned number = 141; number <= kLast; ++number)
    for (const unsigned bits : {8U, 16U, 32U, 64U})
      for (const unsigned elements : kLengths) {
        const bool isOf24Bits = number >= 167 && number <= 170, isUpsample = number == 164 || number == 165;
        if ((isOf24Bits && bits != 32) || (isUpsample && bits == 64)) continue;
        EXPECT_EQ(missing(number, false, bits, elements), "") << number;
      }
  for (const unsigned bits : {16U, 32U, 64U})
    EXPECT_EQ(missing(46, false, bits, 4), "");
}

} // namespace
} // namespace clotho::compiler::spirv
