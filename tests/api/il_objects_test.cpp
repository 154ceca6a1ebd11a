// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images, pipes and queues of the device in SPIR-V: what OpenCL C cannot say.
#include "il_programs.hpp"
#include "images.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace clotho::test {

namespace {

class IlObjectsTest : public IlApi {
 protected:
  void SetUp() override {
    IlApi::SetUp();
    if (IsSkipped()) return;
    CLOTHO_NEEDS(hasDeviceQueues());
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE_DEFAULT,
        0};
    cl_int status = 1;
    onDevice_ = Owned<cl_command_queue>(clCreateCommandQueueWithProperties(context_, device_, properties, &status));
    ASSERT_EQ(status, CL_SUCCESS);
  }
  void TearDown() override {
    onDevice_ = {};
    IlApi::TearDown();
  }

  /// A program of a module in tests/spirv.
  Owned<cl_program> build(const char* name, const std::string& options = "") {
    Owned<cl_program> program = makeIlProgram(module(name));
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, options.c_str(), nullptr, nullptr), CL_SUCCESS) << buildLog(program);
    return program;
  }
  /// At each width.
  static void forEachWidth(const std::function<void(const std::string& options)>& test) {
    for (const char* width : {"1", "4", "8", "16"}) {
      SCOPED_TRACE(std::string("width ") + width);
      test(std::string("-clotho-width=") + width);
    }
  }
  /// `local`: work-items of a work-group, 0 for the driver's choice.
  void launch(cl_program program, const char* name, const std::vector<cl_mem>& arguments, size_t items = 1,
              size_t local = 0) {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    for (cl_uint i = 0; i < arguments.size(); ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS) << i;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, local == 0 ? nullptr : &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  template <class T> std::vector<T> read(cl_mem buffer, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * sizeof(T), values.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }
  Owned<cl_mem> makeZeros(size_t bytes) {
    Owned<cl_mem> buffer = makeBuffer(bytes);
    const cl_int zero = 0;
    EXPECT_EQ(clEnqueueFillBuffer(queue_, buffer, &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr), CL_SUCCESS);
    return buffer;
  }
  /// What a kernel with one buffer of so many zeros leaves in it.
  std::vector<cl_uint> run(cl_program program, const char* name, size_t words, size_t items = 1) {
    Owned<cl_mem> buffer = makeZeros(words * sizeof(cl_uint));
    launch(program, name, {buffer}, items);
    return read<cl_uint>(buffer, words);
  }
  Owned<cl_mem> makeImage(const ImageSpec& spec) {
    const cl_image_desc desc = describe(spec);
    cl_int status = 1;
    Owned<cl_mem> image = clCreateImage(context_, CL_MEM_READ_WRITE, &spec.format, &desc, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return image;
  }
  /// Each of its levels has the same number in all texels: ten for each layer, and one for each level.
  Owned<cl_mem> makeMipmap(const ImageSpec& spec) {
    Owned<cl_mem> image = makeImage(spec);
    for (cl_uint level = 0; level < spec.levels; ++level) {
      const Triple size = extentOf(spec, level);
      const size_t layer = spec.type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? size[0] * size[1] : volume(size);
      std::vector<float> numbers(volume(size));
      for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(10 * (i / layer) + level);
      Origin origin{};
      origin[dimensionsOf(spec.type)] = level;
      EXPECT_EQ(clEnqueueWriteImage(queue_, image, CL_TRUE, origin.data(), size.data(), 0, 0, numbers.data(), 0,
                                    nullptr, nullptr),
                CL_SUCCESS);
    }
    return image;
  }

  Owned<cl_command_queue> onDevice_;
};

using Texel = std::array<cl_uint, 4>;

TEST_F(IlObjectsTest, IntegersAreReadAsTheFormatHasThem) {
  Owned<cl_program> program = build("texels");
  for (const cl_channel_type type : {CL_SIGNED_INT8, CL_UNSIGNED_INT8}) {
    SCOPED_TRACE(type);
    const ImageSpec spec{.format = {CL_RGBA, type}, .size = {1, 1, 1}};
    Owned<cl_mem> image = makeImage(spec);
    const Origin origin{};
    const cl_uchar bytes[] = {0xfb, 5, 0x80, 0x7f};
    ASSERT_EQ(
        clEnqueueWriteImage(queue_, image, CL_TRUE, origin.data(), spec.size.data(), 0, 0, bytes, 0, nullptr, nullptr),
        CL_SUCCESS);
    Owned<cl_mem> out = makeZeros(7 * sizeof(Texel));
    launch(program, "integers", {image, out});
    const std::vector<Texel> texels = read<Texel>(out, 7);
    const Texel isSigned = {0xfffffffb, 5, 0xffffff80, 0x7f}, isUnsigned = {0xfb, 5, 0x80, 0x7f};
    const Texel& asFormat = type == CL_SIGNED_INT8 ? isSigned : isUnsigned;
    EXPECT_EQ(texels, (std::vector<Texel>{asFormat, isSigned, isUnsigned, asFormat, isSigned, isUnsigned, asFormat}));
  }
}

TEST_F(IlObjectsTest, SubGroupsReadAndWriteRows) {
  const ImageSpec spec{.format = {CL_R, CL_UNSIGNED_INT32}, .size = {64, 4, 1}};
  std::vector<cl_uint> texels(64 * 4);
  for (cl_uint i = 0; i < texels.size(); ++i)
    texels[i] = 1000 + i;
  forEachWidth([&](const std::string& options) {
    // Sub-groups are as wide as vectors here: two rows from texel 16 on, to texel 32; one row in its place.
    const size_t width = std::stoul(options.substr(options.find('=') + 1));
    std::vector<cl_uint> expected(64 * 4, 0);
    for (size_t i = 0; i < width; ++i) {
      expected[32 + i] = texels[64 + 16 + i] + 100;
      expected[64 + 32 + i] = texels[2 * 64 + 16 + i] + 200;
      expected[3 * 64 + 16 + i] = texels[3 * 64 + 16 + i];
    }
    Owned<cl_program> program = build("image_blocks", options);
    Owned<cl_mem> in = makeImage(spec), out = makeImage(spec);
    const Origin origin{};
    ASSERT_EQ(clEnqueueWriteImage(queue_, in, CL_TRUE, origin.data(), spec.size.data(), 0, 0, texels.data(), 0, nullptr,
                                  nullptr),
              CL_SUCCESS);
    const cl_uint4 none{};
    ASSERT_EQ(clEnqueueFillImage(queue_, out, &none, origin.data(), spec.size.data(), 0, nullptr, nullptr), CL_SUCCESS);
    launch(program, "blocks", {in, out}, 16, 16);
    std::vector<cl_uint> got(64 * 4);
    ASSERT_EQ(clEnqueueReadImage(queue_, out, CL_TRUE, origin.data(), spec.size.data(), 0, 0, got.data(), 0, nullptr,
                                 nullptr),
              CL_SUCCESS);
    EXPECT_EQ(got, expected);
  });
}

TEST_F(IlObjectsTest, IntegersAreWrittenAsTheFormatHasThem) {
  Owned<cl_program> program = build("texels");
  for (const cl_channel_type type : {CL_SIGNED_INT8, CL_UNSIGNED_INT8}) {
    SCOPED_TRACE(type);
    const ImageSpec spec{.format = {CL_RGBA, type}, .size = {3, 1, 1}};
    Owned<cl_mem> image = makeImage(spec);
    launch(program, "store", {image});
    using Bytes = std::array<cl_uchar, 4>;
    std::array<Bytes, 3> texels{};
    const Origin origin{};
    ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin.data(), spec.size.data(), 0, 0, texels.data(), 0,
                                 nullptr, nullptr),
              CL_SUCCESS);
    // -5, 300, 7 and 300, or 4294967291 first.
    const Bytes isSigned = {0xfb, 127, 7, 127}, isUnsigned = {255, 255, 7, 255};
    EXPECT_EQ(texels[0], type == CL_SIGNED_INT8 ? isSigned : isUnsigned);
    EXPECT_EQ(texels[type == CL_SIGNED_INT8 ? 1 : 2], texels[0]);
  }
}

