// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the reader of SPIR-V makes of modules that no compiler writes, or refuses with a sentence.
#include "spirv_reader_test.hpp"

#include "base/spirv.hpp"
#include "compiler/frontend/spirv/validate.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace clotho::compiler {
namespace {

Words moduleOf(const std::string& name) {
  std::ifstream file(CLOTHO_SPIRV_MODULES "/" + name + ".spv", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(bytes.empty()) << name;
  Words words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

/// The module with a type of 7 bits, so that the validator is not asked of it.
Words withUnusualInteger(Words words) {
  constexpr std::uint32_t kOpTypeVoid = 19, kOpTypeInt = 21;
  std::size_t at = spirv::kHeaderWords;
  while (at < words.size() && (words[at] & 0xffff) != kOpTypeVoid)
    at += words[at] >> 16;
  const Words type = {4U << 16 | kOpTypeInt, words[3]++, 7, 0};
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), type.begin(), type.end());
  return words;
}

TEST_F(SpirvReaderTest, IdsBeyondTheBound) {
  const Words whole = withUnusualInteger(moduleOf("texels"));
  ASSERT_NE(read(whole), nullptr) << log_;
  // LLVM's map of ids has the two largest numbers for its own use.
  for (const std::uint32_t id : {0xffffffffU, 0xfffffffeU, 0x7fffffffU, whole[3]})
    for (std::size_t at = spirv::kHeaderWords; at < whole.size(); ++at) {
      Words words = whole;
      words[at] = id;
      read(words); // many of these words are numbers and may be anything
    }
  Words words = withUnusualInteger(moduleOf("caller"));
  constexpr std::uint32_t kOpFunctionCall = 57;
  spirv::forEachInstruction(words, [&](std::uint32_t opcode, std::span<const std::uint32_t> call) {
    if (opcode == kOpFunctionCall) words[static_cast<std::size_t>(call.data() - words.data()) + 3] = 0xffffffff;
  });
  EXPECT_EQ(read(words), nullptr);
  EXPECT_NE(log_.find("a call of what is no function"), std::string::npos) << log_;
}

TEST_F(SpirvReaderTest, IdsDefinedTwice) {
  Words words = withUnusualInteger(moduleOf("caller"));
  // The type of 7 bits gets the id of the type in front of it.
  const std::size_t at = static_cast<std::size_t>(std::ranges::find(words, words[3] - 1) - words.begin());
  words[at] = words[at + 4];
  EXPECT_EQ(read(words), nullptr);
  EXPECT_NE(log_.find("is defined twice"), std::string::npos) << log_;
}

// What is no function, no sampled image or no text, where one is wanted.
TEST_F(SpirvReaderTest, IdsOfAnotherKind) {
  for (const char* name : {"texels", "caller", "values", "enqueue"}) {
    const Words whole = withUnusualInteger(moduleOf(name));
    for (const std::uint32_t id : {1U, whole[3] / 2, whole[3] - 1})
      for (std::size_t at = spirv::kHeaderWords; at < whole.size(); ++at) {
        Words words = whole;
        words[at] = id;
        read(words);
      }
  }
}

constexpr const char* kLargeArray = R"(
  %void = OpTypeVoid
  %bool = OpTypeBool
  %uint = OpTypeInt 32 0
  %ulong = OpTypeInt 64 0
  %count = OpConstant %ulong 5000000
  %array = OpTypeArray %uint %count
  %pointer = OpTypePointer CrossWorkgroup %array
  %c7 = OpConstant %uint 7
)";

TEST_F(SpirvReaderTest, LargeArraysAreCopiedInMemory) {
  const auto module = read(std::string(kLargeArray) + R"(
    %zero = OpConstantNull %array
    %outer = OpTypeStruct %array %uint
    %outers = OpTypePointer CrossWorkgroup %outer
    %function = OpTypeFunction %void %pointer %outers
    %copies = OpFunction %void None %function
    %from = OpFunctionParameter %pointer
    %to = OpFunctionParameter %outers
    %entry = OpLabel
    %all = OpLoad %array %from
    %same = OpCopyObject %array %all
    %one = OpCompositeExtract %uint %same 4999999
    %changed = OpCompositeInsert %array %one %same 17
    %whole = OpCompositeConstruct %outer %changed %c7
    %part = OpCompositeExtract %array %whole 0
    OpStore %to %whole
    OpStore %from %part
    OpStore %from %zero
    OpReturn
    OpFunctionEnd)");
  ASSERT_NE(module, nullptr) << log_;
  unsigned copies = 0, zeros = 0;
  for (llvm::Function& function : *module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      EXPECT_FALSE(instruction.getType()->isAggregateType());
      copies += llvm::isa<llvm::MemCpyInst>(instruction) ? 1 : 0;
      zeros += llvm::isa<llvm::MemSetInst>(instruction) ? 1 : 0;
    }
  EXPECT_EQ(copies, 7u);
  EXPECT_EQ(zeros, 1u);
}

