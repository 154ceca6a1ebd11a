// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/handles.hpp"
#include "base/slab.hpp"
#include "runtime/objects/context.hpp"

#include <cstdint>
#include <vector>

namespace clotho {

/// How a sampler reads images; all of it is legal. The values are the defaults (OpenCL 3.0, table 41).
struct SamplerState {
  bool isNormalised = true;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  // Mipmaps are read by these (cl_khr_mipmap_image).
  cl_filter_mode mipFilter = CL_FILTER_NEAREST;
  float leastLod = 0.0F;
  float largestLod = 3.402823466e+38F;

  /// The number that kernels get (abi/image.h).
  std::uint64_t number() const;
};

/// A sampler object. Kernels that have one as an argument have its number, so they need not keep it alive.
class Sampler final : public Object, public _cl_sampler {
 public:
  using Handle = cl_sampler;

  Sampler(Context& context, const SamplerState& state, std::vector<cl_sampler_properties> propertyList)
      : context_(context), state_(state), propertyList_(std::move(propertyList)) {}

  Context& context() const { return *context_; }
  const SamplerState& state() const { return state_; }
  const std::vector<cl_sampler_properties>& propertyList() const { return propertyList_; }

 private:
  friend class Slab<Sampler>;
  ~Sampler() override = default;
  void destroy() noexcept override;

  const Ref<Context> context_;
  const SamplerState state_;
  const std::vector<cl_sampler_properties> propertyList_;
};

} // namespace clotho
