// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compile.hpp"
#include "compiler/compiler.hpp"

/// Puts into the request what the command names: the program, as source, SPIR-V or captured launch, which its first
/// bytes tell apart, with options, folder, target, version, and values of specialisation constants. False if anything
/// of it is not to be had or not as it should be; stderr then says what.
bool readProgram(const CompileCommand& command, clotho::BuildRequest& request);
