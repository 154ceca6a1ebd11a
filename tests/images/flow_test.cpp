// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images in branches, loops, helper functions and work-groups, and from one kernel to the next. All numbers are
// integers, so results are exact at every width.
#include "images.hpp"

#include <algorithm>
#include <random>

namespace clotho::test {

namespace {

using Texel = std::array<cl_uint, 4>;

/// A picture of RGBA numbers of 32 bits.
struct Numbers {
  int width, height;
  std::vector<Texel> texels;
  Numbers(int width, int height, unsigned seed) : width(width), height(height), texels(width * height) {
    std::mt19937 random(seed);
    for (Texel& texel : texels)
      for (cl_uint& number : texel)
        number = static_cast<cl_uint>(random());
  }
  bool inside(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height; }
  Texel& at(int x, int y) { return texels[y * width + x]; }
  Texel clamped(int x, int y) const { return inside(x, y) ? texels[y * width + x] : Texel{}; }
  Texel edge(int x, int y) const { return texels[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)]; }
};

} // namespace

class FlowTest : public Images {
 protected:
  DeviceImage imageOf(const Numbers& numbers) {
    Picture picture(Shape::Image2D, {CL_RGBA, CL_UNSIGNED_INT32},
                    {static_cast<std::size_t>(numbers.width), static_cast<std::size_t>(numbers.height), 1});
    std::memcpy(picture.levels[0].texels.data(), numbers.texels.data(), picture.levels[0].texels.size());
    return makeImage(picture);
  }
  std::vector<Texel> texelsOf(const DeviceImage& image, const Numbers& like) {
    std::vector<Texel> texels(like.texels.size());
    const std::size_t origin[3] = {0, 0, 0};
    const std::size_t region[3] = {static_cast<std::size_t>(like.width), static_cast<std::size_t>(like.height), 1};
    EXPECT_EQ(
        clEnqueueReadImage(queue_, image.image, CL_TRUE, origin, region, 0, 0, texels.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    return texels;
  }
  Owned<cl_kernel> flow(const std::string& name) { return kernel("flow.cl", "", name); }
  static std::vector<std::size_t> sizeOf(const Numbers& numbers) {
    return {static_cast<std::size_t>(numbers.width), static_cast<std::size_t>(numbers.height)};
  }
};

TEST_F(FlowTest, WorkItemsTakeDifferentBranches) {
  const Numbers numbers(37, 23, 1);
  DeviceImage image = imageOf(numbers);
  SamplerObject sampler(context_, {false, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST});
  std::mt19937 random(2);
  std::vector<std::array<cl_int, 2>> at(1000);
  for (auto& c : at) {
    c = {static_cast<cl_int>(random() % 37), static_cast<cl_int>(random() % 23)};
    if (random() % 3 == 0) c[random() % 2] = static_cast<cl_int>(random()); // nearly always far away
  }
  Owned<cl_mem> out = makeBuffer(at.size() * 4);
  for (std::size_t local : {0, 1, 50, 1000}) {
    run(flow("branches"), {at.size()}, local, image.image, static_cast<cl_sampler>(sampler), bufferOf(at), out);
    auto got = contentOf<cl_uint>(out, at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto [x, y] = at[i];
      cl_uint want = 7; // the border's alpha is 0
      if (numbers.inside(x, y)) {
        const Texel texel = numbers.clamped(x, y);
        want = (x + y) % 3 == 0 ? texel[0] : (x + y) % 3 == 1 ? 3 * texel[1] : 5 * texel[2];
      }
      ASSERT_EQ(got[i], want) << "(" << x << ", " << y << "), local size " << local;
    }
  }
}

TEST_F(FlowTest, LoopsGoWhereTexelsSay) {
  const Numbers numbers(29, 17, 3);
  DeviceImage image = imageOf(numbers);
  constexpr int kSteps = 40;
  const std::size_t count = 999;
  Owned<cl_mem> out = makeBuffer(count * 4);
  run(flow("chase"), {count}, 0, image.image, cl_int{kSteps}, out);
  auto got = contentOf<cl_uint>(out, count);
  for (std::size_t i = 0; i < count; ++i) {
    int x = static_cast<int>(i % 29), y = static_cast<int>(i / 29 % 17);
    cl_uint sum = 0;
    for (std::size_t k = 0; k < i % kSteps; ++k) {
      const Texel texel = numbers.clamped(x, y);
      sum = sum * 31 + texel[0];
      if (texel[1] % 7 == 0) break;
      x = static_cast<int>(texel[2] % 31) - 1;
      y = static_cast<int>(texel[3] % 19) - 1;
    }
    ASSERT_EQ(got[i], sum) << i;
  }
}

TEST_F(FlowTest, FunctionsTakeImagesAndSamplers) {
  const Numbers a(32, 20, 4), b(15, 40, 5);
  DeviceImage first = imageOf(a), second = imageOf(b), to = imageOf(Numbers(32, 20, 6));
  auto sum = [](auto read, int x, int y) {
    Texel all = read(x, y);
    for (int k = 0; k < 4; ++k) {
      const Texel one = read(x + (k - 1) % 2, y + (2 - k) % 2);
      for (int c = 0; c < 4; ++c)
        all[c] += one[c];
    }
    return all[0] + 2 * all[1] + 3 * all[2] + 4 * all[3];
  };
  for (cl_addressing_mode mode : {CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE}) {
    SamplerObject sampler(context_, {false, mode, CL_FILTER_NEAREST});
    run(flow("helpers"), sizeOf(a), mode == CL_ADDRESS_CLAMP ? 0 : 8, first.image, second.image,
        static_cast<cl_sampler>(sampler), to.image);
    const std::vector<Texel> got = texelsOf(to, a);
    for (int y = 0; y < a.height; ++y)
      for (int x = 0; x < a.width; ++x) {
        auto bySampler = [&](int u, int v) { return mode == CL_ADDRESS_CLAMP ? a.clamped(u, v) : a.edge(u, v); };
        const cl_uint one = sum(bySampler, x, y), two = sum([&](int u, int v) { return b.edge(u, v); }, x, y);
        const cl_uint three = sum([&](int u, int v) { return a.clamped(u, v); }, y, x);
        const cl_uint value = x % 2 ? one ^ two : two + three;
        ASSERT_EQ(got[y * a.width + x], (Texel{value, value + 1, value ^ 0xff, ~value})) << x << ", " << y;
      }
  }
}

TEST_F(FlowTest, TilesPassThroughLocalMemory) {
  const Numbers numbers(48, 24, 7);
  DeviceImage image = imageOf(numbers), to = imageOf(numbers);
  constexpr int kRounds = 5;
  for (std::array<std::size_t, 2> local : {std::array<std::size_t, 2>{8, 4}, {48, 1}, {1, 24}, {16, 8}}) {
    Owned<cl_kernel> made = flow("tiles");
    setArgument(made, 0, image.image);
    setArgument(made, 1, to.image);
    setArgument(made, 2, cl_int{kRounds});
    ASSERT_EQ(clSetKernelArg(made, 3, local[0] * local[1] * 4, nullptr), CL_SUCCESS);
    const std::size_t global[2] = {48, 24};
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, made, 2, nullptr, global, local.data(), 0, nullptr, nullptr), CL_SUCCESS);
    const std::vector<Texel> got = texelsOf(to, numbers);
    const int lw = static_cast<int>(local[0]), n = static_cast<int>(local[0] * local[1]);
    for (int y = 0; y < 24; ++y)
      for (int x = 0; x < 48; ++x) {
        const int lh = static_cast<int>(local[1]), next = (y % lh * lw + x % lw + 1) % n;
        const int nx = x / lw * lw + next % lw, ny = y / lh * lh + next / lw;
        cl_uint sum = 0;
        for (int k = 0; k < kRounds; ++k)
          sum += numbers.edge(nx + k, ny - k)[0] * (k + 1);
        ASSERT_EQ(got[y * 48 + x], (Texel{sum, static_cast<cl_uint>(n), 0, 0})) << x << ", " << y << " by " << lw;
      }
  }
}