TEST_F(IlObjectsTest, LevelsAreWritten) {
  Owned<cl_program> program = build("texels");
  const ImageSpec spec{.format = {CL_RGBA, CL_SIGNED_INT32}, .size = {4, 4, 1}, .levels = 3};
  Owned<cl_mem> image = makeImage(spec);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "store_level", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_mem raw = image;
  const cl_uint two = 2;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof two, &two), CL_SUCCESS);
  const size_t one = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  const std::pair<Origin, Texel> expected[] = {{{0, 0, 2}, {0xfffffffb, 300, 7, 300}},
                                               {{1, 0, 0}, {0xfffffffb, 300, 7, 300}}}; // of 32 bits, all fit
  for (const auto& [origin, written] : expected) {
    Texel texel{};
    const Triple region{1, 1, 1};
    ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin.data(), region.data(), 0, 0, texel.data(), 0, nullptr,
                                 nullptr),
              CL_SUCCESS);
    EXPECT_EQ(texel, written) << origin[2];
  }
}

TEST_F(IlObjectsTest, LevelsAndGradients) {
  Owned<cl_program> program = build("texels");
  const cl_image_format format{CL_R, CL_FLOAT};
  Owned<cl_mem> plane = makeMipmap({.format = format, .size = {8, 8, 1}, .levels = 4});
  Owned<cl_mem> layers =
      makeMipmap({.type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .format = format, .size = {8, 8, 3}, .levels = 4});
  Owned<cl_mem> volume = makeMipmap({.type = CL_MEM_OBJECT_IMAGE3D, .format = format, .size = {8, 8, 8}, .levels = 4});
  Owned<cl_mem> out = makeZeros(5 * sizeof(cl_float4));
  launch(program, "levels", {plane, layers, out});
  std::vector<cl_float4> texels = read<cl_float4>(out, 5);
  EXPECT_EQ(texels[0].s[0], 0);
  EXPECT_EQ(texels[1].s[0], 1);
  EXPECT_EQ(texels[2].s[0], 2); // four texels apart
  EXPECT_EQ(texels[3].s[0], 11);
  EXPECT_EQ(texels[4].s[0], 12);
  launch(program, "levels_3d", {volume, out});
  texels = read<cl_float4>(out, 2);
  EXPECT_EQ(texels[0].s[0], 1);
  EXPECT_EQ(texels[1].s[0], 2);

  Owned<cl_mem> halves = makeZeros(2 * sizeof(cl_ushort) * 4);
  launch(program, "halves", {plane, halves});
  const std::vector<cl_ushort> bits = read<cl_ushort>(halves, 8);
  EXPECT_EQ(bits, (std::vector<cl_ushort>{0, 0, 0, 0x3c00, 0x3c00, 0, 0, 0x3c00}));
}

