// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What SPIR-V says of work-items that work together and OpenCL C cannot: atomics, barriers and group functions.
#include "il_programs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>

namespace clotho::test {

namespace {

/// SPIR-V's numbers of scopes.
constexpr cl_uint kCrossDevice = 0, kDevice = 1, kWorkgroup = 2, kSubgroup = 3, kInvocation = 4;

class IlGroupsTest : public IlApi {
 protected:
  /// Runs the kernel with buffers, then numbers; leaves in the buffers what it has written.
  template <class T>
  void run(const char* moduleName, const char* name, std::vector<size_t> global, std::vector<size_t> local,
           std::initializer_list<std::vector<T>*> buffers, const std::vector<cl_uint>& numbers = {},
           const char* options = "") {
    Owned<cl_kernel> kernel = kernelOf(moduleName, name, options);
    ASSERT_NE(kernel, nullptr);
    std::vector<Owned<cl_mem>> memories;
    cl_uint index = 0;
    for (std::vector<T>* buffer : buffers) {
      memories.push_back(makeBuffer(buffer->size() * sizeof(T), CL_MEM_COPY_HOST_PTR, buffer->data()));
      cl_mem raw = memories.back();
      ASSERT_EQ(clSetKernelArg(kernel, index++, sizeof(cl_mem), static_cast<const void*>(&raw)), CL_SUCCESS);
    }
    for (const cl_uint number : numbers)
      ASSERT_EQ(clSetKernelArg(kernel, index++, sizeof number, &number), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()), nullptr, global.data(),
                                     local.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    index = 0;
    for (std::vector<T>* buffer : buffers)
      ASSERT_EQ(clEnqueueReadBuffer(queue_, memories[index++], CL_TRUE, 0, buffer->size() * sizeof(T), buffer->data(),
                                    0, nullptr, nullptr),
                CL_SUCCESS);
  }
  /// Work-items of a sub-group in work-groups of several.
  size_t subGroupSize(const char* moduleName, const char* name, const char* options) {
    Owned<cl_kernel> kernel = kernelOf(moduleName, name, options);
    const size_t local = 64;
    size_t size = 0;
    EXPECT_EQ(clGetKernelSubGroupInfo(kernel, device_, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, &local,
                                      sizeof size, &size, nullptr),
              CL_SUCCESS);
    return size;
  }
  void TearDown() override {
    programs_.clear();
    IlApi::TearDown();
  }

 private:
  /// The program is built once.
  Owned<cl_kernel> kernelOf(const char* moduleName, const char* name, const char* options) {
    Owned<cl_program>& program = programs_[std::string(moduleName) + " " + options];
    if (program == nullptr) {
      program = makeIlProgram(module(moduleName));
      EXPECT_EQ(clBuildProgram(program, 0, nullptr, options, nullptr, nullptr), CL_SUCCESS) << buildLog(program);
    }
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    EXPECT_EQ(status, CL_SUCCESS) << name;
    return kernel;
  }

