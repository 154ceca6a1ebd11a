// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <CL/cl_icd.h>

#include <set>
#include <sstream>

namespace clotho::test {

namespace {

using PlatformTest = Api;

std::multiset<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST_F(PlatformTest, IdsErrors) {
  // Loaders answer clGetPlatformIDs themselves, and the Khronos loader hides clIcdGetPlatformIDsKHR; the driver's own
  // is in the dispatch table.
  auto ids = (*reinterpret_cast<const cl_icd_dispatch* const*>(platform_))->clGetPlatformIDs;
  ASSERT_NE(ids, nullptr);
  cl_platform_id found = nullptr;
  cl_uint count = 0;
  EXPECT_EQ(ids(0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(ids(0, &found, &count), CL_INVALID_VALUE);
  EXPECT_EQ(ids(1, &found, nullptr), CL_SUCCESS);
  EXPECT_EQ(found, platform_);
  EXPECT_EQ(ids(0, nullptr, &count), CL_SUCCESS);
  EXPECT_EQ(count, 1u);
}

TEST_F(PlatformTest, InfoProtocol) {
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* ret) { return clGetPlatformInfo(platform_, name, size, value, ret); },
                    CL_PLATFORM_NAME);
  Foreign<cl_platform_id> foreign(platform_);
  size_t size;
  EXPECT_EQ(clGetPlatformInfo(foreign, CL_PLATFORM_NAME, 0, nullptr, &size), CL_INVALID_PLATFORM);
}

// Programs without a loader between rely on it; loaders themselves put a platform there.
TEST_F(PlatformTest, NullIsTheOneThereIs) {
  const cl_icd_dispatch& driver = **reinterpret_cast<const cl_icd_dispatch* const*>(platform_);
  cl_device_id found = nullptr;
  EXPECT_EQ(driver.clGetDeviceIDs(nullptr, CL_DEVICE_TYPE_ALL, 1, &found, nullptr), CL_SUCCESS);
  EXPECT_EQ(found, device_);
  EXPECT_EQ(textAnswer(CLOTHO_INFO(driver.clGetPlatformInfo, nullptr, CL_PLATFORM_NAME)), "Clotho");
  EXPECT_EQ(driver.clUnloadPlatformCompiler(nullptr), CL_INVALID_PLATFORM) << "not a query";
}

TEST_F(PlatformTest, Strings) {
  auto text = [&](cl_platform_info name) { return textAnswer(CLOTHO_INFO(clGetPlatformInfo, platform_, name)); };
  EXPECT_EQ(text(CL_PLATFORM_NAME), "Clotho");
  EXPECT_EQ(text(CL_PLATFORM_VENDOR), "Clotho project");
  EXPECT_EQ(text(CL_PLATFORM_VERSION), "OpenCL 3.0 Clotho 0.1.0");
  EXPECT_EQ(text(CL_PLATFORM_PROFILE), "FULL_PROFILE");
  EXPECT_EQ(text(CL_PLATFORM_ICD_SUFFIX_KHR), "CLOTHO");
}

TEST_F(PlatformTest, VersionedExtensionsAreTheNamedOnes) {
  auto named = words(textAnswer(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_EXTENSIONS)));
  std::multiset<std::string> versioned;
  for (const cl_name_version& entry :
       listAnswer<cl_name_version>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_EXTENSIONS_WITH_VERSION))) {
    versioned.insert(entry.name);
    EXPECT_GT(entry.version, 0u); // below 1.0 while an extension is provisional
  }
  EXPECT_EQ(named, versioned);
  EXPECT_EQ(std::set<std::string>(named.begin(), named.end()).size(), named.size()) << "a name stands there twice";
  EXPECT_TRUE(named.contains("cl_khr_icd"));
}

// Programs have a buffer of 1,024 bytes for it and give up where that is too small.
TEST_F(PlatformTest, ExtensionsAreThoseOfTheHostInAShortText) {
  const std::string text = textAnswer(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_EXTENSIONS));
  EXPECT_LT(text.size(), 1024u);
  const auto named = words(text),
             ofDevice = words(textAnswer(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_EXTENSIONS)));
  for (const std::string& name : named)
    EXPECT_TRUE(ofDevice.contains(name)) << name;
  for (const char* name : {"cl_khr_fp64", "cl_khr_subgroups", "cl_ext_float_atomics"})
    EXPECT_FALSE(named.contains(name)) << name;
  for (const char* name : {"cl_khr_icd", "cl_khr_command_buffer", "cl_khr_external_memory", "cl_khr_il_program"})
    EXPECT_EQ(named.contains(name), ofDevice.contains(name)) << name;
  EXPECT_TRUE(named.contains("cl_khr_icd"));
}

TEST_F(PlatformTest, NumericVersionAgreesWithTheString) {
  EXPECT_EQ(valueAnswer<cl_version>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_NUMERIC_VERSION)),
            CL_MAKE_VERSION(3u, 0u, 0u));
  EXPECT_GT(valueAnswer<cl_ulong>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_HOST_TIMER_RESOLUTION)), 0u);
}

TEST_F(PlatformTest, ExtensionFunctionsOnly) {
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform_, "clNoSuchFunctionCLOTHO"), nullptr);
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform_, nullptr), nullptr);
}

TEST_F(PlatformTest, UnloadCompilerIsAHint) {
  EXPECT_EQ(clUnloadPlatformCompiler(platform_), CL_SUCCESS);
  Foreign<cl_platform_id> foreign(platform_);
  EXPECT_EQ(clUnloadPlatformCompiler(foreign), CL_INVALID_PLATFORM);
  Owned<cl_program> program = buildProgram("kernel void k() {}");
  EXPECT_EQ(clUnloadPlatformCompiler(platform_), CL_SUCCESS);
  program = buildProgram("kernel void k2() {}");
}

} // namespace

} // namespace clotho::test
