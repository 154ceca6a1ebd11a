// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/footprint.hpp"

#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <vector>

/// Random kernels that access buffers by indices computed from ids, integer arguments and loop counters, as LLVM IR and
/// as trees that are run directly.
namespace clotho::compiler {

/// An integer of 32 or 64 bits.
struct RandomExpression {
  enum class Kind {
    Constant,
    Argument, ///< `number`: 2 to 5; the first two have 32 bits
    Counter,  ///< of the loop `number`
    GlobalId, ///< `number`: the dimension, as of all that follow
    LocalId,
    GroupId,
    GroupBase,
    LocalSize,
    GlobalSize,
    NumGroups,
    GlobalOffset,
    Truncate,
    SignExtend,
    ZeroExtend,
    Add,
    Subtract,
    Multiply,
    DivideUnsigned,
    RemainderUnsigned,
    MostSigned,
    LeastSigned,
    MostUnsigned,
    LeastUnsigned,
    And,
  } kind = Kind::Constant;
  unsigned bits = 64;
  unsigned number = 0;
  std::int64_t constant = 0;
  bool isExact = false; ///< a signed overflow is undefined
  std::unique_ptr<RandomExpression> left, right;
};

/// An access, or a guard or a loop around others.
struct RandomStatement {
  enum class Kind { Access, Guard, Loop } kind = Kind::Access;
  unsigned buffer = 0; ///< argument 0 or 1
  bool isWrite = false;
  unsigned bytes = 4;
  unsigned predicate = 0; ///< llvm::CmpInst::Predicate
  unsigned counter = 0;
  std::unique_ptr<RandomExpression> value,
      bound; ///< offset in bytes; compared numbers; first number and bound of a loop
  std::int64_t step = 1;
  std::vector<RandomStatement> inner;
};

/// Bytes that were accessed.
struct TouchedBytes {
  std::map<std::pair<unsigned, bool>, std::set<std::pair<std::int64_t, unsigned>>> of; ///< by buffer and direction
};

class RandomKernel {
 public:
  explicit RandomKernel(unsigned seed);

  /// The kernel f in a module of its own.
  std::unique_ptr<llvm::Module> module(llvm::LLVMContext& context) const;
  /// Runs the work-items of a box, whose argument block is that of randomBox(). Nothing if what they do is undefined,
  /// or takes too long.
  std::optional<TouchedBytes> run(const FootprintBox& box) const;
  /// A launch of few work-items, with a box of some of its groups. `block` is for the arguments.
  FootprintBox randomBox(std::vector<std::byte>& block);
  std::string text() const;

 private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  bool oneIn(unsigned count) { return below(count) == 0; }
  std::unique_ptr<RandomExpression> expression(unsigned bits, unsigned depth);
  std::unique_ptr<RandomExpression> offset();
  std::vector<RandomStatement> statements(unsigned depth);

  std::mt19937 random_;
  unsigned counters_ = 0;              ///< loops
  std::vector<unsigned> openCounters_; ///< loops around what is made now
  std::vector<RandomStatement> body_;
};

} // namespace clotho::compiler
