// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

namespace clotho::test {

namespace {

class SamplerTest : public Api {
 protected:
  Owned<cl_sampler> makeSampler(const std::vector<cl_sampler_properties>& properties) {
    cl_int status = 1;
    Owned<cl_sampler> sampler = clCreateSamplerWithProperties(context_, properties.data(), &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return sampler;
  }
  cl_int code(const std::vector<cl_sampler_properties>& properties) {
    cl_int status = 1;
    Owned<cl_sampler> sampler = clCreateSamplerWithProperties(context_, properties.data(), &status);
    EXPECT_EQ(sampler.get() == nullptr, status != CL_SUCCESS);
    return status;
  }
  template <class T> static T info(cl_sampler sampler, cl_sampler_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetSamplerInfo, sampler, name));
  }
  static cl_sampler_properties bits(float value) {
    cl_uint low;
    std::memcpy(&low, &value, sizeof low);
    return low;
  }
};

TEST_F(SamplerTest, Defaults) {
  cl_int status = 1;
  Owned<cl_sampler> sampler = clCreateSamplerWithProperties(context_, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(info<cl_bool>(sampler, CL_SAMPLER_NORMALIZED_COORDS), cl_bool{CL_TRUE});
  EXPECT_EQ(info<cl_addressing_mode>(sampler, CL_SAMPLER_ADDRESSING_MODE), cl_addressing_mode{CL_ADDRESS_CLAMP});
  EXPECT_EQ(info<cl_filter_mode>(sampler, CL_SAMPLER_FILTER_MODE), cl_filter_mode{CL_FILTER_NEAREST});
  EXPECT_EQ(info<cl_filter_mode>(sampler, CL_SAMPLER_MIP_FILTER_MODE_KHR), cl_filter_mode{CL_FILTER_NEAREST});
  EXPECT_EQ(info<cl_float>(sampler, CL_SAMPLER_LOD_MIN_KHR), 0.0F);
  EXPECT_EQ(info<cl_float>(sampler, CL_SAMPLER_LOD_MAX_KHR), 3.402823466e+38F);
  EXPECT_EQ(info<cl_context>(sampler, CL_SAMPLER_CONTEXT), context_.get());
  EXPECT_EQ(info<cl_uint>(sampler, CL_SAMPLER_REFERENCE_COUNT), 1u);
  EXPECT_TRUE(listAnswer<cl_sampler_properties>(CLOTHO_INFO(clGetSamplerInfo, sampler, CL_SAMPLER_PROPERTIES)).empty());
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* returned) { return clGetSamplerInfo(sampler, name, size, value, returned); },
                    CL_SAMPLER_FILTER_MODE);
  cl_uint narrow = 0;
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof narrow, &narrow, nullptr), CL_INVALID_VALUE);
}

TEST_F(SamplerTest, EveryMode) {
  for (cl_addressing_mode addressing :
       {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT})
    for (cl_filter_mode filter : {CL_FILTER_NEAREST, CL_FILTER_LINEAR})
      for (cl_bool isNormalised : {CL_FALSE, CL_TRUE}) {
        const std::vector<cl_sampler_properties> list = {
            CL_SAMPLER_FILTER_MODE, filter, CL_SAMPLER_ADDRESSING_MODE, addressing, CL_SAMPLER_NORMALIZED_COORDS,
            isNormalised,           0};
        Owned<cl_sampler> sampler = makeSampler(list);
        EXPECT_EQ(info<cl_bool>(sampler, CL_SAMPLER_NORMALIZED_COORDS), isNormalised);
        EXPECT_EQ(info<cl_addressing_mode>(sampler, CL_SAMPLER_ADDRESSING_MODE), addressing);
        EXPECT_EQ(info<cl_filter_mode>(sampler, CL_SAMPLER_FILTER_MODE), filter);
        EXPECT_EQ(listAnswer<cl_sampler_properties>(CLOTHO_INFO(clGetSamplerInfo, sampler, CL_SAMPLER_PROPERTIES)),
                  list);
        cl_int status = 1;
        sampler = clCreateSampler(context_, isNormalised, addressing, filter, &status);
        ASSERT_EQ(status, CL_SUCCESS);
        EXPECT_EQ(info<cl_addressing_mode>(sampler, CL_SAMPLER_ADDRESSING_MODE), addressing);
        EXPECT_TRUE(
            listAnswer<cl_sampler_properties>(CLOTHO_INFO(clGetSamplerInfo, sampler, CL_SAMPLER_PROPERTIES)).empty());
      }
}