TEST_F(SpirvReaderTest, ScopesOfClocksThatAreKnownLate) {
  const auto module = read(R"(
    OpCapability ShaderClockKHR
    %uint = OpTypeInt 32 0
    %ulong = OpTypeInt 64 0
    %function = OpTypeFunction %ulong %uint
    %f = OpFunction %ulong None %function
    %scope = OpFunctionParameter %uint
    %entry = OpLabel
    %clock = OpReadClockKHR %ulong %scope
    OpReturnValue %clock
    OpFunctionEnd)");
  ASSERT_NE(module, nullptr) << log_;
  EXPECT_NE(module->getFunction("_Z17clock_read_devicev"), nullptr);
}

// The specification asks for an object, and Khronos's translator writes the type of its pointer.
TEST_F(SpirvReaderTest, SizesOfTypesAndOfObjects) {
  const auto module = read(R"(
    %uint = OpTypeInt 32 0
    %three = OpConstant %uint 3
    %array = OpTypeArray %uint %three
    %pointer = OpTypePointer CrossWorkgroup %array
    %function = OpTypeFunction %uint %pointer
    %f = OpFunction %uint None %function
    %object = OpFunctionParameter %pointer
    %entry = OpLabel
    %a = OpSizeOf %uint %object
    %b = OpSizeOf %uint %pointer
    %sum = OpIAdd %uint %a %b
    OpReturnValue %sum
    OpFunctionEnd)");
  ASSERT_NE(module, nullptr) << log_;
  for (const llvm::Function& function : *module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* result = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
        const auto* sum = llvm::dyn_cast<llvm::ConstantInt>(result->getReturnValue());
        ASSERT_NE(sum, nullptr);
        EXPECT_EQ(sum->getZExtValue(), 24u);
      }
}

TEST_F(SpirvReaderTest, FunctionsThatMayBeInexact) {
  const std::string text = R"(
    OpDecorate %add LinkageAttributes "llvm.fpbuiltin.fadd.f32" Import
    OpDecorate %scale LinkageAttributes "llvm.fpbuiltin.ldexp.f32.i32" Import
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %two = OpTypeFunction %float %float %float
    %with = OpTypeFunction %float %float %uint
    %add = OpFunction %float None %two
    %a1 = OpFunctionParameter %float
    %a2 = OpFunctionParameter %float
    OpFunctionEnd
    %scale = OpFunction %float None %with
    %s1 = OpFunctionParameter %float
    %s2 = OpFunctionParameter %uint
    OpFunctionEnd
    %f = OpFunction %float None %with
    %x = OpFunctionParameter %float
    %n = OpFunctionParameter %uint
    %entry = OpLabel
    %sum = OpFunctionCall %float %add %x %x
    %scaled = OpFunctionCall %float %scale %sum %n
    OpReturnValue %scaled
    OpFunctionEnd)";
  const auto module = read(text);
  ASSERT_NE(module, nullptr) << log_;
  EXPECT_NE(module->getFunction("_Z5ldexpfi"), nullptr);
  bool adds = false;
  for (const llvm::Function& function : *module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      adds |= instruction.getOpcode() == llvm::Instruction::FAdd;
  EXPECT_TRUE(adds);
  std::string other = text;
  other.replace(other.find("fadd.f32"), 8, "dot.f32x");
  expectRefused(other, "which OpenCL does not have");
}

