// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/parse.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace clotho::api {

namespace {

void checkHasImages(const Context& context) {
  const auto& devices = context.devices();
  const bool areThere = std::any_of(devices.begin(), devices.end(),
                                    [](const Ref<Device>& device) { return device->properties().images.areSupported; });
  check(areThere, CL_INVALID_OPERATION, "no device of the context supports images");
}

bool isFilter(cl_ulong value) { return value == CL_FILTER_NEAREST || value == CL_FILTER_LINEAR; }

bool isAddressing(cl_ulong value) {
  switch (value) {
  case CL_ADDRESS_NONE:
  case CL_ADDRESS_CLAMP_TO_EDGE:
  case CL_ADDRESS_CLAMP:
  case CL_ADDRESS_REPEAT:
  case CL_ADDRESS_MIRRORED_REPEAT: return true;
  default: return false;
  }
}

float lodOf(cl_sampler_properties value) {
  const auto lod = std::bit_cast<float>(static_cast<cl_uint>(value));
  check(!std::isnan(lod), CL_INVALID_VALUE, "a level of detail that is no number");
  return lod;
}

void parseProperty(cl_sampler_properties name, cl_sampler_properties value, SamplerState& state) {
  switch (name) {
  case CL_SAMPLER_NORMALIZED_COORDS:
    check(value == CL_TRUE || value == CL_FALSE, CL_INVALID_VALUE, "neither true nor false");
    state.isNormalised = value != CL_FALSE;
    return;
  case CL_SAMPLER_ADDRESSING_MODE:
    check(isAddressing(value), CL_INVALID_VALUE, "not an addressing mode");
    state.addressing = static_cast<cl_addressing_mode>(value);
    return;
  case CL_SAMPLER_FILTER_MODE:
    check(isFilter(value), CL_INVALID_VALUE, "not a filter mode");
    state.filter = static_cast<cl_filter_mode>(value);
    return;
  case CL_SAMPLER_MIP_FILTER_MODE_KHR:
    check(isFilter(value), CL_INVALID_VALUE, "not a filter mode");
    state.mipFilter = static_cast<cl_filter_mode>(value);
    return;
  // A float takes the low half of a property.
  case CL_SAMPLER_LOD_MIN_KHR: state.leastLod = lodOf(value); return;
  case CL_SAMPLER_LOD_MAX_KHR: state.largestLod = lodOf(value); return;
  default: throw Error{CL_INVALID_VALUE, "unknown sampler property"};
  }
}

} // namespace

// Repeating modes with unnormalised coordinates are legal here; what they read is undefined (OpenCL C, table 31).
cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context rawContext, const cl_sampler_properties* properties,
                                                     cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    checkHasImages(*context);
    SamplerState state;
    std::set<cl_sampler_properties> seen;
    for (const cl_sampler_properties* p = properties; p && *p; p += 2) {
      parseProperty(p[0], p[1], state);
      check(seen.insert(p[0]).second, CL_INVALID_VALUE, "a sampler property twice");
    }
    check(state.leastLod <= state.largestLod, CL_INVALID_VALUE, "the least level of detail is more than the largest");
    return handOut(make<Sampler>(*context, state, propertyList(properties)));
  });
}

cl_sampler CL_API_CALL clCreateSampler(cl_context rawContext, cl_bool isNormalised, cl_addressing_mode addressing,
                                       cl_filter_mode filter, cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    checkHasImages(*context);
    SamplerState state;
    parseProperty(CL_SAMPLER_NORMALIZED_COORDS, isNormalised, state);
    parseProperty(CL_SAMPLER_ADDRESSING_MODE, addressing, state);
    parseProperty(CL_SAMPLER_FILTER_MODE, filter, state);
    return handOut(make<Sampler>(*context, state, std::vector<cl_sampler_properties>{}));
  });
}

cl_int CL_API_CALL clRetainSampler(cl_sampler rawSampler) {
  return call([&] { retain(rawSampler); });
}

cl_int CL_API_CALL clReleaseSampler(cl_sampler rawSampler) {
  return call([&] { release(rawSampler); });
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler rawSampler, cl_sampler_info name, size_t size, void* value,
                                    size_t* sizeReturned) {
  return call([&] {
    const Ref<Sampler> sampler = object(rawSampler);
    const SamplerState& state = sampler->state();
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT: return out.put<cl_uint>(sampler->apiRefs());
    case CL_SAMPLER_CONTEXT: return out.put<cl_context>(&sampler->context());
    case CL_SAMPLER_NORMALIZED_COORDS: return out.put<cl_bool>(state.isNormalised ? CL_TRUE : CL_FALSE);
    case CL_SAMPLER_ADDRESSING_MODE: return out.put<cl_addressing_mode>(state.addressing);
    case CL_SAMPLER_FILTER_MODE: return out.put<cl_filter_mode>(state.filter);
    case CL_SAMPLER_MIP_FILTER_MODE_KHR: return out.put<cl_filter_mode>(state.mipFilter);
    case CL_SAMPLER_LOD_MIN_KHR: return out.put<cl_float>(state.leastLod);
    case CL_SAMPLER_LOD_MAX_KHR: return out.put<cl_float>(state.largestLod);
    case CL_SAMPLER_PROPERTIES: checkFollows30(); return out.list<cl_sampler_properties>(sampler->propertyList());
    default: throw Error{CL_INVALID_VALUE, "unknown cl_sampler_info"};
    }
  });
}

} // namespace clotho::api
