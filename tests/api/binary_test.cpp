// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Program binaries whose contents were changed and whose checksum is right. The driver is told to have four compute
// units, for a sub-device.
#include "abi/cpu_facts.hpp"
#include "abi/cuda_facts.hpp"
#include "binary_parts.hpp"
#include "fixture.hpp"

#include <limits>

namespace clotho::test {
namespace {

/// A change of the name that a kernel's code has.
std::function<void(BuiltKernel&)> ofSymbol(void (*change)(std::string&)) {
  return [change](BuiltKernel& kernel) {
    if (std::optional<cpu::CpuKernelFacts> facts = cpu::decodeFacts(kernel.facts)) {
      change(facts->symbol);
      kernel.facts = cpu::encodeFacts(*facts);
    } else {
      std::optional<cuda::CudaKernelFacts> others = cuda::decodeFacts(kernel.facts);
      ASSERT_TRUE(others);
      change(others->symbol);
      kernel.facts = cuda::encodeFacts(*others);
    }
  };
}

/// A change of what the binary says of a kernel to a CPU.
std::function<void(BuiltKernel&)> ofFacts(void (*change)(cpu::CpuKernelFacts&)) {
  return [change](BuiltKernel& kernel) {
    std::optional<cpu::CpuKernelFacts> facts = cpu::decodeFacts(kernel.facts);
    ASSERT_TRUE(facts);
    change(*facts);
    kernel.facts = cpu::encodeFacts(*facts);
  };
}

class BinaryTest : public DeviceApi {
 protected:
  void SetUp() override {
    DeviceApi::SetUp();
    bytes_ = binaryOf("kernel void k(char c, global int* a, float4 f, local int* l) {\n"
                      "  l[get_local_id(0)] = a[get_global_id(0)];\n"
                      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                      "  a[get_global_id(0)] = l[0] + c + (int)f.x;\n"
                      "}\n"
                      "kernel void other(global int* a) { *a = 1; printf(\"%d\", 1); }\n");
  }
  std::vector<unsigned char> binaryOf(const char* source) {
    Owned<cl_program> program = buildProgram(source);
    size_t size = 0;
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), CL_SUCCESS);
    std::vector<unsigned char> bytes(size);
    unsigned char* pointer = bytes.data();
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr), CL_SUCCESS);
    return bytes;
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
  cl_int statusOfKernel(const std::function<void(BuiltKernel&)>& change) {
    return statusOf([&](BuildResult& result) { change(result.kernels.at(0)); });
  }

  std::vector<unsigned char> bytes_;
};

TEST_F(BinaryTest, WhatIsNotChangedIsAccepted) {
  EXPECT_EQ(statusOf([](BuildResult&) {}), CL_SUCCESS);
}

// Kernels whose operations wait for one another run more work-items at once than any others.
TEST_F(BinaryTest, WideKernelsAreAccepted) {
  bytes_ = binaryOf("kernel void k(global uint* a) {\n"
                    "  uint x = a[get_global_id(0)];\n"
                    "  for (int i = 0; i < 1000; i++) x = x * 1664525u + 1013904223u;\n"
                    "  a[get_global_id(0)] = x;\n"
                    "}\n");
  EXPECT_EQ(statusOf([](BuildResult&) {}), CL_SUCCESS);
}