// Found by damaged modules; LLVM asserts what the reader has to check.
TEST_F(SpirvReaderTest, OperandsOfOtherShapes) {
  const auto body = [](const std::string& text) {
    return R"(
      OpDecorate %device BuiltIn GlobalInvocationId
      %void = OpTypeVoid
      %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
      %double = OpTypeFloat 64
      %two = OpTypeVector %uint 2
      %four = OpTypeVector %uint 4
      %unsized = OpTypeFunction %void
      %input = OpTypePointer Input %unsized
      %generic = OpTypePointer Generic %uint
      %device = OpVariable %input Input
      %function = OpTypeFunction %void %uint %two %four %float %double %generic
      %f = OpFunction %void None %function
      %a = OpFunctionParameter %uint
      %b = OpFunctionParameter %two
      %c = OpFunctionParameter %four
      %x = OpFunctionParameter %float
      %y = OpFunctionParameter %double
      %p = OpFunctionParameter %generic
      %entry = OpLabel
      )" + text +
           "\nOpReturn\n OpFunctionEnd\n";
  };
  expectRefused(body("%r = OpGenericPtrMemSemantics %float %p"), "memory semantics that are no integer");
  expectRefused(body("%r = OpBitFieldUExtract %uint %a %b %a"), "a bit field is of integers");
  expectRefused(body("%r = OpShiftLeftLogical %four %c %b"), "a shift of a vector by a scalar");
  expectRefused(body("%r = OpExtInst %float %std mad %x %y %x"), "mad is of three floats of one type");
  EXPECT_EQ(read(body("%r = OpBitCount %two %c")), nullptr);
  EXPECT_EQ(read(body("%r = OpCopyObject %input %device")), nullptr);
}

// Operations are enumerators of 31 bits; one of 32 is none of them.
TEST_F(SpirvReaderTest, ConstantOperationsBeyondAllNumbers) {
  Words words = assemble(std::string(kBegin) + R"(
    %uint = OpTypeInt 32 0
    %seven = OpConstant %uint 7
    %sum = OpSpecConstantOp %uint IAdd %seven %seven)");
  constexpr std::uint32_t kOpSpecConstantOp = 52;
  spirv::forEachInstruction(words, [&](std::uint32_t opcode, std::span<const std::uint32_t> operation) {
    if (opcode == kOpSpecConstantOp) words[static_cast<std::size_t>(operation.data() - words.data()) + 3] = 0x80000000;
  });
  EXPECT_EQ(read(words), nullptr);
}

TEST_F(SpirvReaderTest, LargeArraysThatCannotBeCopied) {
  const auto body = [](const std::string& text) {
    return std::string(kLargeArray) +
           "%function = OpTypeFunction %void %pointer %bool\n %named = OpTypeStruct %array\n" +
           " %other = OpTypeStruct %array\n %null = OpConstantNull %array\n %true = OpConstantTrue %bool\n" +
           "%f = OpFunction %void None %function\n %from = OpFunctionParameter %pointer\n" +
           "%truth = OpFunctionParameter %bool\n %entry = OpLabel\n %all = OpLoad %array %from\n" + text +
           "\nOpReturn\n OpFunctionEnd\n";
  };
  expectRefused(body("%x = OpSelect %array %truth %all %all"), "a value of more than 1024 parts");
  expectRefused(body("%x = OpSelect %array %truth %null %null"), "a value of more than 1024 parts");
  expectRefused(body("%y = OpCompositeConstruct %named %all\n %x = OpCopyLogical %other %y"), "too many parts");
  expectRefused(
      std::string(kLargeArray) + "%function = OpTypeFunction %array %pointer\n" +
          "%f = OpFunction %array None %function\n %from = OpFunctionParameter %pointer\n %entry = OpLabel\n" +
          "%all = OpLoad %array %from\n OpReturnValue %all\n OpFunctionEnd\n",
      "takes or returns a value of more than 1024 parts");
  expectRefused(std::string(kLargeArray) + "%null = OpConstantNull %array\n" +
                    "%x = OpSpecConstantOp %array CompositeInsert %c7 %null 3\n",
                "an operation on a constant of too many parts");
}

TEST_F(SpirvReaderTest, TypesThatNoMemoryHolds) {
  expectRefused("%uint = OpTypeInt 32 0\n %ulong = OpTypeInt 64 0\n %n = OpConstant %ulong 0x4000000000\n"
                "%a = OpTypeArray %uint %n\n %b = OpTypeArray %a %n\n",
                "a type of too many bytes");
  expectRefused(
      "%void = OpTypeVoid\n %uint = OpTypeInt 24 0\n %f = OpTypeFunction %void" +
          [] {
            std::string many;
            for (unsigned i = 0; i < 256; ++i)
              many += " %uint";
            return many;
          }(),
      "a function of more than 255 parameters");
}

