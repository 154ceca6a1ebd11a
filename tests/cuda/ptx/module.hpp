// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX as the interpreter runs it: decoded once when a module is loaded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptx {

struct Thread;
struct Instruction;
struct Function;

/// Executes one instruction in a thread.
using Handler = void (*)(Thread&, const Instruction&);

/// Slots are 64-bit places of a frame: registers first, then constants.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

struct Instruction {
  Handler run = nullptr;
  Slot to = 0, a = 0, b = 0, c = 0, d = 0;
  Slot guard = kNoSlot; ///< the predicate `@%p`
  bool isGuardNegated = false;
  std::uint8_t count = 1; ///< elements of a vector
  std::uint8_t mode = 0;  ///< what the handler's template does not tell
  bool isAligned = false; ///< all threads of a warp have to be at this very barrier
  std::int32_t line = 0;
  std::int64_t value = 0; ///< offset of an address, target of a branch, or an index
};

/// A variable in .param space: of a function or a call.
struct Parameter {
  std::size_t offset = 0, size = 0;
};

struct CallSite {
  const Function* callee = nullptr; ///< null: a register has its address
  std::vector<Parameter> arguments, results;
};

/// A parameter whose address a function takes: it is copied to local memory.
struct Spill {
  Parameter parameter;
  std::size_t local = 0;
};

struct Function {
  std::string name;
  bool isKernel = false, isDefined = false;
  std::vector<Parameter> parameters, results;
  std::vector<Instruction> code;
  std::vector<std::uint64_t> slots; ///< what a frame begins with
  std::vector<CallSite> calls;
  std::vector<Spill> spills;
  std::vector<std::vector<std::int64_t>> tables; ///< of brx.idx
  std::vector<std::vector<Slot>> lists;          ///< of vectors
  std::size_t parameterSize = 0;                 ///< bytes of .param space with those of its calls
  std::size_t localSize = 0;
  unsigned mostThreads = 1024;
};

/// A variable of the module in memory.
struct Variable {
  std::unique_ptr<std::uint64_t[]> memory;
  std::uint8_t* address = nullptr; ///< in `memory`, as the variable's alignment wants it
  std::size_t size = 0;
};

struct Module {
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions;
  std::vector<Variable> variables;
  std::size_t staticShared = 0; ///< bytes; dynamic shared memory begins behind them
};

/// What is wrong with a text.
struct ParseError : std::runtime_error {
  ParseError(int at, const std::string& what) : std::runtime_error("line " + std::to_string(at) + ": " + what) {}
};

/// Throws ParseError.
std::unique_ptr<Module> parse(std::string_view text);

} // namespace ptx
