// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fake driver's modules, launches and graphs. The interpreter in ptx/ runs the code of kernels.
#include "fake_world.hpp"
#include "ptx/thread.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace fake_cuda; // NOLINT(google-build-using-namespace): this is a part of it
using clotho::cuda::FunctionAttribute;
using clotho::cuda::JitOption;

namespace {

std::atomic<int> ended{0};

std::atomic<int> graphs{0};

/// Null, with the reason in the log, if the text is no PTX that the interpreter knows.
std::unique_ptr<Module> loadModule(const char* text, std::string& log) {
  static const char* const folder = std::getenv("FAKE_CUDA_DUMP"); // NOLINT(concurrency-mt-unsafe)
  static std::atomic<int> loaded{0};
  if (folder) {
    const std::string file = std::string(folder) + '/' + std::to_string(loaded++) + ".ptx";
    if (std::FILE* out = std::fopen(file.c_str(), "w")) {
      std::fputs(text, out);
      std::fclose(out);
    }
  }
  try {
    return std::make_unique<Module>(Module{ptx::parse(text), {}});
  } catch (const ptx::ParseError& error) {
    log = error.what();
    return nullptr;
  }
}

/// What a launch does. Its parameters are read at once.
Task taskOf(const Function& function, ptx::Dimensions grid, ptx::Dimensions block, std::size_t sharedBytes,
            void** parameters) {
  static const int lostAfter = number("FAKE_CUDA_LOST_AFTER", -1);
  static const std::chrono::microseconds time(number("FAKE_CUDA_LAUNCH_US", 0));
  ptx::Launch launch;
  launch.kernel = function.code;
  launch.module = function.module.get();
  launch.grid = grid;
  launch.block = block;
  launch.sharedBytes = sharedBytes;
  for (std::size_t i = 0; i < function.code->parameters.size(); ++i) {
    const ptx::Parameter& each = function.code->parameters[i];
    launch.parameters.resize(each.offset + each.size);
    std::memcpy(launch.parameters.data() + each.offset, parameters[i], each.size);
  }
  return [launch, module = function.module] {
    if (time.count() != 0) std::this_thread::sleep_for(time);
    const ptx::Fault fault = ptx::run(launch);
    if (fault.error != ptx::Error::None) {
      std::fprintf(stderr, "fake libcuda: %s\n", fault.text.c_str());
      lostWith = static_cast<int>(fault.error);
      isLost = true;
    }
    if (++ended > lostAfter && lostAfter >= 0) isLost = true;
  };
}

bool isGrid(unsigned x, unsigned y, unsigned z, unsigned blockX, unsigned blockY, unsigned blockZ) {
  return blockZ <= 64 && std::uint64_t{blockX} * blockY * blockZ <= 1024 && x != 0 && y != 0 && y <= 65535 && z != 0 &&
         z <= 65535;
}

/// What a launch does; an error if there can be no such one.
int taskOf(void* handle, ptx::Dimensions grid, ptx::Dimensions block, unsigned sharedBytes, void** parameters,
           Task& task) {
  const Function& function = *static_cast<Function*>(handle);
  if (!isGrid(grid.x, grid.y, grid.z, block.x, block.y, block.z) || sharedBytes > function.mostShared ||
      block.product() > function.code->mostThreads)
    return kInvalidValue;
  task = taskOf(function, grid, block, sharedBytes, parameters);
  return kSuccess;
}

} // namespace

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
API cuModuleLoadDataEx(void** module, const void* image, unsigned count, JitOption* options, void** values) {
  if (const int error = ready()) return error;
  std::string log;
  std::unique_ptr<Module> made = loadModule(static_cast<const char*>(image), log);
  if (!made) {
    std::size_t size = 0;
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == JitOption::ErrorLogBufferSizeBytes) size = reinterpret_cast<std::size_t>(values[i]);
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == JitOption::ErrorLogBuffer && size != 0)
        std::snprintf(static_cast<char*>(values[i]), size, "%s\n", log.c_str());
    return kInvalidPtx;
  }
  const std::lock_guard lock(world().mutex);
  for (const ptx::Variable& each : made->code->variables)
    world().memory[reinterpret_cast<CUdeviceptr>(each.address)] = each.size;
  *module = made.get();
  world().modules.insert(made.release());
  return kSuccess;
}
API cuModuleUnload(void* handle) {
  if (const int error = ready()) return error;
  auto* module = static_cast<Module*>(handle);
  const std::lock_guard lock(world().mutex);
  if (world().modules.erase(module) == 0) return kInvalidHandle;
  for (const ptx::Variable& each : module->code->variables)
    world().memory.erase(reinterpret_cast<CUdeviceptr>(each.address));
  delete module;
  return kSuccess;
}
API cuModuleGetFunction(void** function, void* module, const char* name) {
  auto& functions = static_cast<Module*>(module)->functions;
  const std::shared_ptr<ptx::Module>& code = static_cast<Module*>(module)->code;
  const auto found = code->functions.find(name);
  if (found == code->functions.end() || !found->second->isKernel) return kNotFound;
  const std::lock_guard lock(world().mutex);
  functions.push_back(std::make_shared<Function>(Function{code, found->second.get()}));
  *function = functions.back().get();
  return kSuccess;
}
API cuFuncGetAttribute(int* value, FunctionAttribute attribute, void* handle) {
  const Function& function = *static_cast<Function*>(handle);
  switch (attribute) {
  case FunctionAttribute::MaxThreadsPerBlock: *value = static_cast<int>(function.code->mostThreads); break;
  case FunctionAttribute::SharedSizeBytes: *value = static_cast<int>(function.module->staticShared); break;
  case FunctionAttribute::LocalSizeBytes: *value = static_cast<int>(function.code->localSize); break;
  case FunctionAttribute::MaxDynamicSharedSizeBytes: *value = static_cast<int>(function.mostShared); break;
  }
  return kSuccess;
}
API cuFuncSetAttribute(void* handle, FunctionAttribute attribute, int value) {
  if (attribute != FunctionAttribute::MaxDynamicSharedSizeBytes || value < 0 || value > kMostShared)
    return kInvalidValue;
  static_cast<Function*>(handle)->mostShared = static_cast<std::size_t>(value);
  return ready();
}
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, std::size_t sharedBytes) {
  const std::size_t byThreads = 2048 / static_cast<std::size_t>(std::max(threads, 1));
  *blocks = static_cast<int>(std::min({std::size_t{32}, byThreads, kMostShared / (sharedBytes + 1024)}));
  return kSuccess;
}
API cuLaunchKernel(void* function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned sharedBytes, void* stream, void** parameters, void**) {
  static const int refused = number("FAKE_CUDA_REFUSED", -1);
  static std::atomic<int> launches{0};
  if (launches++ == refused) return kOutOfResources;
  Task task;
  const int error = taskOf(function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, parameters, task);
  return error ? error : put(stream, std::move(task));
}

