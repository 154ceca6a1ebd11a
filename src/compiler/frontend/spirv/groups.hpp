// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/frontend/spirv/reader.hpp"

/// What the readers of instructions that work-items run together have in common.
namespace clotho::compiler::spirv {

bool readBarrier(Reader& reader, const Instruction& instruction);  // barriers.cpp
bool readSubGroup(Reader& reader, const Instruction& instruction); // sub_groups.cpp: those that only sub-groups have

/// A function of OpenCL C that work-items call together, each with a value.
struct Collective {
  std::string name;
  bool isSigned = false;    ///< integers are
  bool takesVectors = true; ///< else it is called for each element
};

/// Its result for a value and, behind that, further arguments. Truth is an integer to OpenCL C, and a vector of truth
/// a vector of integers.
llvm::Value* callCollective(Reader& reader, const Collective& function, llvm::Value* value,
                            llvm::ArrayRef<Reader::Argument> further = {});

/// Calls it with the value of this id, and makes its result the instruction's.
void defineCollective(Reader& reader, const Instruction& instruction, const Collective& function, Id value,
                      llvm::ArrayRef<Reader::Argument> further = {});

/// An integer of any width as one of so many bits, without a sign: a lane, a count, a size.
Reader::Argument unsignedArgument(Reader& reader, Id id, unsigned bits);

/// The result of a function that says yes or no by an int.
void defineTruth(Reader& reader, const Instruction& instruction, llvm::Value* number);

/// How instructions combine the values of a group.
struct GroupArithmetic {
  enum Of { Integers, Reals, Truths };
  const char* name; ///< as functions of OpenCL C end: "add", "logical_and"
  bool isSigned;    ///< of integers
  Of of;
  bool isOfUniformGroups; ///< sub_group_reduce_ and the like have it; others only their non-uniform forms
};

/// Makes the instruction's result of a function that begins with `prefix`, as "sub_group_reduce_" does.
void defineArithmetic(Reader& reader, const Instruction& instruction, const GroupArithmetic& arithmetic,
                      llvm::StringRef prefix, Id value, llvm::ArrayRef<Reader::Argument> further = {});

} // namespace clotho::compiler::spirv
