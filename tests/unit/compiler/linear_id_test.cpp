// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/linear_id.hpp"

#include "parsed_function.hpp"

#include <gtest/gtest.h>

namespace clotho::compiler {
namespace {

TEST(LinearId, IsFoundInAllItsForms) {
  Parsed f(R"(
  declare i64 @clotho.local_id(i32)
  declare i64 @clotho.group_id(i32)
  declare i64 @clotho.local_size(i32)
  define void @f(i64 %n) {
    %x = call i64 @clotho.local_id(i32 0)
    %y = call i64 @clotho.local_id(i32 1)
    %group = call i64 @clotho.group_id(i32 0)
    %size = call i64 @clotho.local_size(i32 0)
    %rows = shl i64 %y, 4
    %disjoint = or disjoint i64 %rows, %x
    %row = mul i64 %size, %y
    %linear = add i64 %x, %row
    %x.int = trunc i64 %x to i32
    %group.int = trunc i64 %group to i32
    %begin = mul i32 %group.int, 24
    %global = add i32 %begin, %x.int
    %next = add i32 %global, 1
    %narrow = trunc i64 %disjoint to i32
    %extended = zext i32 %x.int to i64
    %sum = add i64 %rows, %extended
    %other = add i64 %rows, %n
    ret void
  })");
  for (const char* name : {"disjoint", "narrow"}) {
    const auto id = matchLinearId(f[name]);
    ASSERT_TRUE(id) << name;
    EXPECT_EQ(id->high.intrinsic, Intrinsic::LocalId);
    EXPECT_EQ(id->high.dimension, 1u);
    EXPECT_EQ(id->low.dimension, 0u);
    EXPECT_EQ(id->size, 16u);
    EXPECT_FALSE(id->sizeDimension);
  }
  EXPECT_EQ(matchLinearId(f["linear"])->sizeDimension, 0u);
  EXPECT_EQ(matchLinearId(f["global"])->high.intrinsic, Intrinsic::GroupId);
  EXPECT_EQ(matchLinearId(f["global"])->size, 24u);
  for (const char* name : {"rows", "next", "sum", "other", "n"}) // the sum of 64 bits may differ from that of 32
    EXPECT_FALSE(matchLinearId(f[name])) << name;
}

} // namespace
} // namespace clotho::compiler
