// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/local.hpp"

#include "base/fork_gate.hpp"
#include "base/loader_error.hpp"
#include "base/unique_fd.hpp"
#include "compiler/client/protocol.hpp"

#include <dlfcn.h>
#include <optional>

namespace clotho {

LocalCompiler::Compile* LocalCompiler::load(std::string& why) {
  if (compile_) return compile_;
  if (path_.empty()) {
    why = "no libclotho-compiler.so was found";
    return nullptr;
  }
  const ForkGate gate;
  const StandardStreamsTaken streams;
  void* library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* symbol = library ? dlsym(library, "clotho_compile") : nullptr;
  if (!symbol) {
    why = "the compiler library could not be loaded: " + loaderError(path_);
    return nullptr;
  }
  compile_ = reinterpret_cast<Compile*>(symbol);
  return compile_;
}

void LocalCompiler::start() {
  MutexLock lock(mutex_);
  std::string why;
  load(why);
}

BuildResult LocalCompiler::build(const BuildRequest& request) {
  std::string bytes = serialise(request);
  std::string answer;
  BuildResult failure;
  {
    MutexLock lock(mutex_);
    Compile* compile = load(failure.log);
    if (!compile) {
      failure.status = BuildStatus::Unavailable;
      failure.log += '\n';
      return failure;
    }
    auto keep = [](void* to, const char* data, std::size_t size) { static_cast<std::string*>(to)->assign(data, size); };
    compile(bytes.data(), bytes.size(), keep, &answer);
  }
  if (auto result = parseResult(answer)) return *std::move(result);
  failure.log = "the compiler library gave no usable answer: is it of another version?\n";
  return failure;
}

} // namespace clotho
