// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Format of the file that tools/builtins writes and BuiltinLibrary maps: header, symbols sorted by name, modules, the
/// names' text, then the modules' bitcode. Everything is little-endian and read in place.
namespace clotho::compiler::builtin_format {

inline constexpr char kMagic[8] = {'C', 'L', 'O', 'T', 'H', 'O', 'B', 'L'};
inline constexpr std::uint32_t kVersion = 1;

/// Attribute of every function of the library, also after linking.
inline constexpr char kBuiltinAttribute[] = "clotho-builtin";
/// Name prefix of library functions that are never inlined.
inline constexpr char kOutOfLinePrefix[] = "clotho.queue_";

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t llvmMajor; ///< Major version of the bitcode's LLVM: a library is for one LLVM only
  std::uint32_t symbolCount;
  std::uint32_t moduleCount;
  std::uint64_t nameBytes;
  std::uint64_t fileBytes;
  std::uint64_t indexHash; ///< XXH3-64 of all between header and bitcode
};

struct Symbol {
  std::uint32_t nameOffset; ///< Offset in the names' text
  std::uint32_t nameLength;
  std::uint32_t module;
};

struct Module {
  std::uint64_t offset; ///< Offset in the file; a multiple of 8
  std::uint64_t size;
  std::uint64_t hash; ///< XXH3-64 of the bitcode
};

static_assert(sizeof(Header) == 48 && sizeof(Symbol) == 12 && sizeof(Module) == 24);

} // namespace clotho::compiler::builtin_format
