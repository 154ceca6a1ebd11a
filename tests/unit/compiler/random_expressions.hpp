// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <random>
#include <vector>

/// Integer arithmetic at random, and what it amounts to: analyses are compared with what they speak of.
namespace clotho::compiler {

/// Random numbers that are the same on all systems.
class Chance {
 public:
  explicit Chance(unsigned seed) : numbers_(seed) {}
  unsigned below(unsigned end) { return static_cast<unsigned>(numbers_() % end); }
  bool oneIn(unsigned count) { return below(count) == 0; }
  template <class Container> auto& of(Container& values) {
    return values[below(static_cast<unsigned>(std::size(values)))];
  }

 private:
  std::mt19937 numbers_;
};

/// Constants at which arithmetic of so many bits begins anew, small ones, and any.
llvm::APInt interestingNumber(unsigned bits, Chance& chance);

/// Adds an instruction whose operands are among the values, or constants, and puts it behind them. The values are
/// integers of up to 64 bits.
void addInstruction(llvm::IRBuilder<>& builder, std::vector<llvm::Value*>& values, Chance& chance);

/// What a value is, computed modulo its range even where that is not allowed, which makes it poison.
struct Number {
  llvm::APInt value;
  bool isPoison = false;
};

/// What values are; those that no instruction computes must be there from the beginning.
using Numbers = llvm::DenseMap<const llvm::Value*, Number>;
/// Nothing for what is neither arithmetic of integers nor an address.
std::optional<Number> compute(const llvm::Instruction& instruction, const Numbers& numbers);
/// Adds the numbers of a block's instructions that are not there.
void evaluate(const llvm::BasicBlock& block, Numbers& numbers);
Number numberOf(const llvm::Value* value, const Numbers& numbers);

} // namespace clotho::compiler