TEST_F(IlObjectsTest, DepthsAsVectors) {
  Owned<cl_program> program = build("texels");
  const ImageSpec spec{.format = {CL_DEPTH, CL_FLOAT}, .size = {2, 1, 1}};
  Owned<cl_mem> image = makeImage(spec);
  const Origin origin{};
  const float depths[] = {0.25F, 0.75F};
  ASSERT_EQ(
      clEnqueueWriteImage(queue_, image, CL_TRUE, origin.data(), spec.size.data(), 0, 0, depths, 0, nullptr, nullptr),
      CL_SUCCESS);
  Owned<cl_mem> out = makeZeros(2 * sizeof(cl_float4));
  launch(program, "depths", {image, out});
  const std::vector<cl_float4> texels = read<cl_float4>(out, 2);
  EXPECT_EQ(texels[0].s[0], 0.75F); // the middle of two texels is in the second
  EXPECT_EQ(texels[1].s[0], 0.75F);
}

TEST_F(IlObjectsTest, QueriesOfImages) {
  Owned<cl_program> program = build("texels");
  Owned<cl_mem> image = makeImage(
      {.type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .format = {CL_RGBA, CL_UNSIGNED_INT8}, .size = {13, 3, 5}, .levels = 3});
  Owned<cl_mem> out = makeZeros(9 * sizeof(cl_uint));
  launch(program, "queries", {image, out});
  // Numbers of formats and orders count from CL_SNORM_INT8 and CL_R on.
  EXPECT_EQ(read<cl_uint>(out, 9),
            (std::vector<cl_uint>{13, 3, 5, 3, 1, 5, CL_UNSIGNED_INT8 - CL_SNORM_INT8, CL_RGBA - CL_R, 3}));
}