TEST_F(BinaryTest, ArgumentsThatDoNotFitAreRefused) {
  using Change = std::function<void(BuiltKernel&)>;
  const std::pair<const char*, Change> changes[] = {
      {"offset beyond the block", [](BuiltKernel& k) { k.info.args[1].offset = 1 << 20; }},
      {"offset that overflows",
       [](BuiltKernel& k) { k.info.args[3].offset = std::numeric_limits<std::uint32_t>::max() - 7; }},
      {"arguments over each other", [](BuiltKernel& k) { k.info.args[1].offset = 0; }},
      {"block too small", [](BuiltKernel& k) { k.info.argBlockSize = 8; }},
      {"no block", [](BuiltKernel& k) { k.info.argBlockSize = 0; }},
      {"huge block", [](BuiltKernel& k) { k.info.argBlockSize = std::numeric_limits<std::uint32_t>::max(); }},
      {"huge value", [](BuiltKernel& k) { k.info.args[0].size = std::numeric_limits<std::uint32_t>::max(); }},
      {"long value", [](BuiltKernel& k) { k.info.args[0].size = 64; }},
      {"short pointer", [](BuiltKernel& k) { k.info.args[1].size = 4; }},
      {"no alignment", [](BuiltKernel& k) { k.info.args[2].alignment = 0; }},
      {"odd alignment", [](BuiltKernel& k) { k.info.args[2].alignment = 12; }},
      {"one argument less", [](BuiltKernel& k) { k.info.args.pop_back(); }},
      {"one argument more", [](BuiltKernel& k) { k.info.args.push_back(k.info.args.back()); }},
      {"value in global memory", [](BuiltKernel& k) { k.info.args[0].address = AddressQualifier::Global; }},
      {"buffer in local memory", [](BuiltKernel& k) { k.info.args[1].address = AddressQualifier::Local; }},
      {"value as buffer", [](BuiltKernel& k) { k.info.args[0].kind = ArgKind::Buffer; }},
      {"qualifiers", [](BuiltKernel& k) { k.info.args[0].typeQualifiers = 1 << 20; }},
      {"initialiser with arguments", [](BuiltKernel& k) { k.info.role = KernelRole::Initialiser; }},
      {"clean-up with arguments", [](BuiltKernel& k) { k.info.role = KernelRole::CleanUp; }},
      {"block without a number", [](BuiltKernel& k) { k.info.role = KernelRole::Block; }},
      {"number of no block", [](BuiltKernel& k) { k.info.blockNumber = 1; }},
  };
  for (const auto& [what, change] : changes)
    EXPECT_EQ(statusOfKernel(change), CL_INVALID_BINARY) << what;
}

TEST_F(BinaryTest, ImpossibleSizesAreRefused) {
  using Change = std::function<void(BuiltKernel&)>;
  constexpr auto kHuge = std::numeric_limits<std::uint64_t>::max();
  const std::pair<const char*, Change> changes[] = {
      {"no lanes", [](BuiltKernel& k) { k.limits.subGroupSize = 0; }}, // would be divided by
      {"three lanes", [](BuiltKernel& k) { k.limits.subGroupSize = 3; }},
      {"many lanes", [](BuiltKernel& k) { k.limits.subGroupSize = 1 << 16; }},
      {"values of many arguments", [](BuiltKernel& k) { k.limits.wantedValues = 31; }},
      {"required sub-group size", [](BuiltKernel& k) { k.info.requiredSubGroupSize = 7; }},
      {"half of a required size", [](BuiltKernel& k) { k.info.requiredLocalSize[1] = 4; }},
      {"half of a largest size", [](BuiltKernel& k) { k.info.largestLocalSize[1] = 4; }},
      {"four dimensions", [](BuiltKernel& k) { k.info.mostDimensions = 4; }},
      {"local memory", [](BuiltKernel& k) { k.limits.localBytes = kHuge; }},
      {"private memory", [](BuiltKernel& k) { k.limits.privateBytes = kHuge; }},
      {"parts along a fourth dimension",
       [](BuiltKernel& k) { k.footprint.partArguments = {{PartArgument::Kind::NumGroups, 3}}; }},
      {"many part arguments", [](BuiltKernel& k) { k.footprint.partArguments.resize(13); }},
  };
  for (const auto& [what, change] : changes)
    EXPECT_EQ(statusOfKernel(change), CL_INVALID_BINARY) << what;
}

