// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules and kernels of the fake driver (fake_driver.cpp), whose code the interpreter in ptx/ runs.
#pragma once

#include "fake_stream.hpp"
#include "ptx/module.hpp"
#include "ptx/thread.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace fake_cuda {

struct Function {
  std::shared_ptr<const ptx::Module> module; ///< so that a launch outlives cuModuleUnload
  const ptx::Function* code = nullptr;
  std::size_t mostShared = std::size_t{48} << 10; ///< dynamic bytes of a launch
};

struct Module {
  std::shared_ptr<ptx::Module> code;
};

/// Null, with the reason in the log, if the text is no PTX that the interpreter knows.
std::unique_ptr<Module> loadModule(const char* text, std::string& log);

/// What a launch does. Its parameters are read at once.
Task taskOf(const Function& function, ptx::Dimensions grid, ptx::Dimensions block, std::size_t sharedBytes,
            void** parameters);

/// How many launches have ended.
int launches();

} // namespace fake_cuda
