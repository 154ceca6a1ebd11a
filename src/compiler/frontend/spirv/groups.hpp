// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/frontend/spirv/reader.hpp"

/// Shared by the readers of instructions that work-items run together.
namespace clotho::compiler::spirv {

bool readBarrier(Reader& reader, const Instruction& instruction);  // barriers.cpp
bool readSubGroup(Reader& reader, const Instruction& instruction); // sub_groups.cpp: those that only sub-groups have

/// A function of OpenCL C that work-items call together, each with a value.
struct Collective {
  std::string name;
  bool isSigned = false;    ///< Whether integers are signed
  bool takesVectors = true; ///< Whether it takes vectors; otherwise it is called for each element
};

/// Calls the function with a value and further arguments after it. OpenCL C represents booleans by integers.
llvm::Value* callCollective(Reader& reader, const Collective& function, llvm::Value* value,
                            llvm::ArrayRef<Reader::Argument> further = {});

/// Calls the function with the value of this id, and defines the instruction's result.
void defineCollective(Reader& reader, const Instruction& instruction, const Collective& function, Id value,
                      llvm::ArrayRef<Reader::Argument> further = {});

/// An integer operand of any width, as an unsigned one of `bits` bits: a lane, a count, a size.
Reader::Argument unsignedArgument(Reader& reader, Id id, unsigned bits);

/// Defines a boolean result from a function that returns int.
void defineTruth(Reader& reader, const Instruction& instruction, llvm::Value* number);

/// How instructions combine the values of a group.
struct GroupArithmetic {
  enum Of { Integers, Reals, Truths };
  const char* name; ///< End of the name of OpenCL C functions: "add", "logical_and"
  bool isSigned;    ///< Whether integers are signed
  Of of;
  bool isOfUniformGroups; ///< sub_group_reduce_ and the like have it; others only their non-uniform forms
};

/// Defines the instruction's result by the function whose name begins with `prefix`, such as "sub_group_reduce_".
void defineArithmetic(Reader& reader, const Instruction& instruction, const GroupArithmetic& arithmetic,
                      llvm::StringRef prefix, Id value, llvm::ArrayRef<Reader::Argument> further = {});

} // namespace clotho::compiler::spirv