TEST_F(FlowTest, WorkItemsReadWhatOthersWroteBeforeTheBarrier) {
  constexpr int kRounds = 4;
  for (std::array<int, 2> local : {std::array<int, 2>{8, 4}, {32, 1}, {4, 16}}) {
    Numbers numbers(32, 16, 8);
    DeviceImage image = imageOf(numbers);
    Owned<cl_kernel> made = flow("exchange");
    setArgument(made, 0, image.image);
    setArgument(made, 1, cl_int{kRounds});
    const std::size_t global[2] = {32, 16};
    const std::size_t locals[2] = {static_cast<std::size_t>(local[0]), static_cast<std::size_t>(local[1])};
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, made, 2, nullptr, global, locals, 0, nullptr, nullptr), CL_SUCCESS);
    for (int k = 0; k < kRounds; ++k) {
      Numbers before = numbers;
      for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 32; ++x) {
          const int ox = x / local[0] * local[0], oy = y / local[1] * local[1];
          const Texel theirs = before.at(ox + (x - ox + 1) % local[0], oy + (y - oy + k) % local[1]);
          const cl_uint round = k;
          numbers.at(x, y) = {theirs[0] * 3 + round, theirs[1] * 3 + 1, theirs[2] * 3 + 2, theirs[3] * 3 + 3};
        }
    }
    EXPECT_EQ(texelsOf(image, numbers), numbers.texels) << "work-groups of " << local[0] << " by " << local[1];
  }
}

