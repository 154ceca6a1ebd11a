// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client.hpp"

#include "compiler/client/build_client.hpp"

namespace clotho {

struct Compiler::Impl : BuildClient {
  using BuildClient::BuildClient;
};

Compiler::Compiler() : impl_(std::make_unique<Impl>(ClientConfig::fromEnvironment())) {}
Compiler::~Compiler() = default;

std::shared_ptr<const BuildResult> Compiler::build(const BuildRequest& request) { return impl_->build(request); }
void Compiler::start() { impl_->start(); }
TuningRecord Compiler::tuned(const BuildRequest& program) { return impl_->tuned(program); }
void Compiler::countTunedStart(const BuildRequest& program) { impl_->countTunedStart(program); }
void Compiler::keepTuned(const BuildRequest& program, const TunedCode& code) { impl_->keepTuned(program, code); }

} // namespace clotho
