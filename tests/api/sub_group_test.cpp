// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host is told of sub-groups, against what kernels see.
#include "fixture.hpp"

#include <algorithm>
#include <vector>

namespace clotho::test {

namespace {

constexpr const char* kSource = R"(
  kernel void see(global uint* out) {
    if (get_global_linear_id() != 0) return;
    out[0] = get_max_sub_group_size();
    out[1] = get_num_sub_groups();
    out[2] = get_sub_group_size();
  }
  kernel void blind(global uint* out) { out[get_global_id(0)] = 1; }
  __attribute__((intel_reqd_sub_group_size(8))) kernel void eight(global uint* out) {
    out[0] = get_max_sub_group_size();
    out[1] = get_num_sub_groups();
    out[2] = sub_group_reduce_add(1u);
  }
  kernel __attribute__((reqd_work_group_size(32, 1, 1))) void shaped(global uint* out) {
    out[0] = sub_group_reduce_add(1u);
  }
  kernel __attribute__((reqd_work_group_size(4, 5, 2))) void solid(global uint* out) {
    out[get_global_linear_id()] = sub_group_scan_inclusive_add(1u);
  }
  // Waits for another work-item, so it is not vectorised; what it is told must fit all the same.
  kernel void waits(global uint* out, global int* lock) {
    while (atomic_cmpxchg(lock, 0, 1) != 0) atomic_xchg(lock, 0);
    out[0] = get_max_sub_group_size();
    out[1] = get_num_sub_groups();
    out[2] = sub_group_reduce_add(1u);
    atomic_xchg(lock, 0);
  }
  kernel void large(global uint* out) {
    uint values[20000];
    for (uint i = 0; i < 20000; i++) values[i] = out[i % 3] * i;
    const uint seen = values[out[3] % 20000];
    out[0] = get_max_sub_group_size() + seen;
    out[1] = get_num_sub_groups();
    out[2] = sub_group_reduce_add(1u);
  }
)";

class SubGroupTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    program_ = buildProgram(kSource, "-cl-std=CL3.0");
    out_ = makeBuffer(1024);
  }
  Owned<cl_kernel> make(const char* name) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    cl_mem out = out_;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof out, &out), CL_SUCCESS);
    return kernel;
  }
  size_t ask(cl_kernel kernel, cl_kernel_sub_group_info name, const std::vector<size_t>& input = {}) {
    size_t value = 0, size = 0;
    EXPECT_EQ(clGetKernelSubGroupInfo(kernel, device_, name, input.size() * sizeof(size_t),
                                      input.empty() ? nullptr : input.data(), sizeof value, &value, &size),
              CL_SUCCESS);
    EXPECT_EQ(size, sizeof value);
    return value;
  }
  std::vector<cl_uint> run(cl_kernel kernel, const std::vector<size_t>& local) {
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(local.size()), nullptr, local.data(),
                                     local.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    std::vector<cl_uint> seen(64);
    EXPECT_EQ(
        clEnqueueReadBuffer(queue_, out_, CL_TRUE, 0, seen.size() * sizeof(cl_uint), seen.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return seen;
  }
  void agrees(cl_kernel kernel, const std::vector<size_t>& local) {
    const size_t size = ask(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local);
    const size_t count = ask(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, local);
    size_t items = 1;
    for (const size_t one : local)
      items *= one;
    EXPECT_EQ(count, (items + size - 1) / size);
    const std::vector<cl_uint> seen = run(kernel, local);
    EXPECT_EQ(seen[0], size) << items;
    EXPECT_EQ(seen[1], count) << items;
    EXPECT_EQ(seen[2], std::min(size, items)) << items;
  }
  Owned<cl_program> program_;
  Owned<cl_mem> out_;
};

// Kernels reduce in two levels: as many sub-groups as one has work-items. What requires a size knows what it does, and
// larger work-groups may be launched all the same. Sub-groups below 8 work-items, which options alone make, have no
// such limit.
size_t largestGroup(size_t size, size_t device) { return size < 8 ? device : std::min(size * size, device); }

TEST_F(SubGroupTest, LargestGroupIsTheSquareOfTheSize) {
  CLOTHO_NEEDS(isCpu());
  const auto most = [&](cl_kernel kernel) {
    return valueAnswer<size_t>(CLOTHO_INFO(clGetKernelWorkGroupInfo, kernel, device_, CL_KERNEL_WORK_GROUP_SIZE));
  };
  Owned<cl_kernel> see = make("see"), eight = make("eight"), blind = make("blind"), shaped = make("shaped");
  const size_t device = valueAnswer<size_t>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  const size_t size = ask(see, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {1});
  EXPECT_EQ(most(see), largestGroup(size, device));
  EXPECT_EQ(ask(see, CL_KERNEL_MAX_NUM_SUB_GROUPS), largestGroup(size, device) / size);
  EXPECT_EQ(most(eight), 64u);
  EXPECT_EQ(most(blind), device);
  EXPECT_EQ(most(shaped), device);
  agrees(see, {std::min(2 * size * size, device)});
}

TEST_F(SubGroupTest, EveryLocalSizeAgrees) {
  Owned<cl_kernel> see = make("see");
  for (size_t local = 1; local <= 100; ++local)
    agrees(see, {local});
  const size_t most = valueAnswer<size_t>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  for (const std::vector<size_t>& local :
       {std::vector<size_t>{std::min<size_t>(most, 4096)}, {1, 7}, {3, 5}, {16, 3}, {2, 3, 5}, {8, 8, 8}})
    agrees(see, local);
}

TEST_F(SubGroupTest, RequiredSize) {
  Owned<cl_kernel> eight = make("eight");
  EXPECT_EQ(ask(eight, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL), 8u);
  EXPECT_EQ(ask(eight, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {64}), 8u);
  agrees(eight, {8});
  EXPECT_EQ(ask(make("see"), CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL), 0u);
  const auto sizes = listAnswer<size_t>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_SUB_GROUP_SIZES_INTEL));
  for (const size_t size :
       {size_t{8}, size_t{16}, size_t{32}, ask(make("see"), CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {64})})
    EXPECT_EQ(std::count(sizes.begin(), sizes.end(), size), 1) << size;
  Owned<cl_program> odd = makeProgram("__attribute__((intel_reqd_sub_group_size(24))) kernel void k() {}");
  EXPECT_EQ(clBuildProgram(odd, 0, nullptr, "", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(buildLog(odd).find("requires sub-groups of 24"), std::string::npos) << buildLog(odd);
}

TEST_F(SubGroupTest, OneSizeForAllKernels) {
  Owned<cl_kernel> see = make("see"), blind = make("blind");
  EXPECT_EQ(ask(see, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {64}),
            ask(blind, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {64}));
  Owned<cl_program> plain = buildProgram(kSource, "-cl-std=CL3.0 -cl-opt-disable");
  cl_int status = 1;
  Owned<cl_kernel> slow = clCreateKernel(plain, "see", &status);
  EXPECT_EQ(ask(see, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {64}),
            ask(slow, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {64}));
}

TEST_F(SubGroupTest, KernelThatIsNotVectorisedAgrees) {
  CLOTHO_NEEDS(isCpu());
  // More private memory than a sub-group of it would have room for.
  Owned<cl_kernel> large = make("large");
  EXPECT_EQ(ask(large, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {24}), 1u);
  const std::vector<cl_uint> zeros(256);
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, out_, CL_TRUE, 0, 1024, zeros.data(), 0, nullptr, nullptr), CL_SUCCESS);
  agrees(large, {24});
}

