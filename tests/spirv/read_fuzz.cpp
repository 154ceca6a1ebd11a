// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damages the modules of this folder at random and gives them to the reader of SPIR-V alone, which the build compiles
// with sanitizers for this program. Each module must be refused with a sentence or be read.
//
// usage: clotho-spirv-read-fuzz --seeds FIRST-LAST
#include "compiler/frontend/spirv/spirv.hpp"
#include "damage.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace clotho::test;

/// What the parent sees of its child's work.
struct Progress {
  std::uint64_t next, read, refused, silent;
};

/// Reads modules up to the last one, or until the process ends.
void readModules(Progress& progress, std::uint64_t last) {
  while (progress.next <= last) {
    const Words module = damaged(progress.next);
    clotho::BuildRequest request;
    request.il.assign(reinterpret_cast<const char*>(module.data()), module.size() * sizeof(std::uint32_t));
    clotho::compiler::BuildOptions options;
    options.debugInfo = progress.next % 4 == 0;
    llvm::LLVMContext context;
    std::string log;
    const bool isRead = clotho::compiler::readSpirv(request, options, context, log) != nullptr;
    ++(isRead ? progress.read : progress.refused);
    if (!isRead && log.empty()) {
      ++progress.silent;
      std::printf("seed %llu: refused without a sentence\n", static_cast<unsigned long long>(progress.next));
    }
    ++progress.next;
  }
}

} // namespace

int main(int argc, char** argv) {
  Seeds seeds;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = seedsOf(argv[i + 1]);
  void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return std::perror("mmap"), 1;
  auto& progress = *static_cast<Progress*>(shared);
  progress.next = seeds.first;
  std::uint64_t crashes = 0;
  while (progress.next <= seeds.last) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return std::perror("fork"), 1;
    if (child == 0) {
      readModules(progress, seeds.last);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) break;
    ++crashes;
    std::printf("seed %llu: the reader ended its process\n", static_cast<unsigned long long>(progress.next++));
  }
  std::printf("%llu read, %llu refused, %llu crashes\n", static_cast<unsigned long long>(progress.read),
              static_cast<unsigned long long>(progress.refused), static_cast<unsigned long long>(crashes));
  return crashes + progress.silent == 0 ? 0 : 1;
}