TEST_F(IlObjectsTest, OffsetsAreRefused) {
  Owned<cl_program> program = makeIlProgram(module("texel_offset"));
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(buildLog(program).find("image operands"), std::string::npos) << buildLog(program);
}

TEST_F(IlObjectsTest, PipesOfTheProgram) {
  forEachWidth([&](const std::string& options) {
    Owned<cl_program> program = build("pipe_storage", options);
    EXPECT_EQ(run(program, "ask", 5), (std::vector<cl_uint>{0, 5, 0, 0, 0}));
    // Nine packets: the small pipe takes five of them.
    const std::vector<cl_uint> written = run(program, "write", 9, 9);
    EXPECT_EQ(std::ranges::count(written, 0u), 5);
    EXPECT_EQ(run(program, "ask", 5), (std::vector<cl_uint>{5, 5, 1, 0, 3}));
    // The pipe and what is in it stay from launch to launch.
    std::vector<cl_uint> packets = run(program, "read", 12, 12);
    std::ranges::sort(packets);
    EXPECT_EQ(packets, (std::vector<cl_uint>{0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 100, 100}));
    EXPECT_GT(valueAnswer<size_t>(
                  CLOTHO_INFO(clGetProgramBuildInfo, program, device_, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)),
              64u * 4 + 5u * 4);
  });
}

TEST_F(IlObjectsTest, PipesOfTheProgramInABinary) {
  Owned<cl_program> program = build("pipe_storage");
  Owned<cl_program> binary = throughBinary(program);
  ASSERT_EQ(clBuildProgram(binary, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(run(binary, "write", 3, 3), (std::vector<cl_uint>{0, 0, 0}));
  EXPECT_EQ(run(binary, "ask", 5), (std::vector<cl_uint>{3, 5, 1, 0, 1}));
  EXPECT_EQ(run(program, "ask", 5), (std::vector<cl_uint>{0, 5, 0, 0, 0}));
}

TEST_F(IlObjectsTest, EnqueuedFunctions) {
  forEachWidth([&](const std::string& options) {
    Owned<cl_program> program = build("enqueue", options);
    EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES)), "parent;ask;sub_groups");
    const std::vector<cl_uint> out = run(program, "parent", 64);
    std::vector<cl_uint> expected(64);
    for (cl_uint i = 0; i < 8; ++i) {
      expected[16 + i] = 1000 + i % 4; // a plane of four by two
      expected[32 + i] = 1000 + 7 - i; // what the neighbours have written into local memory
    }
    expected[48] = 7;
    EXPECT_EQ(out, expected);
  });
}

TEST_F(IlObjectsTest, EventsOfTheDevice) {
  Owned<cl_program> program = build("enqueue");
  EXPECT_EQ(run(program, "ask", 3), (std::vector<cl_uint>{1, 0, 0}));
}

TEST_F(IlObjectsTest, SubGroupsOfEnqueuedFunctions) {
  forEachWidth([&](const std::string& options) {
    Owned<cl_program> program = build("enqueue", options);
    const std::vector<cl_uint> out = run(program, "sub_groups", 7);
    const cl_uint width = out[0] / 2, most = out[4]; // of two sub-groups
    ASSERT_GE(width, 1u);
    EXPECT_EQ(out[1], (most + width - 1) / width);
    EXPECT_EQ(out[2], (16 + width - 1) / width);
    EXPECT_EQ(out[3], std::min(width, 16u));
    EXPECT_GE(most, 16u);
    EXPECT_GE(out[5], 1u);
    EXPECT_EQ(out[6], 0u);
  });
}

} // namespace

} // namespace clotho::test
