// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options for programs that expect another device: its type, its sub-groups, binaries of another width, sizes that they
// keep in an int. CMakeLists.txt sets the variables.
#include "compiler/client/binary_format.hpp"
#include "compiler/client/build_key.hpp"
#include "fixture.hpp"

#include "base/bytes.hpp"

#include <array>
#include <climits>

namespace clotho::test {

namespace {

class DeviceTypeApi : public DeviceApi {
 protected:
  void expectType(cl_device_type own) {
    EXPECT_EQ(value<cl_device_type>(CL_DEVICE_TYPE), own);
    const auto types =
        std::to_array<cl_device_type>({CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR,
                                       CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CUSTOM});
    for (const cl_device_type type : types) {
      const bool has = type == own || type == CL_DEVICE_TYPE_DEFAULT || type == CL_DEVICE_TYPE_ALL;
      const cl_int expected = has ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
      cl_device_id found = nullptr;
      EXPECT_EQ(clGetDeviceIDs(platform_, type, 1, &found, nullptr), expected) << type;
      EXPECT_EQ(found, has ? device_ : nullptr) << type;
      const cl_context_properties ours[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform_), 0};
      cl_int status = 1;
      Owned<cl_context> context(clCreateContextFromType(ours, type, nullptr, nullptr, &status));
      EXPECT_EQ(status, expected) << type;
    }
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint count = 0;
    ASSERT_EQ(clCreateSubDevices(device_, one, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> parts(count);
    ASSERT_EQ(clCreateSubDevices(device_, one, count, parts.data(), nullptr), CL_SUCCESS);
    for (cl_device_id part : parts) {
      EXPECT_EQ(valueAnswer<cl_device_type>(CLOTHO_INFO(clGetDeviceInfo, part, CL_DEVICE_TYPE)), own);
      EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
    }
    makeKernel("kernel void k(global int* a) { *a = 1; }", "k");
  }
};

/// CLOTHO_DEVICE_TYPE=gpu
using GpuTypeTest = DeviceTypeApi;
TEST_F(GpuTypeTest, EveryWayToAskAgrees) { expectType(CL_DEVICE_TYPE_GPU); }

/// CLOTHO_DEVICE_TYPE=accelerator
using AcceleratorTypeTest = DeviceTypeApi;
TEST_F(AcceleratorTypeTest, EveryWayToAskAgrees) { expectType(CL_DEVICE_TYPE_ACCELERATOR); }

/// CLOTHO_DEVICE_TYPE=toaster
using NoTypeTest = DeviceTypeApi;
TEST_F(NoTypeTest, IsACpu) { expectType(CL_DEVICE_TYPE_CPU); }

class SubGroupSizeApi : public DeviceApi {
 protected:
  /// A reduction in two levels by the largest work-group that the kernel may have.
  void reduces(size_t size) {
    Owned<cl_kernel> kernel = makeKernel(R"(
      kernel void k(global uint* out) {
        local uint sums[256];
        const uint sum = sub_group_reduce_add((uint)get_local_id(0) + 1);
        if (get_sub_group_local_id() == 0) sums[get_sub_group_id()] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_sub_group_id() != 0) return;
        const uint all = sub_group_reduce_add(
            get_sub_group_local_id() < get_num_sub_groups() ? sums[get_sub_group_local_id()] : 0);
        if (get_sub_group_local_id() == 0) { out[0] = all; out[1] = get_max_sub_group_size(); }
      })",
                                         "k", "-cl-std=CL3.0");
    size_t most = 0;
    ASSERT_EQ(clGetKernelWorkGroupInfo(kernel, device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(most, size * size);
    Owned<cl_mem> out = makeBuffer(2 * sizeof(cl_uint));
    cl_mem raw = out;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &most, &most, 0, nullptr, nullptr), CL_SUCCESS);
    cl_uint seen[2] = {};
    ASSERT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(seen[0], most * (most + 1) / 2);
    EXPECT_EQ(seen[1], size);
  }
};

/// CLOTHO_SUB_GROUP_SIZE=8, and so on.
using SubGroupSize8Test = SubGroupSizeApi;
TEST_F(SubGroupSize8Test, TwoLevelsReduceTheLargestGroup) { reduces(8); }
using SubGroupSize16Test = SubGroupSizeApi;
TEST_F(SubGroupSize16Test, TwoLevelsReduceTheLargestGroup) { reduces(16); }
using SubGroupSize32Test = SubGroupSizeApi;
TEST_F(SubGroupSize32Test, TwoLevelsReduceTheLargestGroup) { reduces(32); }

/// CLOTHO_WIDTH=8 and CLOTHO_LOG=runtime=info
using OtherWidthTest = DeviceApi;

// Code of another width is not run, though the processor is the same: the portable module is built anew.
TEST_F(OtherWidthTest, BinaryIsTaken) {
  Owned<cl_program> program =
      buildProgram("kernel void k(global uint* out) { *out = get_max_sub_group_size(); }", "-cl-std=CL3.0");
  size_t size = 0;
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
  std::string bytes(size, '\0');
  char* place = bytes.data();
  ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, static_cast<void*>(&place), nullptr),
            CL_SUCCESS);
  ByteReader in(std::string_view(bytes).substr(kBinaryMagic.size() + 4 + 8 + 8));
  const cl_uint type = in.u32();
  const std::string options(in.text());
  Target target;
  target.width = 32;
  ASSERT_NE(in.text(), targetIdentity(target));
  ASSERT_EQ(in.text(), ""); // no checks
  std::optional<BuildResult> result = parseResult(in.text());
  ASSERT_TRUE(result);
  result->object = "\177ELF and so on";
  const std::string other = encodeBinary(type, options, target, "", *std::move(result));

  testing::internal::CaptureStderr();
  const auto* given = reinterpret_cast<const unsigned char*>(other.data());
  size = other.size();
  cl_int loaded = 1, status = 1;
  Owned<cl_program> again = clCreateProgramWithBinary(context_, 1, &device_, &size, &given, &loaded, &status);
  const std::string log = testing::internal::GetCapturedStderr();
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(loaded, CL_SUCCESS);
  EXPECT_NE(log.find("CLOTHO_WIDTH"), std::string::npos) << log;
  ASSERT_EQ(clBuildProgram(again, 1, &device_, "", nullptr, nullptr), CL_SUCCESS) << buildLog(again);
  Owned<cl_kernel> kernel = clCreateKernel(again, "k", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> out = makeBuffer(sizeof(cl_uint));
  cl_mem raw = out;
  const size_t one = 1;
  cl_uint seen = 0;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, sizeof seen, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 8u);
}

/// A machine with 128 GiB.
using LargeMachineTest = DeviceApi;

// Programs and the conformance suite do, though the type is cl_ulong or size_t.
TEST_F(LargeMachineTest, SizesThatProgramsKeepInAnIntFit) {
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE), cl_ulong{128} << 30);
  EXPECT_EQ(value<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE), cl_ulong{64} << 30);
  for (cl_device_info name :
       {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE})
    EXPECT_LE(value<cl_ulong>(name), cl_ulong{INT_MAX}) << std::hex << name;
  for (cl_device_info name :
       {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE,
        CL_DEVICE_PRINTF_BUFFER_SIZE, CL_DEVICE_MAX_PARAMETER_SIZE, CL_DEVICE_MAX_WORK_GROUP_SIZE})
    EXPECT_LE(value<size_t>(name), size_t{INT_MAX}) << std::hex << name;
}

} // namespace

} // namespace clotho::test
