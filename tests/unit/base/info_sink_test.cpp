// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/info_sink.hpp"

#include <gtest/gtest.h>

#include <array>

namespace clotho {

namespace {

TEST(InfoSink, WritesValueAndSize) {
  cl_uint value = 0;
  size_t size = 0;
  InfoSink(sizeof value, &value, &size).put<cl_uint>(42);
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(size, sizeof(cl_uint));
}

TEST(InfoSink, NullValueAsksForTheSizeAlone) {
  size_t size = 0;
  InfoSink(0, nullptr, &size).put<cl_ulong>(1);
  EXPECT_EQ(size, sizeof(cl_ulong));
  InfoSink(0, nullptr, nullptr).put<cl_ulong>(1);
}

TEST(InfoSink, TooSmallIsAnErrorThatTouchesNothing) {
  std::array<unsigned char, 8> bytes;
  bytes.fill(0x77);
  size_t size = 99;
  auto code = [&](auto&& ask) {
    try {
      ask(InfoSink(3, bytes.data(), &size));
      return CL_SUCCESS;
    } catch (const Error& error) {
      return error.code;
    }
  };
  EXPECT_EQ(code([](InfoSink sink) { sink.put<cl_uint>(1); }), CL_INVALID_VALUE);
  EXPECT_EQ(code([](InfoSink sink) { sink.text("abc"); }), CL_INVALID_VALUE) << "the terminator counts";
  EXPECT_EQ(size, 99u);
  for (unsigned char byte : bytes)
    EXPECT_EQ(byte, 0x77);
  EXPECT_EQ(code([](InfoSink sink) { sink.text("ab"); }), CL_SUCCESS);
  EXPECT_EQ(size, 3u);
  EXPECT_STREQ(reinterpret_cast<char*>(bytes.data()), "ab");
}

TEST(InfoSink, Lists) {
  std::array<cl_uint, 3> in{1, 2, 3}, out{};
  size_t size = 0;
  InfoSink(sizeof out, out.data(), &size).list<cl_uint>(in);
  EXPECT_EQ(out, in);
  EXPECT_EQ(size, sizeof in);
  InfoSink(0, nullptr, &size).list<cl_uint>({});
  EXPECT_EQ(size, 0u);
}

} // namespace

} // namespace clotho