TEST_F(FlowTest, SomeWorkItemsWrite) {
  Numbers numbers(41, 19, 9);
  DeviceImage image = imageOf(numbers);
  std::mt19937 random(10);
  std::vector<cl_uint> values(numbers.texels.size());
  for (cl_uint& value : values)
    value = static_cast<cl_uint>(random());
  run(flow("some_write"), sizeOf(numbers), 0, image.image, bufferOf(values));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (cl_uint times = values[i] % 4) numbers.texels[i] = {values[i] + times - 1, times - 1, values[i], 9};
  EXPECT_EQ(texelsOf(image, numbers), numbers.texels);
}

TEST_F(FlowTest, KernelsHandImagesOn) {
  Numbers numbers(64, 33, 11);
  DeviceImage images[2] = {imageOf(numbers), imageOf(numbers)};
  Owned<cl_kernel> made = flow("step_on");
  constexpr int kSteps = 7;
  for (int k = 0; k < kSteps; ++k) {
    run(made, sizeOf(numbers), 0, images[k % 2].image, images[(k + 1) % 2].image);
    const Numbers before = numbers;
    for (int y = 0; y < numbers.height; ++y)
      for (int x = 0; x < numbers.width; ++x)
        for (int c = 0; c < 4; ++c)
          numbers.at(x, y)[c] = 2 * before.edge(x, y)[c] + before.edge(x + 1, y)[c] + before.edge(x - 1, y)[c] +
                                before.edge(x, y + 1)[c] + before.edge(x, y - 1)[c];
  }
  EXPECT_EQ(texelsOf(images[kSteps % 2], numbers), numbers.texels);
}

TEST_F(FlowTest, OneWorkItemReadsAllAndAllReadOne) {
  const Numbers numbers(19, 11, 12);
  DeviceImage image = imageOf(numbers);
  Owned<cl_mem> out = makeBuffer(70 * 4);
  run(flow("alone"), {70}, 0, image.image, out);
  cl_uint sum = 0;
  for (const Texel& texel : numbers.texels)
    sum = sum * 5 + texel[0];
  EXPECT_EQ(contentOf<cl_uint>(out, 70), std::vector<cl_uint>(70, sum + numbers.clamped(1, 2)[1]));
}

