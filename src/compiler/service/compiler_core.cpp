// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/locate.hpp"
#include "compiler/pipeline.hpp"
#include "compiler/service/make_core.hpp"

#include "llvm/Support/Error.h"

namespace clotho::service {

namespace {

/// Adapter of the real compiler.
class CompilerCoreAdapter final : public Core {
 public:
  explicit CompilerCoreAdapter(std::unique_ptr<compiler::CompilerCore> core) : core_(std::move(core)) {}
  BuildResult build(const BuildRequest& request) override { return core_->build(request); }
  void warmUp() override { core_->warmUp(); }
  bool acceptSandbox() override {
    // lld opens its output file, unless it writes to the standard output, which a child uses for nothing else.
    core_->linkByStandardOutput();
    return true;
  }

 private:
  std::unique_ptr<compiler::CompilerCore> core_;
};

} // namespace

std::unique_ptr<Core> makeCore(const std::string& self, std::string& why) {
  compiler::Paths paths;
  for (auto [name, path] : {std::pair{"builtins.clotho", &paths.builtins}, std::pair{"rt.o", &paths.runtime}}) {
    *path = findCompilerData(self, name);
    if (!path->empty()) continue;
    why = std::string(name) + " was not found near " + self;
    return nullptr;
  }
  auto core = compiler::CompilerCore::create(paths);
  if (core) return std::make_unique<CompilerCoreAdapter>(std::move(*core));
  why = llvm::toString(core.takeError());
  return nullptr;
}

} // namespace clotho::service
