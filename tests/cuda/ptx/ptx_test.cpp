// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter of PTX, where meanings are subtle.
#include "module.hpp"
#include "thread.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace {

using Words = std::array<std::uint32_t, 128>;

struct Result {
  ptx::Fault fault;
  Words words{};
};

/// Runs a kernel of one block. %rd1 is the address of 128 words, %rd2 that of the thread's own, %r0 its number.
Result runBody(const std::string& body, unsigned threads = 1, const std::string& before = "") {
  const std::string text = ".version 7.8\n.target sm_90\n.address_size 64\n" + before +
                           ".visible .entry k(.param .b64 k_param_0)\n{\n"
                           ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n"
                           "ld.param.b64 %rd1, [k_param_0];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, 4;\n"
                           "add.s64 %rd2, %rd1, %rd2;\n" +
                           body + "\nret;\n}\n";
  Result result;
  const std::unique_ptr<ptx::Module> module = ptx::parse(text);
  ptx::Launch launch;
  launch.module = module.get();
  launch.kernel = module->functions.find("k")->second.get();
  launch.block = {threads, 1, 1};
  launch.sharedBytes = 1024;
  const std::uint32_t* words = result.words.data();
  launch.parameters.resize(sizeof words);
  std::memcpy(launch.parameters.data(), &words, sizeof words);
  result.fault = ptx::run(launch);
  return result;
}

/// The word that one instruction gives, whose target is %r9.
std::uint32_t valueOf(const std::string& instructions) {
  const Result result = runBody(instructions + "\nst.global.b32 [%rd1], %r9;");
  EXPECT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
  return result.words[0];
}