API cuStreamBeginCapture_v2(void* handle, int) {
  if (const int error = ready()) return error;
  Stream* stream = streamOf(handle);
  if (!stream || stream->recorded()) return kInvalidHandle;
  stream->record();
  return kSuccess;
}
API cuStreamGetCaptureInfo_v2(void* handle, int* status, std::uint64_t* id, void** graph, const void*** newest,
                              std::size_t* count) {
  const Stream* stream = streamOf(handle);
  if (!stream || !stream->recorded() || stream->recorded()->empty()) return kInvalidHandle;
  static thread_local const void* node;
  node = stream->recorded()->back().get();
  *status = 1;
  *id = 1;
  *graph = nullptr;
  *newest = &node;
  *count = 1;
  return kSuccess;
}
API cuStreamEndCapture(void* handle, void** graph) {
  if (const int error = ready()) return error;
  Stream* stream = streamOf(handle);
  if (!stream || !stream->recorded()) return kInvalidHandle;
  *graph = stream->takeRecorded().release();
  return kSuccess;
}
API cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long) {
  if (const int error = ready()) return error;
  if (number("FAKE_CUDA_NO_GRAPHS", 0)) return kOutOfMemory;
  auto* exec = new GraphExec;
  for (const std::unique_ptr<Task>& each : *static_cast<Graph*>(graph))
    exec->tasks.emplace_back(each.get(), *each);
  ++graphs;
  *made = exec;
  return kSuccess;
}
API cuGraphExecKernelNodeSetParams(void* exec, void* node, const clotho::cuda::KernelNode* grid) {
  if (const int error = ready()) return error;
  for (auto& [key, task] : static_cast<GraphExec*>(exec)->tasks)
    if (key == node)
      return taskOf(grid->function, {grid->gridX, grid->gridY, grid->gridZ}, {grid->blockX, grid->blockY, grid->blockZ},
                    grid->sharedBytes, grid->parameters, task);
  return kInvalidValue;
}
API cuGraphLaunch(void* exec, void* stream) {
  const GraphExec& graph = *static_cast<GraphExec*>(exec);
  return put(stream, [tasks = graph.tasks, turns = graph.turns, turn = graph.turns->last++] {
    while (turns->done != turn && !isLost)
      std::this_thread::yield();
    for (const auto& [node, task] : tasks)
      task();
    ++turns->done;
  });
}
API cuGraphExecDestroy(void* exec) {
  if (const int error = ready()) return error;
  delete static_cast<GraphExec*>(exec);
  return kSuccess;
}
API cuGraphDestroy(void* graph) {
  if (const int error = ready()) return error;
  delete static_cast<Graph*>(graph);
  return kSuccess;
}

API fakeCudaLaunches() { return ended; }
API fakeCudaGraphs() { return graphs; }
// NOLINTEND(readability-identifier-naming)
