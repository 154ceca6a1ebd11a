// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/host_cpu.hpp"

#include "base/bytes.hpp"

#include <atomic>
#include <string>
#include <sys/auxv.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace clotho {

namespace {

std::string describe() {
  ByteWriter out;
  out.u64(getauxval(AT_HWCAP));
  out.u64(getauxval(AT_HWCAP2));
#if defined(__x86_64__) || defined(__i386__)
  struct Leaf {
    unsigned leaf, subleaf;
  };
  // Model and features, without fields that differ between the cores of one machine (EBX of leaf 1).
  for (Leaf query : {Leaf{0, 0}, {1, 0}, {7, 0}, {7, 1}, {0x80000001, 0}, {0xd, 0}, {0xd, 1}}) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(query.leaf, query.subleaf, &a, &b, &c, &d)) continue;
    bool perCore = query.leaf == 1 || query.leaf == 0xd;
    out.u32(a);
    if (!perCore) out.u32(b);
    out.u32(c);
    out.u32(d);
  }
#endif
  return out.take();
}

} // namespace

std::string hostCpuName() {
  std::string name;
#if defined(__x86_64__) || defined(__i386__)
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    unsigned words[4] = {};
    if (!__get_cpuid(leaf, &words[0], &words[1], &words[2], &words[3])) return {};
    name.append(reinterpret_cast<const char*>(words), sizeof words);
  }
  name.resize(std::min(name.find('\0'), name.size()));
  name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
  name.resize(name.find_last_not_of(' ') + 1);
#endif
  return name;
}

std::string_view hostCpuIdentity() {
  static std::atomic<const std::string*> instance{nullptr};
  const std::string* current = instance.load(std::memory_order_acquire);
  if (current) return *current;
  auto* fresh = new std::string(describe());
  if (instance.compare_exchange_strong(current, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *current;
}

} // namespace clotho