TEST(PtxIntegers, ShiftsBeyondTheWidthAreThoseByTheWidth) {
  EXPECT_EQ(valueOf("mov.b32 %r1, 0x80000001; shl.b32 %r9, %r1, 32;"), 0U);
  EXPECT_EQ(valueOf("mov.b32 %r1, 0x80000001; shr.s32 %r9, %r1, 99;"), 0xffff'ffffU);
  EXPECT_EQ(valueOf("mov.b32 %r1, 0x80000001; shr.u32 %r9, %r1, 33;"), 0U);
  EXPECT_EQ(valueOf("mov.b16 %rs1, 0x8000; shr.s16 %rs2, %rs1, 16; cvt.u32.u16 %r9, %rs2;"), 0xffffU);
  EXPECT_EQ(valueOf("mov.b32 %r1, 0x12345678; shf.l.wrap.b32 %r9, %r1, %r1, 36;"), 0x2345'6781U);
  EXPECT_EQ(valueOf("mov.b32 %r1, 1; mov.b32 %r2, 2; shf.l.clamp.b32 %r9, %r1, %r2, 40;"), 1U);
}

TEST(PtxIntegers, ArithmeticWraps) {
  EXPECT_EQ(valueOf("mov.b16 %rs1, 0xffff; mul.lo.s16 %rs2, %rs1, %rs1; cvt.u32.u16 %r9, %rs2;"), 1U);
  EXPECT_EQ(valueOf("mov.b16 %rs1, 0xffff; mul.wide.u16 %r9, %rs1, %rs1;"), 0xfffe'0001U);
  EXPECT_EQ(valueOf("mov.b32 %r1, 0x80000000; div.s32 %r9, %r1, -1;"), 0x8000'0000U);
  EXPECT_EQ(valueOf("mov.b32 %r1, -1; mul.hi.u32 %r9, %r1, %r1;"), 0xffff'fffeU);
  EXPECT_EQ(valueOf("mov.b32 %r1, 0x7fffffff; add.sat.s32 %r9, %r1, 1;"), 0x7fff'ffffU);
  EXPECT_EQ(valueOf("mov.b32 %r1, -1; add.cc.u32 %r2, %r1, 1; addc.u32 %r9, 5, 0;"), 6U);
}

TEST(PtxIntegers, FieldsEndAtTheWidth) {
  EXPECT_EQ(valueOf("mov.b32 %r1, 0xf0000000; bfe.u32 %r9, %r1, 28, 20;"), 0xfU);
  EXPECT_EQ(valueOf("mov.b32 %r1, 0xf0000000; bfe.s32 %r9, %r1, 28, 20;"), 0xffff'ffffU);
  EXPECT_EQ(valueOf("mov.b32 %r1, 0xf0000000; bfe.s32 %r9, %r1, 40, 3;"), 0xffff'ffffU);
  EXPECT_EQ(valueOf("mov.b32 %r1, 0xff; bfi.b32 %r9, %r1, 0, 28, 8;"), 0xf000'0000U);
}

TEST(PtxIntegers, PermutationsTakeBytesOrSigns) {
  EXPECT_EQ(valueOf("mov.b32 %r1, 0x33221100; mov.b32 %r2, 0x77665584; prmt.b32 %r9, %r1, %r2, 0x0c47;"), 0x00ff'8477U);
  EXPECT_EQ(valueOf("mov.b32 %r1, 0x33221100; prmt.b32.rc16 %r9, %r1, 0, 1;"), 0x3322'3322U);
}

TEST(PtxConversions, StayInTheRange) {
  EXPECT_EQ(valueOf("cvt.rzi.s32.f32 %r9, 0f4F800000;"), 0x7fff'ffffU);
  EXPECT_EQ(valueOf("cvt.rzi.u32.f32 %r9, 0fBF800000;"), 0U);
  EXPECT_EQ(valueOf("cvt.rzi.s32.f32 %r9, 0f7FC00000;"), 0U);
  EXPECT_EQ(valueOf("cvt.rzi.s16.f32 %rs1, 0f47C35000; cvt.u32.u16 %r9, %rs1;"), 0x7fffU);
  EXPECT_EQ(valueOf("cvt.sat.u8.s32 %r9, 300;"), 255U);
  EXPECT_EQ(valueOf("cvt.s8.s32 %r9, 0x1ff;"), 0xffff'ffffU);
  EXPECT_EQ(valueOf("cvt.rni.f32.f32 %r9, 0f40200000;"), 0x4000'0000U);              // 2.5 to even
  EXPECT_EQ(valueOf("cvt.rn.f16.f32 %rs1, 0f33800000; cvt.u32.u16 %r9, %rs1;"), 1U); // the least half
  EXPECT_EQ(valueOf("cvt.rn.f16.f32 %rs1, 0f33000000; cvt.u32.u16 %r9, %rs1;"), 0U); // half of it, to even
  EXPECT_EQ(valueOf("cvt.rz.f32.f64 %r9, 0d3FF0000010000001;"), 0x3f80'0000U);
  EXPECT_EQ(valueOf("cvt.rp.f32.f64 %r9, 0d3FF0000010000001;"), 0x3f80'0001U);
}

TEST(PtxReals, ComparisonsKnowWhatIsNoNumber) {
  const auto holds = [](const std::string& comparison, const std::string& b) {
    return valueOf("setp." + comparison + ".f32 %p1, 0f7FC00000, " + b + "; selp.b32 %r9, 1, 0, %p1;");
  };
  EXPECT_EQ(holds("ne", "0f00000000"), 0U);
  EXPECT_EQ(holds("neu", "0f00000000"), 1U);
  EXPECT_EQ(holds("ltu", "0f00000000"), 1U);
  EXPECT_EQ(holds("nan", "0f00000000"), 1U);
  EXPECT_EQ(holds("num", "0f00000000"), 0U);
  EXPECT_EQ(valueOf("min.f32 %r9, 0f7FC00000, 0f3F800000;"), 0x3f80'0000U);
  EXPECT_EQ(valueOf("max.f32 %r9, 0f80000000, 0f00000000;"), 0U);
  EXPECT_EQ(valueOf("min.f32 %r9, 0f00000000, 0f80000000;"), 0x8000'0000U);
  EXPECT_EQ(valueOf("add.rn.f32 %r9, 0f7F800000, 0fFF800000;"), 0x7fff'ffffU);
  EXPECT_EQ(valueOf("add.rn.ftz.f32 %r9, 0f00000001, 0f00000000;"), 0U);
  EXPECT_EQ(valueOf("fma.rz.f32 %r9, 0f3F800001, 0f3F800001, 0f00000000;"), 0x3f80'0002U);
  EXPECT_EQ(valueOf("copysign.f32 %r9, 0f80000000, 0f3F800000;"), 0xbf80'0000U);
}

TEST(PtxWarps, VotesWaitForTheLanesOfTheirMask) {
  // Odd lanes vote in a branch of their own, even ones later.
  const Result result = runBody("and.b32 %r1, %r0, 1; setp.eq.b32 %p1, %r1, 1; setp.lt.u32 %p2, %r0, 4;\n"
                                "@!%p1 bra EVEN;\nvote.sync.ballot.b32 %r9, %p2, 0xaaaaaaaa;\nbra JOIN;\n"
                                "EVEN: vote.sync.ballot.b32 %r9, !%p2, 0x55555555;\n"
                                "JOIN: st.global.b32 [%rd2], %r9;",
                                32);
  ASSERT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
  EXPECT_EQ(result.words[1], 0xaU);
  EXPECT_EQ(result.words[2], 0x5555'5550U);
}

TEST(PtxWarps, ShufflesTellWhetherTheyReadAnotherLane) {
  const Result result = runBody(
      "shfl.sync.down.b32 %r9|%p1, %r0, 3, 31, -1; @!%p1 add.s32 %r9, %r9, 100; st.global.b32 [%rd2], %r9;", 32);
  ASSERT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
  EXPECT_EQ(result.words[28], 31U);
  EXPECT_EQ(result.words[29], 129U);
}

TEST(PtxWarps, ALaneOutsideOfItsOwnMaskIsAnError) {
  EXPECT_EQ(runBody("vote.sync.any.pred %p1, %p1, 2;", 1).fault.error, ptx::Error::IllegalInstruction);
}

TEST(PtxWarps, LanesThatHaveEndedAreNotWaitedFor) {
  const Result result = runBody("setp.gt.u32 %p1, %r0, 7; @%p1 exit; redux.sync.add.u32 %r9, %r0, -1;\n"
                                "st.global.b32 [%rd2], %r9;",
                                32);
  ASSERT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
  EXPECT_EQ(result.words[0], 28U);
}

TEST(PtxBarriers, ThreadsThatHaveEndedDoNotCount) {
  const Result result = runBody("setp.ge.u32 %p1, %r0, 64; @%p1 exit;\n"
                                "setp.eq.b32 %p2, %r0, 63; @%p2 st.shared.b32 [buffer], 7;\n"
                                "bar.sync 0; ld.shared.b32 %r9, [buffer]; st.global.b32 [%rd2], %r9;",
                                96, ".extern .shared .align 16 .b8 buffer[];\n");
  ASSERT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
  EXPECT_EQ(result.words[0], 7U);
}

TEST(PtxBarriers, WarpsMeetAtNamedOnesByCount) {
  const Result result = runBody("shr.u32 %r1, %r0, 5; setp.eq.b32 %p1, %r1, 2; @%p1 bra END;\n"
                                "bar.sync 1, 64;\nEND: st.global.b32 [%rd2], 1;",
                                96);
  EXPECT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
}

TEST(PtxBarriers, AlignedOnesAreReachedByWholeWarps) {
  const std::string body = "setp.eq.b32 %p1, %r0, 3; @%p1 bra OTHER;\nBARRIER 0;\nbra END;\nOTHER: BARRIER 0;\nEND:";
  const auto with = [&](const std::string& barrier) {
    std::string text = body;
    for (std::size_t at = 0; (at = text.find("BARRIER")) != std::string::npos;)
      text.replace(at, 7, barrier);
    return runBody(text, 64).fault.error;
  };
  EXPECT_EQ(with("barrier.sync"), ptx::Error::None);
  EXPECT_EQ(with("bar.sync"), ptx::Error::IllegalInstruction);
}

TEST(PtxBarriers, WhereAllWaitTheLaunchEnds) {
  const Result result = runBody("setp.eq.b32 %p1, %r0, 0; @%p1 bra END;\nbar.sync 0;\n"
                                "END: bar.sync 1;",
                                64);
  EXPECT_EQ(result.fault.error, ptx::Error::Timeout);
  EXPECT_NE(result.fault.text.find("all threads wait"), std::string::npos);
}

TEST(PtxThreads, ASpinningThreadLetsOthersRun) {
  const Result result =
      runBody("setp.eq.b32 %p1, %r0, 31; @%p1 st.volatile.global.b32 [%rd1+256], 1;\n"
              "WAIT: ld.volatile.global.b32 %r1, [%rd1+256]; setp.eq.b32 %p2, %r1, 0; @%p2 bra WAIT;\n"
              "st.global.b32 [%rd2], %r1;",
              32);
  ASSERT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
  EXPECT_EQ(result.words[0], 1U);
}

TEST(PtxMemory, MisalignedAccessesEndTheLaunch) {
  EXPECT_EQ(runBody("ld.global.b32 %r1, [%rd1+2];").fault.error, ptx::Error::MisalignedAddress);
  EXPECT_EQ(runBody("ld.global.v2.b32 {%r1, %r2}, [%rd1+4];").fault.error, ptx::Error::MisalignedAddress);
  EXPECT_EQ(runBody("mov.b64 %rd3, 0; st.global.b32 [%rd3], 1;").fault.error, ptx::Error::IllegalAddress);
  EXPECT_EQ(runBody("mov.b64 %rd3, 4096; st.shared.b32 [%rd3], 1;").fault.error, ptx::Error::IllegalAddress);
}

TEST(PtxMemory, GenericAddressesTellTheirSpace) {
  const Result result = runBody("mov.b64 %rd3, buffer; cvta.shared.u64 %rd4, %rd3; st.shared.b32 [buffer+4], 9;\n"
                                "isspacep.shared %p1, %rd4; isspacep.global %p2, %rd4; ld.b32 %r9, [%rd4+4];\n"
                                "selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 1, 0, %p2;\n"
                                "st.global.v2.b32 [%rd1], {%r1, %r2}; st.global.b32 [%rd1+8], %r9;",
                                1, ".extern .shared .align 16 .b8 buffer[];\n");
  ASSERT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
  EXPECT_EQ(result.words[0], 1U);
  EXPECT_EQ(result.words[1], 0U);
  EXPECT_EQ(result.words[2], 9U);
}

TEST(PtxCalls, ParametersWhoseAddressIsTakenAreInLocalMemory) {
  const Result result =
      runBody("{ .param .align 8 .b8 p[8]; .param .b32 r; st.param.v2.b32 [p], {%r0, 5};\n"
              "call.uni (r), second, (p); ld.param.b32 %r9, [r]; } st.global.b32 [%rd2], %r9;",
              1,
              ".func (.param .b32 result) second(.param .align 8 .b8 pair[8])\n{\n"
              ".reg .b32 %r<3>;\n.reg .b64 %rd<3>;\nmov.b64 %rd1, pair;\nld.local.b32 %r1, [%rd1+4];\n"
              "st.param.b32 [result], %r1;\nret;\n}\n");
  ASSERT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
  EXPECT_EQ(result.words[0], 5U);
}

TEST(PtxCalls, FunctionsAreCalledByTheirAddress) {
  const Result result = runBody("mov.b64 %rd3, table; ld.global.b64 %rd4, [%rd3+8];\n"
                                "{ .param .b32 r; proto: .callprototype (.param .b32 _) _ ();\n"
                                "call (r), %rd4, (), proto; ld.param.b32 %r9, [r]; }\nst.global.b32 [%rd2], %r9;",
                                1,
                                ".func (.param .b32 result) nine()\n{\nst.param.b32 [result], 9;\nret;\n}\n"
                                ".global .align 8 .u64 table[2] = {0, nine};\n");
  ASSERT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
  EXPECT_EQ(result.words[0], 9U);
}

TEST(PtxVariables, PackedAddressesAreGivenByBytes) {
  const Result result = runBody("mov.b64 %rd3, packed; ld.global.b32 %r9, [%rd3]; st.global.b32 [%rd1], %r9;\n"
                                "mov.b64 %rd4, target; cvt.u32.u64 %r1, %rd4; st.global.b32 [%rd1+4], %r1;",
                                1,
                                ".global .align 4 .b32 target;\n.global .align 4 .u8 packed[4] = {0xFF(target), "
                                "0xFF00(target), 0xFF0000(target), 0xFF000000(target)};\n");
  ASSERT_EQ(result.fault.error, ptx::Error::None) << result.fault.text;
  EXPECT_EQ(result.words[0], result.words[1]);
}

TEST(PtxText, WhatIsNotKnownIsRefusedWithItsLine) {
  try {
    runBody("frobnicate.b32 %r1, %r2;");
    FAIL() << "an unknown instruction was accepted";
  } catch (const ptx::ParseError& error) {
    EXPECT_EQ(std::string(error.what()), "line 14: unknown instruction frobnicate.b32 in frobnicate.b32");
  }
  EXPECT_THROW(runBody("add.rq.f32 %r1, %r1, %r1;"), ptx::ParseError);
  EXPECT_THROW(runBody("bra NOWHERE;"), ptx::ParseError);
}

} // namespace
