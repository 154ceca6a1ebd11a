// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// Paths of Clotho's parts. They are next to each other in a build tree and in an installation that was moved, and
/// otherwise in the folders that the build was configured for.
namespace clotho {

/// The compiler process's executable; empty if there is none.
std::string findCompiler();

/// The executable of cluster nodes, which is installed beside the compiler; empty if there is none.
std::string findNode();

/// The compiler as a shared library, for compiling in the application's process; empty if there is none.
std::string findCompilerModule();

/// The part of clotho-node that knows networks, a shared library; empty if there is none.
std::string findFabricModule();

/// A data file of the compiler at path `compiler`, such as the builtin library; empty if there is none.
std::string findCompilerData(const std::string& compiler, const std::string& name);

/// The absolute path of the library or program that contains `address`, with links resolved; empty if unknown.
std::string pathOfCode(const void* address);

} // namespace clotho
