// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/build_client.hpp"

#include "compiler/client/host_cpu.hpp"
#include "compiler/client/locate.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <unistd.h>

namespace clotho {

namespace {

/// Makes the path absolute, since the application may change its working directory before the first build.
std::string absolutePath(const std::string& path) {
  char here[PATH_MAX];
  if (path.empty() || path.starts_with('/') || !getcwd(here, sizeof here)) return path;
  return std::string(here) + "/" + path;
}

/// The object of a build, for traces.
trace::NameId traceDetail(const BuildRequest& request) {
  if (!trace::isOn()) return 0;
  constexpr const char* kKinds[] = {"program", "compile", "link", "check", "SPIR-V"};
  if (request.kernel.empty()) return trace::nameOf(kKinds[static_cast<unsigned>(request.kind)]);
  const std::string version = request.version.text();
  return trace::nameOf("kernel " + request.kernel + (version.empty() ? "" : " for " + version));
}

/// Adds the compiler's stages to the trace, as if the last had ended now.
void traceStages(const BuildResult& result) {
  if (!trace::isOn()) return;
  std::uint64_t end = hostTime();
  for (auto stage = result.stages.rbegin(); stage != result.stages.rend(); ++stage) {
    const auto length = static_cast<std::uint64_t>(stage->seconds * 1e9);
    const std::uint64_t begin = end - std::min(end, length);
    trace::add(trace::Span{.begin = begin, .end = end, .name = trace::nameOf(stage->name)});
    end = begin;
  }
}

} // namespace

ClientConfig ClientConfig::fromOptions(const Options& options) {
  ClientConfig config;
  config.inProcess = options.compilerInProcess;
  config.compiler = absolutePath(options.compiler);
  if (config.inProcess || config.compiler.empty())
    config.compiler = config.inProcess ? findCompilerModule() : findCompiler();
  config.cacheFolder = DiskCache::defaultFolder(options);
  config.cacheBytes = std::min<std::uint64_t>(options.cacheSize, UINT64_MAX >> 20) << 20;
  return config;
}

BuildClient::State::State(const ClientConfig& config, pid_t owner)
    : owner(owner), inProcess(config.inProcess), builtins(findCompilerData(config.compiler, "builtins.clotho")),
      runtime(findCompilerData(config.compiler, "rt.o")),
      localIdentity(identityOf(std::array{config.compiler, builtins, runtime})),
      remote(config.compiler, config.environment), local(config.compiler), memory(config.memoryCacheBytes),
      disk(config.cacheFolder, config.cacheBytes), tuning(config.cacheFolder) {}

std::string BuildClient::State::identity() const {
  return inProcess ? localIdentity : identityOf(std::array{remote.path(), builtins, runtime});
}

BuildResult BuildClient::State::compile(const BuildRequest& request, const std::string& identity) {
  BuildResult result = inProcess ? local.build(request) : remote.build(request, identity);
  // The manifest must have absolute paths, so that it is valid from anywhere.
  for (Dependency& dependency : result.dependencies)
    if (!dependency.path.starts_with('/')) dependency.path = request.workingDirectory + "/" + dependency.path;
  return result;
}

BuildClient::BuildClient(ClientConfig config) : config_(std::move(config)), state_(new State(config_, getpid())) {}

BuildClient::~BuildClient() {
  State* state = state_.load(std::memory_order_acquire);
  if (state->owner == getpid()) delete state;
}

BuildClient::State& BuildClient::state() {
  State* current = state_.load(std::memory_order_acquire);
  pid_t self = getpid();
  if (current->owner == self) return *current;
  // The parent's state is not touched: one of its locks may be held by a thread that does not exist here.
  auto* fresh = new State(config_, self);
  if (state_.compare_exchange_strong(current, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *current;
}

void BuildClient::start() {
  State& my = state();
  if (my.inProcess)
    my.local.start();
  else
    my.remote.start(my.identity());
}

TuningRecord BuildClient::tuned(const BuildRequest& program) {
  if (config_.cacheFolder.empty()) return {};
  State& my = state();
  return my.tuning.start(requestKey(program, my.identity()));
}

void BuildClient::countTunedStart(const BuildRequest& program) {
  if (config_.cacheFolder.empty()) return;
  State& my = state();
  my.tuning.countStart(requestKey(program, my.identity()));
}

void BuildClient::keepTuned(const BuildRequest& program, const TunedCode& code) {
  if (config_.cacheFolder.empty()) return;
  State& my = state();
  my.tuning.keep(requestKey(program, my.identity()), program.target.cpu.empty() ? hostCpuName() : program.target.cpu,
                 code);
}

std::shared_ptr<const BuildResult> BuildClient::build(const BuildRequest& request) {
  static constinit const trace::Name kBuild("build");
  State& my = state();
  const trace::Scope traced(kBuild, traceDetail(request));
  std::string identity = my.identity();
  BuildKey key = requestKey(request, identity);
  if (auto known = my.memory.find(key)) return known;
  if (auto stored = my.disk.find(key)) {
    auto result = std::make_shared<const BuildResult>(*std::move(stored));
    my.memory.store(key, result);
    return result;
  }
  const auto begin = std::chrono::steady_clock::now();
  auto result = std::make_shared<BuildResult>(my.compile(request, identity));
  result->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  traceStages(*result);
  // Stores the result only if the compiler is unchanged: one that was replaced meanwhile may not be the one that made
  // it.
  if (result->status == BuildStatus::Success && my.identity() == identity) {
    result->objectPath = my.disk.store(key, *result);
    my.memory.store(key, result);
  }
  return result;
}

} // namespace clotho