/// A kernel that switches by its second argument, of so many bits, to two blocks behind the one for all else.
Words wideSwitch(unsigned bits, const Words& first, const Words& second) {
  Words words = assemble(std::string(kBegin) + "%void = OpTypeVoid\n %wide = OpTypeInt " + std::to_string(bits) + R"( 0
    %function = OpTypeFunction %void %wide
    %f = OpFunction %void None %function
    %1 = OpFunctionParameter %wide
    %entry = OpLabel
    OpNop
    %2 = OpLabel
    OpReturn
    %3 = OpLabel
    OpReturn
    %4 = OpLabel
    OpUnreachable
    OpFunctionEnd)");
  constexpr std::uint32_t kOpNop = 1U << 16, kOpSwitch = 251;
  Words made = {0, 1, 4};
  for (const auto& [literal, label] : {std::pair(first, 2U), std::pair(second, 3U)}) {
    made.insert(made.end(), literal.begin(), literal.end());
    made.push_back(label);
  }
  made[0] = static_cast<std::uint32_t>(made.size() << 16) | kOpSwitch;
  const auto place = std::find(words.begin() + spirv::kHeaderWords, words.end(), kOpNop);
  EXPECT_NE(place, words.end());
  words.insert(words.erase(place), made.begin(), made.end());
  return words;
}

TEST_F(SpirvReaderTest, SwitchesByWideIntegers) {
  // Parts of the numbers are ids of labels, for which they must not be mistaken.
  const auto module = read(wideSwitch(96, {2, 3, 4}, {2, 3, 0x80000000}));
  ASSERT_NE(module, nullptr) << log_;
  const llvm::SwitchInst* made = nullptr;
  for (llvm::Function& function : *module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* found = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) made = found;
  ASSERT_NE(made, nullptr);
  std::vector<std::string> numbers;
  for (const auto& branch : made->cases())
    numbers.push_back(llvm::toString(branch.getCaseValue()->getValue(), 16, /*Signed=*/false));
  EXPECT_EQ(numbers, (std::vector<std::string>{"40000000300000002", "800000000000000300000002"}));

  EXPECT_NE(read(wideSwitch(64, {2, 3}, {3, 3})), nullptr) << log_;
  EXPECT_EQ(read(wideSwitch(64, {2}, {3})), nullptr);
  EXPECT_EQ(read(wideSwitch(128, {1, 2, 3, 4}, {1, 2, 3, 4})), nullptr);
  EXPECT_NE(log_.find("a switch has a case twice"), std::string::npos) << log_;
}

TEST_F(SpirvReaderTest, GroupsOfManyDecorations) {
  std::string decorations, targets;
  for (unsigned i = 0; i < 3000; ++i) {
    decorations += "OpDecorate %group Alignment 4\n";
    targets += " %t" + std::to_string(i);
  }
  expectRefused(
      decorations + "%group = OpDecorationGroup\n OpGroupDecorate %group" + targets +
          [] {
            std::string types = "\n %small = OpTypeInt 7 0\n";
            for (unsigned i = 0; i < 3000; ++i)
              types += "%t" + std::to_string(i) + " = OpTypeStruct %small\n";
            return types;
          }(),
      "groups make more than 4194304 decorations");
}

TEST_F(SpirvReaderTest, PartsOfVectorsAreAlignedAsTheirOwnType) {
  const auto module = read(R"(
    OpEntryPoint Kernel %k "k"
    %void = OpTypeVoid
    %ulong = OpTypeInt 64 0
    %pointer = OpTypePointer CrossWorkgroup %ulong
    %function = OpTypeFunction %void %pointer
    %k = OpFunction %void None %function
    %p = OpFunctionParameter %pointer
    %l = OpLabel
    %x = OpLoad %ulong %p Aligned 32
    OpStore %p %x Aligned 64
    OpReturn
    OpFunctionEnd)");
  ASSERT_NE(module, nullptr) << log_;
  unsigned accesses = 0;
  for (llvm::Function& function : *module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
        EXPECT_EQ(llvm::getLoadStoreAlignment(&instruction).value(), 8U);
        ++accesses;
      }
  EXPECT_EQ(accesses, 2U);
}

TEST_F(SpirvReaderTest, KernelWithoutName) {
  expectRefused("OpEntryPoint Kernel %kernel \"\"\n %void = OpTypeVoid\n %type = OpTypeFunction %void\n"
                "%kernel = OpFunction %void None %type\n %entry = OpLabel\n OpReturn\n OpFunctionEnd\n",
                "a kernel without a name");
}