/// As many images and samplers as the device says, in one kernel (OpenCL 4.2, CL_DEVICE_MAX_READ_IMAGE_ARGS and so on).
TEST_F(FlowTest, KernelsTakeAsManyImagesAsTheDeviceSays) {
  auto value = [&](cl_device_info name) { return valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, name)); };
  const cl_uint reads = std::min(value(CL_DEVICE_MAX_READ_IMAGE_ARGS), 128U);
  const cl_uint writes = std::min(value(CL_DEVICE_MAX_WRITE_IMAGE_ARGS), 64U);
  const cl_uint samplers = std::min(value(CL_DEVICE_MAX_SAMPLERS), 16U);
  std::string parameters, body;
  for (cl_uint i = 0; i < reads; ++i)
    parameters += "read_only image2d_t r" + std::to_string(i) + ", ";
  for (cl_uint i = 0; i < samplers; ++i)
    parameters += "sampler_t s" + std::to_string(i) + ", ";
  for (cl_uint i = 0; i < reads; ++i)
    body += "  sum = sum * 3 + read_imageui(r" + std::to_string(i) + ", s" + std::to_string(i % samplers) + ", c);\n";
  const std::string head = "const int2 c = (int2)(get_global_id(0), 0); uint4 sum = 0;\n";
  const std::string readAll =
      "kernel void all_in(" + parameters + "global uint4* out) {\n" + head + body + "out[get_global_id(0)] = sum; }\n";
  std::string writeParameters, writeBody;
  for (cl_uint i = 0; i < writes; ++i) {
    writeParameters += (i ? ", " : "") + ("write_only image2d_t w" + std::to_string(i));
    writeBody += "  write_imageui(w" + std::to_string(i) + ", c, (uint4)(" + std::to_string(i) + " * 1000 + c.x));\n";
  }
  const std::string writeAll = "kernel void all_out(" + writeParameters +
                               ") { const int2 c = (int2)(get_global_id(0), 0);\n" + writeBody + "}\n";
  Owned<cl_program> built = buildProgram((readAll + writeAll).c_str(), "-cl-std=CL3.0");
  cl_int status = 1;
  Owned<cl_kernel> in = clCreateKernel(built, "all_in", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_kernel> all = clCreateKernel(built, "all_out", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  constexpr std::size_t kWidth = 20;
  std::vector<DeviceImage> images;
  std::vector<Numbers> numbers;
  SamplerObject edge(context_, {false, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST});
  SamplerObject clamp(context_, {false, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST});
  for (cl_uint i = 0; i < reads; ++i) {
    numbers.emplace_back(kWidth - i % 2, 1, i); // every other one is too narrow by one
    images.push_back(imageOf(numbers.back()));
    setArgument(in, i, images.back().image);
  }
  for (cl_uint i = 0; i < samplers; ++i)
    setArgument(in, reads + i, static_cast<cl_sampler>(i % 3 ? edge : clamp));
  Owned<cl_mem> out = makeBuffer(kWidth * sizeof(Texel));
  setArgument(in, reads + samplers, out);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, in, 1, nullptr, &kWidth, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  std::vector<Texel> want(kWidth);
  for (std::size_t x = 0; x < kWidth; ++x)
    for (cl_uint i = 0; i < reads; ++i) {
      const int at = static_cast<int>(x);
      const Texel texel = i % samplers % 3 ? numbers[i].edge(at, 0) : numbers[i].clamped(at, 0);
      for (int c = 0; c < 4; ++c)
        want[x][c] = want[x][c] * 3 + texel[c];
    }
  EXPECT_EQ(contentOf<Texel>(out, kWidth), want);
  for (cl_uint i = 0; i < writes; ++i)
    setArgument(all, i, images[2 * i % reads].image); // the wide ones
  if (2 * writes > reads) return;                     // there would be one twice
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, all, 1, nullptr, &kWidth, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  for (cl_uint i = 0; i < writes; ++i) {
    Numbers written = numbers[2 * i];
    for (cl_uint x = 0; x < kWidth; ++x)
      written.texels[x].fill(i * 1000 + x);
    ASSERT_EQ(texelsOf(images[2 * i], written), written.texels) << "image " << i;
  }
}

} // namespace clotho::test
