// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of one launch that share memory. Kernels are compiled as if they did not, where that is worth it, and each
// launch is asked. No work-item touches what another writes, so the results are those of work-items in turn.
#include "svm.hpp"

#include <numeric>

namespace clotho::test {

namespace {

constexpr size_t kItems = 1000, kEach = 7, kPlace = 3;

/// Each work-item has a row of `a`, and its sum in a row of `c`.
constexpr const char* kSource = R"(
  kernel void sums(global const uint* a, global uint* c, int each, int place) {
    int row = get_global_id(0) * each;
    for (int k = 0; k < each; ++k)
      c[row + place] += a[row + k];
  }
)";

/// Elements of both buffers after the kernel, if `c` begins `distance` elements after `a`.
std::vector<cl_uint> expected(std::vector<cl_uint> words, size_t distance) {
  for (size_t row = 0; row < kItems * kEach; row += kEach)
    for (size_t k = 0; k < kEach; ++k)
      words[distance + row + kPlace] += words[row + k];
  return words;
}

class AliasedArgumentsTest : public SharedApi {
 protected:
  void SetUp() override {
    SharedApi::SetUp();
    if (IsSkipped()) return;
    program_ = buildProgram(kSource);
    cl_int status = 1;
    kernel_ = clCreateKernel(program_, "sums", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    const cl_int each = kEach, place = kPlace;
    ASSERT_EQ(clSetKernelArg(kernel_, 2, sizeof each, &each), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel_, 3, sizeof place, &place), CL_SUCCESS);
    words_.resize(2 * kItems * kEach);
    std::iota(words_.begin(), words_.end(), 1u);
  }

  void setBuffers(cl_mem a, cl_mem c) {
    ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof a, &a), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel_, 1, sizeof c, &c), CL_SUCCESS);
  }

  void launch() { SharedApi::launch(kernel_, kItems); }

  size_t bytes() const { return words_.size() * sizeof(cl_uint); }

  Owned<cl_mem> makeFull() { return makeBuffer(bytes(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, words_.data()); }

  std::vector<cl_uint> read(cl_mem buffer) {
    std::vector<cl_uint> result(words_.size());
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, bytes(), result.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return result;
  }

  Owned<cl_mem> part(cl_mem of, size_t firstWord, size_t words) {
    const cl_buffer_region region{firstWord * sizeof(cl_uint), words * sizeof(cl_uint)};
    cl_int status = 1;
    Owned<cl_mem> made = clCreateSubBuffer(of, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  }

  Owned<cl_program> program_;
  Owned<cl_kernel> kernel_;
  std::vector<cl_uint> words_;
};

TEST_F(AliasedArgumentsTest, TwoBuffers) {
  Owned<cl_mem> a = makeFull(), c = makeFull();
  setBuffers(a, c);
  launch();
  std::vector<cl_uint> both = words_;
  both.insert(both.end(), words_.begin(), words_.end());
  both = expected(both, words_.size());
  EXPECT_EQ(read(a), words_);
  EXPECT_EQ(read(c), std::vector<cl_uint>(both.begin() + static_cast<std::ptrdiff_t>(words_.size()), both.end()));
}

TEST_F(AliasedArgumentsTest, OneBufferTwice) {
  Owned<cl_mem> both = makeFull();
  setBuffers(both, both);
  launch();
  EXPECT_EQ(read(both), expected(words_, 0));
}

TEST_F(AliasedArgumentsTest, TurnsOfOneKernel) {
  Owned<cl_mem> apart = makeFull(), both = makeFull();
  for (int i = 0; i < 3; ++i) {
    setBuffers(apart, both);
    launch();
    setBuffers(both, both);
    launch();
  }
  std::vector<cl_uint> model = words_;
  for (int i = 0; i < 3; ++i) {
    std::vector<cl_uint> two = words_;
    two.insert(two.end(), model.begin(), model.end());
    two = expected(two, words_.size());
    model.assign(two.begin() + static_cast<std::ptrdiff_t>(words_.size()), two.end());
    model = expected(model, 0);
  }
  EXPECT_EQ(read(both), model);
}

// Kernels with barriers have versions for the local size, of the code for arguments apart and of that for all others.
TEST_F(AliasedArgumentsTest, TurnsOfAKernelWithVersions) {
  program_ = buildProgram(R"(
    kernel void sums(global const uint* a, global uint* c, int each) {
      local uint order[64];
      int l = get_local_id(0), g = get_global_id(0);
      order[l] = g;
      barrier(CLK_LOCAL_MEM_FENCE);
      uint other = order[l ^ 1] & 0;
      for (int k = 0; k < each; ++k)
        c[g] += a[g] + other;
    }
  )");
  cl_int status = 1;
  kernel_ = clCreateKernel(program_, "sums", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_int each = kEach;
  ASSERT_EQ(clSetKernelArg(kernel_, 2, sizeof each, &each), CL_SUCCESS);
  words_.resize(1024);
  Owned<cl_mem> apart = makeFull(), both = makeFull();
  std::vector<cl_uint> model = words_;
  for (int i = 0; i < 3; ++i) {
    setBuffers(apart, both);
    SharedApi::launch(kernel_, words_.size(), 64);
    setBuffers(both, both);
    SharedApi::launch(kernel_, words_.size(), 64);
    for (size_t word = 0; word < words_.size(); ++word)
      model[word] = (model[word] + kEach * words_[word]) << kEach;
  }
  EXPECT_EQ(read(both), model);
}

TEST_F(AliasedArgumentsTest, PartsOfABuffer) {
  const size_t half = kItems * kEach, align = 1024; // words, of which any device's alignment is a part
  Owned<cl_mem> parent = makeFull();
  Owned<cl_mem> first = part(parent, 0, half), same = part(parent, 0, half + align);
  setBuffers(first, same);
  launch();
  EXPECT_EQ(read(parent), expected(words_, 0));
  setBuffers(parent, same);
  launch();
  EXPECT_EQ(read(parent), expected(expected(words_, 0), 0));
}

TEST_F(AliasedArgumentsTest, PointersIntoOneAllocation) {
  CLOTHO_NEEDS(hasSharedMemory());
  Svm<cl_uint> memory = allocate(words_.size());
  ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, memory.get(), words_.data(), bytes(), 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 0, memory.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(kernel_, 1, memory.get()), CL_SUCCESS);
  launch();
  std::vector<cl_uint> result(words_.size());
  ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, result.data(), memory.get(), bytes(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(result, expected(words_, 0));
}

} // namespace

} // namespace clotho::test
