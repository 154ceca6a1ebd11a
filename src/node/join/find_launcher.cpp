// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text_file.hpp"
#include "node/join/fabric_module.hpp"
#include "node/join/pmi1.hpp"

#include <cstdlib>

namespace clotho::node {

namespace {

// NOLINTNEXTLINE(concurrency-mt-unsafe): threads of a node leave the environment alone
const char* textOf(const char* variable) { return std::getenv(variable); }

std::optional<std::uint64_t> numberOf(const char* variable) {
  const char* text = textOf(variable);
  return text ? parseNumber(text) : std::nullopt;
}

} // namespace

std::unique_ptr<Launcher> findLauncher(std::string& why) {
  const std::optional<std::uint64_t> socket = numberOf("PMI_FD"), rank = numberOf("PMI_RANK"),
                                     size = numberOf("PMI_SIZE");
  if (socket && rank && size) {
    if (*size < 2) return nullptr;
    return Pmi1Launcher::open(UniqueFd(static_cast<int>(*socket)), static_cast<std::uint32_t>(*rank),
                              static_cast<std::uint32_t>(*size), why);
  }
  // A lone process need not load PMIx to learn that.
  const std::optional<std::uint64_t> tasks = numberOf("SLURM_STEP_NUM_TASKS");
  const bool hasPmix = textOf("PMIX_NAMESPACE") && textOf("PMIX_RANK");
  if (!hasPmix && tasks.value_or(1) > 1)
    why = "srun does not pass on the nodes' addresses: start it with --mpi=pmi2 or --mpi=pmix";
  if (!hasPmix || numberOf("OMPI_COMM_WORLD_SIZE") == 1 || tasks == 1) return nullptr;
  const FabricModule* module = FabricModule::load(why);
  return module ? module->openPmix(why) : nullptr;
}

int launcherDescriptor() { return static_cast<int>(numberOf("PMI_FD").value_or(-1)); }

void hideLauncher(std::vector<std::string>& environment) {
  std::erase_if(environment, [](std::string_view entry) {
    return entry.starts_with("PMI_") || entry.starts_with("PMIX_") || entry.starts_with("OMPI_");
  });
}

} // namespace clotho::node