TEST_F(SubGroupTest, KernelThatWaitsAgrees) {
  Owned<cl_kernel> waits = make("waits");
  Owned<cl_mem> lock = makeBuffer(4);
  const cl_int zero = 0;
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, lock, CL_TRUE, 0, 4, &zero, 0, nullptr, nullptr), CL_SUCCESS);
  cl_mem raw = lock;
  ASSERT_EQ(clSetKernelArg(waits, 1, sizeof raw, &raw), CL_SUCCESS);
  agrees(waits, {24});
}

TEST_F(SubGroupTest, LocalSizeForCount) {
  Owned<cl_kernel> see = make("see"), shaped = make("shaped"), solid = make("solid");
  const size_t each = ask(see, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {1});
  const size_t most = ask(see, CL_KERNEL_MAX_NUM_SUB_GROUPS);
  EXPECT_EQ(most, largestGroup(each, 4096) / each);
  EXPECT_LE(most, valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_NUM_SUB_GROUPS)));
  EXPECT_EQ(ask(see, CL_KERNEL_COMPILE_NUM_SUB_GROUPS), 0u);
  const auto sizeFor = [&](cl_kernel kernel, size_t count, size_t dimensions) {
    std::vector<size_t> local(dimensions, 77);
    size_t size = 0;
    EXPECT_EQ(clGetKernelSubGroupInfo(kernel, device_, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count, &count,
                                      dimensions * sizeof(size_t), local.data(), &size),
              CL_SUCCESS);
    EXPECT_EQ(size, dimensions * sizeof(size_t));
    return local;
  };
  EXPECT_EQ(sizeFor(see, 1, 1), (std::vector<size_t>{each}));
  EXPECT_EQ(sizeFor(see, most, 3), (std::vector<size_t>{most * each, 1, 1}));
  EXPECT_EQ(sizeFor(see, most + 1, 2), (std::vector<size_t>{0, 0}));
  EXPECT_EQ(sizeFor(see, 0, 1), (std::vector<size_t>{0}));
  if (each <= 32) EXPECT_EQ(sizeFor(shaped, 32 / each, 1), (std::vector<size_t>{32}));
  EXPECT_EQ(sizeFor(shaped, 32 / each + 1, 1), (std::vector<size_t>{0}));
  EXPECT_EQ(sizeFor(solid, 1, 3), (std::vector<size_t>{0, 0, 0}));
  // A required size that is a box: sub-groups go by the linear id.
  const std::vector<cl_uint> seen = run(solid, {4, 5, 2});
  for (size_t i = 0; i < 40; ++i)
    EXPECT_EQ(seen[i], i % each + 1) << i;
}

