// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/sampler.hpp"

#include "abi/image.h"
#include "runtime/process.hpp"

#include <cmath>

namespace clotho {

namespace {

/// CLK_FILTER_NEAREST is a bit of its own, so that equal samplers of sources and of the host have one number.
constexpr std::uint64_t kClangNearest = 0x10;

/// In 1/256, as far as 16 bits go: no image has more levels than 16.
std::uint64_t fixedLod(float lod) {
  constexpr float kLargest = 0xffff;
  const float scaled = lod * 256.0F;
  if (!(scaled > 0.0F)) return 0;
  return static_cast<std::uint64_t>(std::fmin(scaled, kLargest));
}

std::uint64_t addressingBits(cl_addressing_mode mode) {
  switch (mode) {
  case CL_ADDRESS_CLAMP_TO_EDGE: return kSamplerClampToEdge;
  case CL_ADDRESS_CLAMP: return kSamplerClamp;
  case CL_ADDRESS_REPEAT: return kSamplerRepeat;
  case CL_ADDRESS_MIRRORED_REPEAT: return kSamplerMirroredRepeat;
  default: return kSamplerNone;
  }
}

} // namespace

std::uint64_t SamplerState::number() const {
  std::uint64_t number = addressingBits(addressing);
  if (isNormalised) number |= kSamplerNormalised;
  number |= filter == CL_FILTER_LINEAR ? std::uint64_t{kSamplerLinear} : kClangNearest;
  if (mipFilter == CL_FILTER_LINEAR) number |= kSamplerMipLinear;
  return number | fixedLod(leastLod) << kSamplerLeastLod | (0xffff - fixedLod(largestLod)) << kSamplerLargestLod;
}

void Sampler::destroy() noexcept { Process::get().slab<Sampler>().destroy(this); }

} // namespace clotho
