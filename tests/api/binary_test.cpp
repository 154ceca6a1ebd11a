// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program binaries that somebody has changed so that their checksum is right.
#include "binary_parts.hpp"
#include "fixture.hpp"

#include <limits>

namespace clotho::test {
namespace {

class BinaryTest : public DeviceApi {
 protected:
  void SetUp() override {
    DeviceApi::SetUp();
    Owned<cl_program> program = buildProgram("kernel void k(char c, global int* a, float4 f, local int* l) {\n"
                                             "  l[get_local_id(0)] = a[get_global_id(0)];\n"
                                             "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                                             "  a[get_global_id(0)] = l[0] + c + (int)f.x;\n"
                                             "}\n"
                                             "kernel void other(global int* a) { *a = 1; printf(\"%d\", 1); }\n");
    size_t size = 0;
    ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
    bytes_.resize(size);
    unsigned char* pointer = bytes_.data();
    ASSERT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr), CL_SUCCESS);
  }
  /// What clCreateProgramWithBinary says of the binary with the change.
  cl_int statusOf(const std::function<void(BuildResult&)>& change) {
    const std::vector<unsigned char> changed = forged(bytes_, change);
    const unsigned char* pointer = changed.data();
    const size_t size = changed.size();
    cl_int status = 1, binaryStatus = 1;
    Owned<cl_program> program =
        clCreateProgramWithBinary(context_, 1, &device_, &size, &pointer, &binaryStatus, &status);
    EXPECT_EQ(binaryStatus, status);
    return status;
  }
  cl_int statusOfKernel(const std::function<void(KernelInfo&)>& change) {
    return statusOf([&](BuildResult& result) { change(result.kernels.at(0)); });
  }

  std::vector<unsigned char> bytes_;
};

TEST_F(BinaryTest, WhatIsNotChangedIsAccepted) {
  EXPECT_EQ(statusOf([](BuildResult&) {}), CL_SUCCESS);
}

TEST_F(BinaryTest, ArgumentsThatDoNotFitAreRefused) {
  using Change = std::function<void(KernelInfo&)>;
  const std::pair<const char*, Change> changes[] = {
      {"offset beyond the block", [](KernelInfo& k) { k.args[1].offset = 1 << 20; }},
      {"offset that overflows",
       [](KernelInfo& k) { k.args[3].offset = std::numeric_limits<std::uint32_t>::max() - 7; }},
      {"arguments over each other", [](KernelInfo& k) { k.args[1].offset = 0; }},
      {"block too small", [](KernelInfo& k) { k.argBlockSize = 8; }},
      {"no block", [](KernelInfo& k) { k.argBlockSize = 0; }},
      {"huge block", [](KernelInfo& k) { k.argBlockSize = std::numeric_limits<std::uint32_t>::max(); }},
      {"huge value", [](KernelInfo& k) { k.args[0].size = std::numeric_limits<std::uint32_t>::max(); }},
      {"long value", [](KernelInfo& k) { k.args[0].size = 64; }},
      {"short pointer", [](KernelInfo& k) { k.args[1].size = 4; }},
      {"no alignment", [](KernelInfo& k) { k.args[2].alignment = 0; }},
      {"odd alignment", [](KernelInfo& k) { k.args[2].alignment = 12; }},
      {"one argument less", [](KernelInfo& k) { k.args.pop_back(); }},
      {"one argument more", [](KernelInfo& k) { k.args.push_back(k.args.back()); }},
      {"value in global memory", [](KernelInfo& k) { k.args[0].address = AddressQualifier::Global; }},
      {"buffer in local memory", [](KernelInfo& k) { k.args[1].address = AddressQualifier::Local; }},
      {"value as buffer", [](KernelInfo& k) { k.args[0].kind = ArgKind::Buffer; }},
      {"qualifiers", [](KernelInfo& k) { k.args[0].typeQualifiers = 1 << 20; }},
      {"outputs that are no arguments", [](KernelInfo& k) { k.outputs = 2; }},
      {"changes of what is no argument", [](KernelInfo& k) { k.changed = std::uint64_t{1} << 63; }},
  };
  for (const auto& [what, change] : changes)
    EXPECT_EQ(statusOfKernel(change), CL_INVALID_BINARY) << what;
}

TEST_F(BinaryTest, ImpossibleSizesAreRefused) {
  using Change = std::function<void(KernelInfo&)>;
  constexpr auto kHuge = std::numeric_limits<std::uint64_t>::max();
  const std::pair<const char*, Change> changes[] = {
      {"no lanes", [](KernelInfo& k) { k.subGroupSize = 0; }}, // would be divided by
      {"three lanes", [](KernelInfo& k) { k.subGroupSize = 3; }},
      {"many lanes", [](KernelInfo& k) { k.subGroupSize = 1 << 16; }},
      {"required sub-group size", [](KernelInfo& k) { k.requiredSubGroupSize = 7; }},
      {"half of a required size", [](KernelInfo& k) { k.requiredLocalSize[1] = 4; }},
      {"local memory", [](KernelInfo& k) { k.localBytes = kHuge; }},
      {"private memory", [](KernelInfo& k) { k.privateBytes = kHuge; }},
      {"context array", [](KernelInfo& k) { k.frameBytesPerItem = kHuge / 64; }},
      {"interleaved state", [](KernelInfo& k) { k.interleavedState = kHuge; }},
      {"stacks", [](KernelInfo& k) { k.subGroupStackBytes = kHuge; }},
      {"no rows", [](KernelInfo& k) { k.rowsAtOnce = 0; }}, // would be divided by
      {"many rows", [](KernelInfo& k) { k.rowsAtOnce = 1 << 16; }},
      {"merged rows", [](KernelInfo& k) { k.mergedRow = std::numeric_limits<std::uint32_t>::max(); }},
      {"half of a size", [](KernelInfo& k) { k.directSize[0] = 16; }},
  };
  for (const auto& [what, change] : changes)
    EXPECT_EQ(statusOfKernel(change), CL_INVALID_BINARY) << what;
}

TEST_F(BinaryTest, ImpossibleKernelsAreRefused) {
  EXPECT_EQ(statusOfKernel([](KernelInfo& k) { k.name.clear(); }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOfKernel([](KernelInfo& k) { k.name = "other"; }), CL_INVALID_BINARY);
  // The dynamic linker would find these, too.
  EXPECT_EQ(statusOfKernel([](KernelInfo& k) { k.symbol = "system"; }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOfKernel([](KernelInfo& k) { k.symbol += "2"; }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOf([](BuildResult& r) { r.kernels.push_back(r.kernels[0]); }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOf([](BuildResult& r) { r.status = BuildStatus::Failure; }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOf([](BuildResult& r) { r.object = "#!/bin/sh"; }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOf([](BuildResult& r) { r.printfFormats.at(0).argSizes.at(0) = 1 << 30; }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOf([](BuildResult& r) { r.object = r.portable = ""; }), CL_INVALID_BINARY);
}

} // namespace
} // namespace clotho::test
