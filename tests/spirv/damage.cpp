// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "damage.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace clotho::test {

namespace {

using Random = std::mt19937_64;

constexpr const char* kModules[] = {"abort",
                                    "add",
                                    "aliasing",
                                    "atomics",
                                    "atomics_of_16_bits",
                                    "ballot",
                                    "beyond_dimensions",
                                    "bfloat16",
                                    "bit_reverse",
                                    "builtin_names",
                                    "caller",
                                    "clock",
                                    "disorder",
                                    "dynamic_arrays",
                                    "enqueue",
                                    "fast_math",
                                    "float_controls",
                                    "flow",
                                    "forward_pointers",
                                    "function_pointers",
                                    "global_variables",
                                    "groups",
                                    "hints",
                                    "initialisers",
                                    "kernel_attributes",
                                    "large_values",
                                    "late_constants",
                                    "later_extensions",
                                    "library",
                                    "llvm_functions",
                                    "long_composites",
                                    "long_vectors",
                                    "loop_control",
                                    "merges",
                                    "modes",
                                    "module_variables",
                                    "named_barriers",
                                    "named_sub_groups",
                                    "odd_vectors",
                                    "once",
                                    "pipe_storage",
                                    "predicated_io",
                                    "program_scope",
                                    "split_barrier",
                                    "sycl",
                                    "texels",
                                    "untyped_pointers",
                                    "unusual_integers",
                                    "usm_storage",
                                    "values"};
constexpr std::size_t kHeaderWords = 5;

std::size_t below(Random& random, std::size_t end) { return end == 0 ? 0 : random() % end; }

Words readModule(const std::string& name) {
  std::ifstream file(CLOTHO_SPIRV_MODULES "/" + name + ".spv", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Words words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

/// Offsets of the instructions, and of the module's end.
std::vector<std::size_t> instructionsOf(const Words& module) {
  std::vector<std::size_t> starts;
  std::size_t at = kHeaderWords;
  while (at < module.size()) {
    starts.push_back(at);
    at += std::max<std::size_t>(module[at] >> 16, 1);
  }
  starts.push_back(module.size());
  return starts;
}

void flipBit(Words& module, Random& random) {
  module[below(random, module.size())] ^= std::uint32_t{1} << below(random, 32);
}

/// A word that belongs to another place, or a number that is likely to be a bound of something.
void replaceWord(Words& module, Random& random) {
  constexpr std::uint32_t kNumbers[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff};
  std::uint32_t& word = module[below(random, module.size())];
  word = below(random, 2) == 0 ? kNumbers[below(random, std::size(kNumbers))] : module[below(random, module.size())];
}

void swapWords(Words& module, Random& random) {
  std::swap(module[below(random, module.size())], module[below(random, module.size())]);
}

void truncate(Words& module, Random& random) { module.resize(below(random, module.size()) + 1); }

/// Operands stay what they are, so that more of these modules are valid than of others.
void replaceId(Words& module, Random& random) {
  const std::vector<std::size_t> starts = instructionsOf(module);
  const std::size_t which = below(random, starts.size() - 1);
  const std::size_t first = starts[which], end = std::min(starts[which + 1], module.size());
  if (end - first < 2) return;
  module[first + 1 + below(random, end - first - 1)] = static_cast<std::uint32_t>(below(random, module[3]));
}

void replaceOpcode(Words& module, Random& random) {
  const std::vector<std::size_t> starts = instructionsOf(module);
  std::uint32_t& word = module[starts[below(random, starts.size() - 1)]];
  constexpr std::size_t kOpcodes = 410;
  word = (word & 0xffff0000) | static_cast<std::uint32_t>(below(random, kOpcodes));
}

void copyInstruction(Words& module, Random& random) {
  const std::vector<std::size_t> starts = instructionsOf(module);
  const std::size_t which = below(random, starts.size() - 1);
  const Words copy(module.begin() + static_cast<std::ptrdiff_t>(starts[which]),
                   module.begin() + static_cast<std::ptrdiff_t>(std::min(starts[which + 1], module.size())));
  module.insert(module.begin() + static_cast<std::ptrdiff_t>(starts[below(random, starts.size() - 1)]), copy.begin(),
                copy.end());
}

void removeInstruction(Words& module, Random& random) {
  const std::vector<std::size_t> starts = instructionsOf(module);
  const std::size_t which = below(random, starts.size() - 1);
  module.erase(module.begin() + static_cast<std::ptrdiff_t>(starts[which]),
               module.begin() + static_cast<std::ptrdiff_t>(std::min(starts[which + 1], module.size())));
}

} // namespace

Words damaged(std::uint64_t seed) {
  constexpr void (*kDamages[])(Words&, Random&) = {flipBit,   replaceWord,   swapWords,       truncate,
                                                   replaceId, replaceOpcode, copyInstruction, removeInstruction};
  Random random(seed);
  Words module = readModule(kModules[below(random, std::size(kModules))]);
  for (std::size_t count = 1 + below(random, 3); count > 0; --count)
    if (module.size() > kHeaderWords) kDamages[below(random, std::size(kDamages))](module, random);
  return module;
}

void writeModule(const Words& module, const char* path) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(module.data()),
             static_cast<std::streamsize>(module.size() * sizeof(std::uint32_t)));
}

Seeds seedsOf(const char* text) {
  char* end = nullptr;
  Seeds seeds;
  seeds.first = seeds.last = std::strtoull(text, &end, 10);
  if (*end == '-') seeds.last = std::strtoull(end + 1, nullptr, 10);
  return seeds;
}

} // namespace clotho::test
