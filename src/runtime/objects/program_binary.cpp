// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/program_binary.hpp"

#include "abi/cpu_facts.hpp"
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/options.hpp"
#include "compiler/client/binary_format.hpp"
#include "compiler/client/build_key.hpp"
#include "device/device.hpp"
#include "runtime/objects/binary_check.hpp"

#include <xxhash.h>

#include <algorithm>
#include <atomic>

namespace clotho {

namespace {

/// Users look for reports with lines.
void tellOfUncheckedBinary() {
  static std::atomic<bool> isTold{false};
  if (isTold.exchange(true)) return;
  CLOTHO_LOG(
      Runtime, Error,
      "CLOTHO_CHECK: a program binary was built without these checks; it is compiled anew, and reports do not name "
      "its lines. Empty the application's cache of programs, or turn it off (PYOPENCL_NO_CACHE=1)");
}

constexpr std::size_t kHeaderSize = kBinaryMagic.size() + sizeof(std::uint32_t) + 2 * sizeof(std::uint64_t);

} // namespace

std::string encodeBinary(const Program::Build& build) {
  return encodeBinary(build.type, build.options, build.device->target(), options().check, *build.result);
}

Program::Build decodeBinary(std::string_view bytes, const Ref<Device>& device) {
  check(bytes.size() >= kHeaderSize && bytes.starts_with(kBinaryMagic), CL_INVALID_BINARY, "not a binary of Clotho's");
  ByteReader header(bytes.substr(kBinaryMagic.size()));
  std::uint32_t version = header.u32();
  std::uint64_t size = header.u64(), checksum = header.u64();
  std::string_view body = bytes.substr(kHeaderSize);
  check(version == kBinaryVersion, CL_INVALID_BINARY, "a binary of another version of Clotho");
  check(body.size() == size && XXH3_64bits(body.data(), body.size()) == checksum, CL_INVALID_BINARY,
        "the binary is damaged");

  ByteReader in(body);
  Program::Build build;
  build.device = device;
  build.type = in.u32();
  build.options = in.text();
  const std::string target = in.text(), checks = in.text();
  std::optional<BuildResult> result = parseResult(in.text());
  check(in.finished() && result, CL_INVALID_BINARY, "the binary is of another version of Clotho");
  bool isExecutable = build.type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  check(isExecutable || build.type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
            build.type == CL_PROGRAM_BINARY_TYPE_LIBRARY,
        CL_INVALID_BINARY, "the binary is of an unknown kind");
  checkBinaryResult(*result);
  // Code for another CPU is made anew from the portable module when the program is built. So is all code where the
  // host does not trust what it is given: machine code would run in its process, a module is read by the compiler's.
  const bool isForAnother = target != targetIdentity(device->target());
  if (isForAnother && !result->object.empty())
    CLOTHO_LOG(Runtime, Info,
               "a binary has code for another processor, CLOTHO_WIDTH or CLOTHO_SUB_GROUP_SIZE, "
               "and is built from its portable module");
  const bool isOtherwiseChecked = checks != options().check;
  if (isOtherwiseChecked && !options().check.empty()) tellOfUncheckedBinary();
  if (isForAnother || isOtherwiseChecked || options().portableBinaries) result->object.clear();
  // Claims of code that is not used here may be for devices of another kind.
  if (!result->object.empty()) device->checkCode(*result);
  check(!(isExecutable && result->object.empty() && result->portable.empty()), CL_INVALID_BINARY,
        "the binary has no code that may be used here, and nothing to make it from");
  build.result = std::make_shared<const BuildResult>(std::move(*result));
  return build;
}

bool hasCodeFor(const Device& device, const BuildResult& built) {
  const Joint* joint = device.joint();
  return std::ranges::all_of(built.kernels, [&](const BuiltKernel& kernel) {
    if (joint && device.target().kind == TargetKind::Cpu) {
      const std::optional<cpu::CpuKernelFacts> facts = cpu::decodeFacts(kernel.facts);
      if (!facts || facts->lacksExact) return false;
    }
    return (joint && joint->takesPartArguments()) || kernel.footprint.partArguments.empty();
  });
}

} // namespace clotho