TEST_F(SpirvReaderTest, NamesOfBuiltinFunctions) {
  const auto text = [](const std::string& kernel, const std::string& function, const std::string& variable) {
    return "OpEntryPoint Kernel %kernel \"" + kernel + "\"\n OpName %function \"" + function +
           "\"\n OpName %variable \"" + variable + R"("
    %void = OpTypeVoid
    %float = OpTypeFloat 32
    %pointer = OpTypePointer CrossWorkgroup %float
    %type = OpTypeFunction %void %pointer
    %mapping = OpTypeFunction %float %float
    %variable = OpVariable %pointer CrossWorkgroup
    %function = OpFunction %float None %mapping
    %x = OpFunctionParameter %float
    %l1 = OpLabel
    OpReturnValue %x
    OpFunctionEnd
    %kernel = OpFunction %void None %type
    %out = OpFunctionParameter %pointer
    %l2 = OpLabel
    %given = OpLoad %float %variable
    %same = OpFunctionCall %float %function %given
    %sine = OpExtInst %float %std sin %same
    OpStore %out %sine
    OpReturn
    OpFunctionEnd)";
  };
  for (const char* name : {"sin", "memset", "printf", "_Z3sinf", "__clotho_pipe_ro", "llvm.sin.f32", "main"}) {
    const auto module = read(text("kernel", name, name));
    ASSERT_NE(module, nullptr) << log_;
    EXPECT_NE(module->getFunction("kernel"), nullptr);
    ASSERT_NE(module->getFunction("_Z3sinf"), nullptr);
    EXPECT_TRUE(module->getFunction("_Z3sinf")->isDeclaration());
    if (llvm::StringRef(name) == "_Z3sinf") continue;
    EXPECT_EQ(module->getNamedValue(name), nullptr) << name;
    const auto asKernel = read(text(name, name, name));
    if (llvm::StringRef(name).starts_with("llvm.")) continue;
    ASSERT_NE(asKernel, nullptr) << log_;
    ASSERT_NE(asKernel->getFunction(name), nullptr) << name;
    EXPECT_FALSE(asKernel->getFunction(name)->isDeclaration());
  }
  expectRefused(text("_Z3sinf", "", ""), "a kernel has the name of a builtin function, _Z3sinf");
}

TEST_F(SpirvReaderTest, FormatsInSeveralAddressSpaces) {
  const auto module = read(R"(
    OpDecorate %global Constant
    %void = OpTypeVoid
    %char = OpTypeInt 8 0
    %int = OpTypeInt 32 0
    %two = OpConstant %int 2
    %a = OpConstant %char 97
    %end = OpConstant %char 0
    %array = OpTypeArray %char %two
    %string = OpConstantComposite %array %a %end
    %inConstant = OpTypePointer UniformConstant %array
    %inGlobal = OpTypePointer CrossWorkgroup %array
    %toConstant = OpTypePointer UniformConstant %char
    %toGlobal = OpTypePointer CrossWorkgroup %char
    %constant = OpVariable %inConstant UniformConstant %string
    %global = OpVariable %inGlobal CrossWorkgroup %string
    %type = OpTypeFunction %void
    %prints = OpFunction %void None %type
    %entry = OpLabel
    %first = OpBitcast %toConstant %constant
    %second = OpBitcast %toGlobal %global
    %r1 = OpExtInst %int %std printf %first
    %r2 = OpExtInst %int %std printf %second
    OpReturn
    OpFunctionEnd)");
  ASSERT_NE(module, nullptr) << log_;
  EXPECT_EQ(module->getFunction("printf")->getNumUses(), 2u);
}

TEST_F(SpirvReaderTest, OddIntegersArePrintedByNoConversion) {
  expectRefused("%void = OpTypeVoid\n %char = OpTypeInt 8 0\n %int = OpTypeInt 32 0\n %odd = OpTypeInt 48 0\n"
                "%pointer = OpTypePointer UniformConstant %char\n"
                "%type = OpTypeFunction %void %pointer %odd\n %f = OpFunction %void None %type\n"
                "%format = OpFunctionParameter %pointer\n %x = OpFunctionParameter %odd\n %entry = OpLabel\n"
                "%r = OpExtInst %int %std printf %format %x\n OpReturn\n OpFunctionEnd\n",
                "printf has no conversion for integers of 48 bits");
}