TEST_F(SubGroupTest, Errors) {
  Owned<cl_kernel> see = make("see");
  const size_t local[4] = {8, 0, 1, 1};
  size_t value = 0;
  Foreign<cl_device_id> foreign(device_);
  const auto with = [&](cl_device_id device, cl_kernel_sub_group_info name, size_t inputSize, const void* input,
                        size_t size) {
    return clGetKernelSubGroupInfo(see, device, name, inputSize, input, size, &value, nullptr);
  };
  EXPECT_EQ(with(foreign, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, sizeof value), CL_INVALID_DEVICE);
  EXPECT_EQ(with(nullptr, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, sizeof value), CL_SUCCESS);
  EXPECT_EQ(with(device_, CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr, sizeof value), CL_INVALID_VALUE);
  EXPECT_EQ(with(device_, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, sizeof value - 1), CL_INVALID_VALUE);
  for (const cl_kernel_sub_group_info name :
       {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE}) {
    EXPECT_EQ(with(device_, name, sizeof(size_t), nullptr, sizeof value), CL_INVALID_VALUE);
    EXPECT_EQ(with(device_, name, 0, local, sizeof value), CL_INVALID_VALUE);
    EXPECT_EQ(with(device_, name, 7, local, sizeof value), CL_INVALID_VALUE);
    EXPECT_EQ(with(device_, name, sizeof local, local, sizeof value), CL_INVALID_VALUE);
    EXPECT_EQ(with(device_, name, 2 * sizeof(size_t), local, sizeof value), CL_INVALID_VALUE); // a size of nothing
    EXPECT_EQ(with(device_, name, sizeof(size_t), local, sizeof value), CL_SUCCESS);
  }
  EXPECT_EQ(with(device_, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 0, nullptr, sizeof value), CL_INVALID_VALUE);
  EXPECT_EQ(with(device_, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 4, local, sizeof value), CL_INVALID_VALUE);
  EXPECT_EQ(with(device_, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(size_t), local, 4), CL_INVALID_VALUE);
}

TEST_F(SubGroupTest, KhrAlias) {
  Owned<cl_kernel> see = make("see");
  const auto alias = reinterpret_cast<clGetKernelSubGroupInfoKHR_fn>(
      clGetExtensionFunctionAddressForPlatform(platform_, "clGetKernelSubGroupInfoKHR"));
  ASSERT_NE(alias, nullptr);
  const size_t local = 40;
  size_t size = 0, count = 0;
  EXPECT_EQ(alias(see, device_, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR, sizeof local, &local, sizeof size, &size,
                  nullptr),
            CL_SUCCESS);
  EXPECT_EQ(alias(see, device_, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR, sizeof local, &local, sizeof count, &count,
                  nullptr),
            CL_SUCCESS);
  EXPECT_EQ(size, ask(see, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {local}));
  EXPECT_EQ(count, (local + size - 1) / size);
}

} // namespace

} // namespace clotho::test