TEST_F(BinaryTest, ImpossibleFactsOfCpusAreRefused) {
  CLOTHO_NEEDS(isCpu() && hasMachineCode());
  constexpr auto kHuge = std::numeric_limits<std::uint64_t>::max();
  const std::pair<const char*, std::function<void(BuiltKernel&)>> changes[] = {
      {"outputs that are no arguments", ofFacts([](cpu::CpuKernelFacts& f) { f.outputs = 2; })},
      {"changes of what is no argument", ofFacts([](cpu::CpuKernelFacts& f) { f.changed = std::uint64_t{1} << 63; })},
      {"context array", ofFacts([](cpu::CpuKernelFacts& f) { f.frameBytesPerItem = kHuge / 64; })},
      {"interleaved state", ofFacts([](cpu::CpuKernelFacts& f) { f.interleavedState = kHuge; })},
      {"stacks", ofFacts([](cpu::CpuKernelFacts& f) { f.subGroupStackBytes = kHuge; })},
      {"no rows", ofFacts([](cpu::CpuKernelFacts& f) { f.rowsAtOnce = 0; })}, // would be divided by
      {"a fourth dimension", ofFacts([](cpu::CpuKernelFacts& f) { f.laneDimension = 3; })},
      {"many rows", ofFacts([](cpu::CpuKernelFacts& f) { f.rowsAtOnce = 1 << 16; })},
      {"merged rows", ofFacts([](cpu::CpuKernelFacts& f) { f.mergedRow = std::numeric_limits<std::uint32_t>::max(); })},
      {"half of a size", ofFacts([](cpu::CpuKernelFacts& f) { f.directSize[0] = 16; })},
  };
  for (const auto& [what, change] : changes)
    EXPECT_EQ(statusOfKernel(change), CL_INVALID_BINARY) << what;
}

TEST_F(BinaryTest, FactsThatCannotBeReadAreRefused) {
  CLOTHO_NEEDS(hasMachineCode());
  EXPECT_EQ(statusOfKernel([](BuiltKernel& k) { k.facts.clear(); }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOfKernel([](BuiltKernel& k) { k.facts.pop_back(); }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOfKernel([](BuiltKernel& k) { k.facts += '\0'; }), CL_INVALID_BINARY);
}

TEST_F(BinaryTest, ImpossibleKernelsAreRefused) {
  CLOTHO_NEEDS(hasMachineCode());
  EXPECT_EQ(statusOfKernel([](BuiltKernel& k) { k.info.name.clear(); }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOfKernel([](BuiltKernel& k) { k.info.name = "other"; }), CL_INVALID_BINARY);
  // The dynamic linker would find these, too.
  EXPECT_EQ(statusOfKernel(ofSymbol([](std::string& symbol) { symbol = "system"; })), CL_INVALID_BINARY);
  EXPECT_EQ(statusOfKernel(ofSymbol([](std::string& symbol) { symbol += "2"; })), CL_INVALID_BINARY);
  EXPECT_EQ(statusOf([](BuildResult& r) { r.kernels.push_back(r.kernels[0]); }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOf([](BuildResult& r) { r.status = BuildStatus::Failure; }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOf([](BuildResult& r) { r.object = "#!/bin/sh"; }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOf([](BuildResult& r) { r.printfFormats.at(0).argSizes.at(0) = 1 << 30; }), CL_INVALID_BINARY);
  EXPECT_EQ(statusOf([](BuildResult& r) { r.object = r.portable = ""; }), CL_INVALID_BINARY);
}

// A device and its parts run one copy of the code if they have the same binary. What is said of equal code may differ:
// here a format of printf.
TEST_F(BinaryTest, EqualCodeOfWhichOtherThingsAreSaidIsAnother) {
  CLOTHO_NEEDS(hasSubDevices());
  const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
                                              0};
  cl_device_id devices[] = {device_, nullptr};
  ASSERT_EQ(clCreateSubDevices(device_, one, 1, devices + 1, nullptr), CL_SUCCESS);
  const std::unique_ptr<_cl_device_id, cl_int (*)(cl_device_id)> part(devices[1], clReleaseDevice);
  cl_int status = 1;
  Owned<cl_context> context = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const std::vector<unsigned char> changed =
      forged(bytes_, [](BuildResult& result) { result.printfFormats.at(0).format = "changed %d"; });
  const unsigned char* pointers[] = {bytes_.data(), changed.data()};
  const size_t sizes[] = {bytes_.size(), changed.size()};
  Owned<cl_program> program = clCreateProgramWithBinary(context, 2, devices, sizes, pointers, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel = clCreateKernel(program, "other", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> buffer = clCreateBuffer(context, 0, sizeof(cl_int), nullptr, &status);
  cl_mem raw = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  testing::internal::CaptureStdout();
  for (cl_device_id device : devices) {
    Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context, device, nullptr, &status);
    clEnqueueTask(queue, kernel, 0, nullptr, nullptr);
    clFinish(queue);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1changed 1");
}

} // namespace
} // namespace clotho::test