TEST_F(SpirvReaderTest, LibraryFunctionsOfOddIntegers) {
  for (const unsigned bits : {7U, 33U, 48U, 128U})
    expectRefused("%void = OpTypeVoid\n %odd = OpTypeInt " + std::to_string(bits) +
                      " 0\n %type = OpTypeFunction %void %odd\n %f = OpFunction %void None %type\n"
                      "%x = OpFunctionParameter %odd\n %entry = OpLabel\n %y = OpExtInst %odd %std clz %x\n"
                      "OpReturn\n OpFunctionEnd\n",
                  "OpenCL C has no clz for integers of " + std::to_string(bits) + " bits");
}

TEST_F(SpirvReaderTest, DotProductsOfLongVectors) {
  for (const unsigned elements : {8U, 16U}) {
    const auto module = read("%void = OpTypeVoid\n %float = OpTypeFloat 32\n %vector = OpTypeVector %float " +
                             std::to_string(elements) +
                             "\n %type = OpTypeFunction %float %vector %vector\n %f = OpFunction %float None %type\n"
                             "%x = OpFunctionParameter %vector\n %y = OpFunctionParameter %vector\n %entry = OpLabel\n"
                             "%z = OpDot %float %x %y\n OpReturnValue %z\n OpFunctionEnd\n");
    ASSERT_NE(module, nullptr) << log_;
    ASSERT_NE(module->getFunction("_Z3dotDv4_fS_"), nullptr);
    EXPECT_EQ(module->getFunction("_Z3dotDv4_fS_")->getNumUses(), elements / 4);
  }
}

TEST_F(SpirvReaderTest, ArbitraryPrecisionByItsNewName) {
  EXPECT_NE(std::ranges::find(spirv::kExtensions, std::string_view("SPV_ALTERA_arbitrary_precision_integers")),
            spirv::kExtensions.end());
  std::string text = std::string(kBegin) + "%small = OpTypeInt 24 0\n";
  text.replace(text.find("SPV_INTEL"), 9, "SPV_ALTERA");
  EXPECT_NE(read(assemble(text)), nullptr) << log_;
}

TEST_F(SpirvReaderTest, LinesForDebuggers) {
  debugInfo_ = true;
  const auto module = read(R"(
    OpEntryPoint Kernel %kernel "kernel"
    %file = OpString "first.cl"
    %header = OpString "second.h"
    OpName %kernel "body"
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %pointer = OpTypePointer CrossWorkgroup %uint
    %type = OpTypeFunction %void %pointer
    OpLine %file 10 1
    %kernel = OpFunction %void None %type
    %out = OpFunctionParameter %pointer
    %entry = OpLabel
    OpLine %file 12 5
    %number = OpLoad %uint %out
    OpLine %header 3 7
    %sum = OpIAdd %uint %number %number
    OpNoLine
    OpStore %out %sum
    OpReturn
    OpFunctionEnd)");
  ASSERT_NE(module, nullptr) << log_;
  std::vector<std::string> places;
  for (llvm::Instruction& instruction : llvm::instructions(*module->getFunction("spirv.body"))) {
    const llvm::DILocation* place = instruction.getDebugLoc();
    ASSERT_NE(place, nullptr);
    places.push_back(place->getFilename().str() + ":" + std::to_string(place->getLine()) + ":" +
                     std::to_string(place->getColumn()));
  }
  EXPECT_EQ(places, (std::vector<std::string>{"first.cl:12:5", "second.h:3:7", "first.cl:0:0", "first.cl:0:0"}));
  const llvm::DISubprogram* place = module->getFunction("kernel")->getSubprogram();
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(place->getLine(), 10u);
  EXPECT_EQ(place->getName(), "kernel");

  debugInfo_ = false;
  const auto without = read(moduleOf("values"));
  ASSERT_NE(without, nullptr) << log_;
  EXPECT_EQ(without->getFunction("values")->getSubprogram(), nullptr);
}

// Pointer types are the ones that a module may declare twice (section 2.8), beside aggregates.
TEST_F(SpirvReaderTest, TypesDeclaredTwice) {
  const std::string twice = R"(
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %one = OpTypePointer CrossWorkgroup %uint
    %other = OpTypePointer CrossWorkgroup %uint
    %type = OpTypeFunction %void %one %other
    %f = OpFunction %void None %type
    %x = OpFunctionParameter %one
    %y = OpFunctionParameter %other
    %entry = OpLabel
    %number = OpLoad %uint %x
    OpStore %y %number
    OpReturn
    OpFunctionEnd)";
  EXPECT_NE(read(twice), nullptr) << log_;
  EXPECT_NE(read("%again = OpTypeInt 32 0\n" + twice), nullptr) << log_;
}

} // namespace
} // namespace clotho::compiler