  std::map<std::string, Owned<cl_program>> programs_; ///< by module and options
};

TEST_F(IlGroupsTest, AtomicsReturnWhatWasThere) {
  // Load, exchange, increment, decrement, add, sub, four of minimum and maximum, and, or, xor, three exchanges with
  // comparison, of which the first and the last find something else, load; two of a flag that was clear; a clear flag.
  const std::vector<cl_uint> expected = {10,         10,   20,   21,   20,   25, 0xfffffffb, 0xfffffffb, 3, 3,
                                         0xfffffff0, 0xf0, 0xff, 0x0f, 0x0f, 7,  7,          0,          1, 0};
  for (const char* kernel : {"of_global", "of_generic", "of_local", "of_private"}) {
    for (const cl_uint scope : {kCrossDevice, kDevice, kWorkgroup, kSubgroup, kInvocation}) {
      for (const cl_uint semantics : {0x200u, 0x202u, 0x204u, 0x208u, 0x210u}) {
        std::vector<cl_uint> data(1 + expected.size(), 99);
        run("atomics", kernel, {1}, {1}, {&data}, {scope, semantics});
        EXPECT_EQ(std::vector(data.begin() + 1, data.end()), expected) << kernel << " " << scope << " " << semantics;
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(IlGroupsTest, AtomicsOfSixtyFourBits) {
  std::vector<cl_ulong> data(4, 99);
  run("atomics", "of_64_bits", {1}, {1}, {&data});
  const cl_ulong big = cl_ulong{1} << 32;
  EXPECT_EQ(data, (std::vector<cl_ulong>{2, big, big, 3}));
}

TEST_F(IlGroupsTest, ABarrierOfAScopeThatTheLaunchSays) {
  for (const cl_uint scope : {kWorkgroup, kSubgroup}) {
    std::vector<cl_uint> data(16), reversed(16);
    std::iota(data.begin(), data.end(), 5);
    std::reverse_copy(data.begin(), data.end(), reversed.begin());
    run("groups", "meet", {16}, {16}, {&data}, {scope}); // one sub-group
    EXPECT_EQ(data, reversed) << scope;
  }
}

TEST_F(IlGroupsTest, AsynchronousCopies) {
  std::vector<cl_uint> data(16), reversed(16);
  std::iota(data.begin(), data.end(), 5);
  std::reverse_copy(data.begin(), data.end(), reversed.begin());
  run("groups", "copies", {16}, {16}, {&data});
  EXPECT_EQ(data, reversed);
}

TEST_F(IlGroupsTest, TheClockGoesOn) {
  std::vector<cl_uint> data(1, 99);
  run("clock", "clock", {1}, {1}, {&data});
  EXPECT_EQ(data[0], 1u);
}

TEST_F(IlGroupsTest, VectorsInGroups) {
  using Vector = std::array<cl_uint, 4>;
  constexpr size_t kItems = 32, kLanes = 16;
  std::vector<cl_uint> data(4 * kItems), out(9 * 4 * kItems, 99);
  for (size_t i = 0; i < kItems; ++i)
    for (size_t e = 0; e < 4; ++e)
      data[4 * i + e] = static_cast<cl_uint>(i * (e + 3) % 11 + (e == 3 ? 0 : 1));
  run("groups", "vectors", {kLanes, 2}, {kLanes, 2}, {&data, &out});
  const auto value = [&](size_t i, size_t e) { return data[4 * i + e]; };
  for (size_t i = 0; i < kItems && !HasFailure(); ++i) {
    const size_t first = i / kLanes * kLanes, place = 7 + kLanes;
    bool isEqual = true;
    std::array<Vector, 8> expected{};
    for (size_t e = 0; e < 4; ++e) {
      cl_uint sum = 0, most = 0, before = 0, least = ~0u, small = 0;
      for (size_t k = 0; k < kItems; ++k)
        sum += value(k, e);
      for (size_t k = 0; k <= i; ++k)
        most = std::max(most, value(k, e));
      for (size_t k = first; k < i; ++k)
        before += value(k, e);
      for (size_t k = i / 4 * 4; k < i / 4 * 4 + 4; ++k)
        least = std::min(least, value(k, e));
      for (size_t k = first; k < first + kLanes; ++k) {
        small ^= value(k, e) < 4 ? 1 : 0;
        isEqual = isEqual && value(k, e) == value(first, e);
      }
      const std::array<cl_uint, 8> each = {sum,    most,  value(place, e), value(place, e) < 4 ? 1u : 0u,
                                           before, least, value(first, e), small};
      for (size_t result = 0; result < each.size(); ++result)
        expected[result][e] = each[result];
    }
    for (size_t result = 0; result < expected.size(); ++result)
      for (size_t e = 0; e < 4; ++e)
        EXPECT_EQ(out[4 * (result * kItems + i) + e], expected[result][e]) << "result " << result << " of " << i;
    const Vector equal = {1, isEqual ? 1u : 0u, 1, 0};
    for (size_t e = 0; e < 4; ++e)
      EXPECT_EQ(out[4 * (8 * kItems + i) + e], equal[e]) << "equality in " << i;
  }
}

TEST_F(IlGroupsTest, NamedBarriers) {
  // Sub-groups wait for each other whether or not the program asks for their forward progress.
  for (const char* options : {"", "-cl-no-subgroup-ifp", "-cl-opt-disable"})
    for (const char* name : {"pairs", "pairs_8", "pairs_16"}) {
      const size_t size = subGroupSize("named_barriers", name, options), items = 4 * size;
      ASSERT_TRUE(std::has_single_bit(size) && items <= 512) << size;
      // By the steps that the kernel's work-items take together.
      std::vector<cl_uint> expected(items);
      std::iota(expected.begin(), expected.end(), 0);
      for (unsigned round = 0; round < 5; ++round) {
        std::vector<cl_uint> next = expected;
        for (size_t i = 0; i < (round < 3 ? items : items / 2); ++i)
          next[i] = expected[i] + expected[i ^ size];
        expected = next;
      }
      std::vector<cl_uint> data(items, 99);
      run("named_barriers", name, {items}, {items}, {&data}, {}, options);
      EXPECT_EQ(data, expected) << name << " " << options;
    }
}

} // namespace

} // namespace clotho::test
