// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// Paths of Clotho's parts. They lie beside each other in a build tree and in an installation that was moved, and
/// otherwise in the folders that the build was configured to install to.
namespace clotho {

/// The compiler process's executable; empty when there is none.
std::string findCompiler();

/// The compiler as a shared library, for compiling in the application's process; empty when there is none.
std::string findCompilerModule();

/// A data file of the compiler, such as the builtin library, as seen from the compiler at path `compiler`; empty when
/// there is none.
std::string findCompilerData(const std::string& compiler, const std::string& name);

/// The absolute path of the library or program that contains `address`, links resolved; empty when it is unknown.
std::string pathOfCode(const void* address);

} // namespace clotho
