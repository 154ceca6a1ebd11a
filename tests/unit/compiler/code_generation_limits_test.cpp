// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/host_target.hpp"

#include <llvm/Support/CommandLine.h>
#include <llvm/Target/TargetMachine.h>

#include <gtest/gtest.h>

namespace clotho::compiler {
namespace {

template <class T> T valueOf(llvm::StringRef name) {
  llvm::cl::Option* option = llvm::cl::getRegisteredOptions().lookup(name);
  EXPECT_NE(option, nullptr) << name.str();
  return option == nullptr ? T() : static_cast<llvm::cl::opt<T>*>(option)->getValue();
}

TEST(CodeGenerationLimits, OutliveALink) {
  llvm::consumeError(createTargetMachine({}, /*optimise=*/true).takeError());
  llvm::cl::ResetAllOptionOccurrences(); // as lld does whenever it links
  EXPECT_EQ(valueOf<unsigned>("large-interval-freq-threshold"), 0U);
  EXPECT_EQ(valueOf<unsigned long>("grow-region-complexity-budget"), 2000UL);
}

} // namespace
} // namespace clotho::compiler