// cl_khr_mipmap_image
TEST_F(SamplerTest, LevelsOfDetail) {
  Owned<cl_sampler> sampler = makeSampler({CL_SAMPLER_MIP_FILTER_MODE_KHR, CL_FILTER_LINEAR, CL_SAMPLER_LOD_MIN_KHR,
                                           bits(0.5F), CL_SAMPLER_LOD_MAX_KHR, bits(3.25F), 0});
  EXPECT_EQ(info<cl_filter_mode>(sampler, CL_SAMPLER_MIP_FILTER_MODE_KHR), cl_filter_mode{CL_FILTER_LINEAR});
  EXPECT_EQ(info<cl_float>(sampler, CL_SAMPLER_LOD_MIN_KHR), 0.5F);
  EXPECT_EQ(info<cl_float>(sampler, CL_SAMPLER_LOD_MAX_KHR), 3.25F);
}

TEST_F(SamplerTest, Errors) {
  EXPECT_EQ(code({0x7777, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_SAMPLER_NORMALIZED_COORDS, 2, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_SAMPLER_ADDRESSING_MODE, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_SAMPLER_FILTER_MODE, CL_ADDRESS_CLAMP, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_SAMPLER_MIP_FILTER_MODE_KHR, 7, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_SAMPLER_LOD_MIN_KHR, bits(2), CL_SAMPLER_LOD_MAX_KHR, bits(1), 0}), CL_INVALID_VALUE);
  EXPECT_EQ(code({CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0}),
            CL_INVALID_VALUE);
  cl_int status = 1;
  EXPECT_EQ(clCreateSampler(context_, 7, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateSampler(context_, CL_TRUE, 7, CL_FILTER_NEAREST, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateSampler(context_, CL_TRUE, CL_ADDRESS_CLAMP, 7, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  Foreign<cl_context> foreign(device_);
  EXPECT_EQ(clCreateSamplerWithProperties(foreign, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
}

TEST_F(SamplerTest, References) {
  Owned<cl_sampler> sampler = makeSampler({0});
  EXPECT_EQ(clRetainSampler(sampler), CL_SUCCESS);
  EXPECT_EQ(info<cl_uint>(sampler, CL_SAMPLER_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseSampler(sampler), CL_SUCCESS);
  const cl_sampler handle = sampler.take();
  EXPECT_EQ(clReleaseSampler(handle), CL_SUCCESS);
  EXPECT_EQ(clReleaseSampler(handle), CL_INVALID_SAMPLER);
  EXPECT_EQ(clRetainSampler(handle), CL_INVALID_SAMPLER);
  EXPECT_EQ(clGetSamplerInfo(handle, CL_SAMPLER_CONTEXT, 0, nullptr, nullptr), CL_INVALID_SAMPLER);
  Foreign<cl_sampler> foreign(device_);
  EXPECT_EQ(clRetainSampler(foreign), CL_INVALID_SAMPLER);
  EXPECT_EQ(clReleaseSampler(foreign), CL_INVALID_SAMPLER);
  EXPECT_EQ(clGetSamplerInfo(foreign, CL_SAMPLER_CONTEXT, 0, nullptr, nullptr), CL_INVALID_SAMPLER);
}

TEST_F(SamplerTest, ASamplerKeepsItsContext) {
  Owned<cl_context> context = makeContext();
  cl_int status = 1;
  Owned<cl_sampler> sampler = clCreateSamplerWithProperties(context, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_context handle = context;
  context = {};
  EXPECT_EQ(info<cl_context>(sampler, CL_SAMPLER_CONTEXT), handle);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetContextInfo, handle, CL_CONTEXT_REFERENCE_COUNT)), 0u);
}

} // namespace

} // namespace clotho::test
