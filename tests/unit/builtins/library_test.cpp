// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/builtins/library.hpp"

#include "compiler/builtins/format.hpp"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include <cstring>
#include <random>

namespace clotho::compiler {
namespace {

using llvm::StringRef;

std::unique_ptr<BuiltinLibrary> theLibrary() {
  auto library = BuiltinLibrary::open(CLOTHO_TEST_LIBRARY);
  if (!library) ADD_FAILURE() << llvm::toString(library.takeError());
  return library ? std::move(*library) : nullptr;
}

std::unique_ptr<llvm::Module> parse(llvm::LLVMContext& context, const std::string& text) {
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString("target triple = \"spir64\"\n" + text, error, context);
  if (!module) ADD_FAILURE() << error.getMessage().str();
  return module;
}

std::string linkError(const BuiltinLibrary& library, llvm::Module& module) {
  return llvm::toString(library.linkInto(module));
}

::testing::AssertionResult isSound(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (llvm::verifyModule(module, &out)) return ::testing::AssertionFailure() << text;
  return ::testing::AssertionSuccess();
}

/// A file that goes when the test does.
class TemporaryFile {
 public:
  explicit TemporaryFile(StringRef bytes) {
    int descriptor = -1;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("builtins", "clotho", descriptor, path_));
    llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << bytes;
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path_); }
  StringRef path() const { return path_; }

 private:
  llvm::SmallString<128> path_;
};

std::string libraryBytes() {
  auto file = llvm::MemoryBuffer::getFile(CLOTHO_TEST_LIBRARY, false, false);
  EXPECT_TRUE(static_cast<bool>(file));
  return file ? (*file)->getBuffer().str() : std::string();
}

std::string openError(StringRef bytes) {
  const TemporaryFile file(bytes);
  auto library = BuiltinLibrary::open(file.path());
  return library ? "" : llvm::toString(library.takeError());
}

TEST(BuiltinLibrary, KnowsItsSymbols) {
  const auto library = theLibrary();
  ASSERT_TRUE(library);
  EXPECT_TRUE(library->defines("_Z3sinf"));
  EXPECT_TRUE(library->defines("_Z10atomic_addPU3AS1Vii"));
  EXPECT_TRUE(library->defines("_Z5fractfPU3AS4f"));
  EXPECT_FALSE(library->defines("_Z13get_global_idj")) << "the compiler lowers this one";
  EXPECT_FALSE(library->defines(""));
  EXPECT_FALSE(library->defines("_Z3sin"));
  const auto symbols = library->symbols();
  EXPECT_GT(symbols.size(), 10000u);
  EXPECT_TRUE(llvm::is_sorted(symbols));
  for (StringRef symbol : symbols)
    EXPECT_TRUE(library->defines(symbol)) << symbol.str();
}

TEST(BuiltinLibrary, LinksWhatIsCalled) {
  const auto library = theLibrary();
  ASSERT_TRUE(library);
  llvm::LLVMContext context;
  auto module = parse(context, R"(
    declare spir_func float @_Z3sinf(float) #0
    declare spir_func float @_Z3cosf(float) #0
    define spir_kernel void @k(ptr addrspace(1) %p) {
      %x = load float, ptr addrspace(1) %p
      %y = call spir_func float @_Z3sinf(float %x) #0
      store float %y, ptr addrspace(1) %p
      ret void
    }
    attributes #0 = { convergent nounwind })");
  ASSERT_TRUE(module);
  EXPECT_EQ(linkError(*library, *module), "");
  EXPECT_TRUE(isSound(*module));
  const llvm::Function* sine = module->getFunction("_Z3sinf");
  ASSERT_TRUE(sine && !sine->isDeclaration());
  EXPECT_TRUE(sine->hasInternalLinkage());
  EXPECT_EQ(sine->getCallingConv(), llvm::CallingConv::SPIR_FUNC);
  EXPECT_TRUE(sine->hasFnAttribute(builtin_format::kBuiltinAttribute));
  EXPECT_TRUE(sine->doesNotAccessMemory());
  EXPECT_FALSE(sine->hasFnAttribute("target-features"));
  for (const llvm::User* user : sine->users())
    EXPECT_FALSE(llvm::cast<llvm::CallBase>(user)->isConvergent());
}

// libclc indexes tables by conversions that overflow for some arguments.
TEST(BuiltinLibrary, ConversionsOfLibclcSaturate) {
  const auto library = theLibrary();
  llvm::LLVMContext context;
  const auto module = parse(context, R"(
    declare spir_func double @_Z3sind(double)
    define spir_kernel void @k(ptr addrspace(1) %p) {
      %x = load double, ptr addrspace(1) %p
      %y = call spir_func double @_Z3sind(double %x)
      store double %y, ptr addrspace(1) %p
      ret void
    })");
  ASSERT_TRUE(module);
  EXPECT_EQ(linkError(*library, *module), "");
  unsigned saturating = 0;
  for (const llvm::Function& function : *module) {
    if (function.getIntrinsicID() == llvm::Intrinsic::fptosi_sat) ++saturating;
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      EXPECT_NE(instruction.getOpcode(), llvm::Instruction::FPToSI) << function.getName().str();
  }
  EXPECT_GT(saturating, 0u);
}

// generic fract is ours and calls what another module of the library has; lgamma_r of vectors calls helpers of libclc.
TEST(BuiltinLibrary, LinksTransitively) {
  const auto library = theLibrary();
  ASSERT_TRUE(library);
  llvm::LLVMContext context;
  auto module = parse(context, R"(
    declare spir_func <16 x float> @_Z8lgamma_rDv16_fPU3AS4Dv16_i(<16 x float>, ptr addrspace(4))
    declare spir_func void @_Z17wait_group_eventsiPU3AS49ocl_event(i32, ptr addrspace(4))
    define spir_kernel void @k(ptr addrspace(4) %p, <16 x float> %x) {
      %y = call spir_func <16 x float> @_Z8lgamma_rDv16_fPU3AS4Dv16_i(<16 x float> %x, ptr addrspace(4) %p)
      store <16 x float> %y, ptr addrspace(4) %p
      call spir_func void @_Z17wait_group_eventsiPU3AS49ocl_event(i32 0, ptr addrspace(4) %p)
      ret void
    })");
  ASSERT_TRUE(module);
  EXPECT_EQ(linkError(*library, *module), "");
  EXPECT_TRUE(isSound(*module));
  for (const llvm::Function& function : *module) {
    if (function.isDeclaration() && !function.isIntrinsic()) EXPECT_EQ(function.getName(), "_Z7barrierj");
  }
  const llvm::Function* wait = module->getFunction("_Z17wait_group_eventsiPU3AS49ocl_event");
  ASSERT_TRUE(wait && !wait->isDeclaration());
  EXPECT_TRUE(wait->isConvergent()) << "a barrier is inside";
}

TEST(BuiltinLibrary, LeavesUnknownAndUnneededFunctions) {
  const auto library = theLibrary();
  ASSERT_TRUE(library);
  llvm::LLVMContext context;
  const std::string text = R"(
    declare spir_func void @_Z7unknownf(float)
    declare spir_func i64 @_Z13get_global_idj(i32)
    define spir_kernel void @k() {
      %i = call spir_func i64 @_Z13get_global_idj(i32 0)
      call spir_func void @_Z7unknownf(float 0.0)
      ret void
    })";
  auto module = parse(context, text);
  ASSERT_TRUE(module);
  EXPECT_EQ(linkError(*library, *module), "");
  EXPECT_TRUE(module->getFunction("_Z7unknownf")->isDeclaration());
  EXPECT_TRUE(module->getFunction("_Z13get_global_idj")->isDeclaration());
  EXPECT_EQ(module->size(), 3u);
}

TEST(BuiltinLibrary, ProgramsFunctionsKeepTheirCallers) {
  const auto library = theLibrary();
  ASSERT_TRUE(library);
  llvm::LLVMContext context;
  // pow must not end in the program's own log.
  auto module = parse(context, R"(
    define spir_func float @_Z3logf(float %x) { ret float 42.0 }
    declare spir_func float @_Z4log2f(float)
    define spir_func float @f(float %x) {
      %y = call spir_func float @_Z3logf(float %x)
      %z = call spir_func float @_Z4log2f(float %y)
      ret float %z
    })");
  ASSERT_TRUE(module);
  EXPECT_EQ(linkError(*library, *module), "");
  EXPECT_TRUE(isSound(*module));
  const auto* first = llvm::cast<llvm::CallInst>(&module->getFunction("f")->getEntryBlock().front());
  EXPECT_EQ(first->getCalledFunction()->getName(), "_Z3logf.program");
}

TEST(BuiltinLibrary, RefusesAnotherSignature) {
  const auto library = theLibrary();
  ASSERT_TRUE(library);
  llvm::LLVMContext context;
  auto module = parse(context, R"(
    declare spir_func double @_Z3sinf(double)
    define spir_func double @f(double %x) {
      %y = call spir_func double @_Z3sinf(double %x)
      ret double %y
    })");
  ASSERT_TRUE(module);
  EXPECT_NE(linkError(*library, *module).find("_Z3sinf"), std::string::npos);
}

TEST(BuiltinLibrary, RepairsTheCallingConvention) {
  const auto library = theLibrary();
  ASSERT_TRUE(library);
  llvm::LLVMContext context;
  auto module = parse(context, R"(
    declare float @_Z4sqrtf(float)
    define float @f(float %x) {
      %y = call float @_Z4sqrtf(float %x)
      ret float %y
    })");
  ASSERT_TRUE(module);
  EXPECT_EQ(linkError(*library, *module), "");
  const auto* call = llvm::cast<llvm::CallInst>(&module->getFunction("f")->getEntryBlock().front());
  EXPECT_EQ(call->getCallingConv(), call->getCalledFunction()->getCallingConv());
}

// Atomics and fences are instructions, with the order that the call asks for.
TEST(BuiltinLibrary, AtomicsAreInstructions) {
  const auto library = theLibrary();
  ASSERT_TRUE(library);
  llvm::LLVMContext context;
  auto module = parse(context, R"(
    declare spir_func i32 @_Z10atomic_addPU3AS3Vii(ptr addrspace(3), i32)
    declare spir_func i64 @_Z8atom_addPU3AS1Vll(ptr addrspace(1), i64)
    declare spir_func float @_Z11atomic_xchgPU3AS1Vff(ptr addrspace(1), float)
    declare spir_func i32 @_Z14atomic_cmpxchgPU3AS1Viii(ptr addrspace(1), i32, i32)
    declare spir_func void @_Z9mem_fencej(i32)
    define spir_kernel void @k(ptr addrspace(3) %l, ptr addrspace(1) %g) {
      call spir_func i32 @_Z10atomic_addPU3AS3Vii(ptr addrspace(3) %l, i32 1)
      call spir_func i64 @_Z8atom_addPU3AS1Vll(ptr addrspace(1) %g, i64 1)
      call spir_func float @_Z11atomic_xchgPU3AS1Vff(ptr addrspace(1) %g, float 1.0)
      call spir_func i32 @_Z14atomic_cmpxchgPU3AS1Viii(ptr addrspace(1) %g, i32 1, i32 2)
      call spir_func void @_Z9mem_fencej(i32 1)
      ret void
    })");
  ASSERT_TRUE(module);
  EXPECT_EQ(linkError(*library, *module), "");
  EXPECT_TRUE(isSound(*module));
  const std::pair<const char*, unsigned> expected[] = {
      {"_Z10atomic_addPU3AS3Vii", llvm::Instruction::AtomicRMW},
      {"_Z8atom_addPU3AS1Vll", llvm::Instruction::AtomicRMW},
      {"_Z11atomic_xchgPU3AS1Vff", llvm::Instruction::AtomicRMW},
      {"_Z14atomic_cmpxchgPU3AS1Viii", llvm::Instruction::AtomicCmpXchg},
      {"_Z9mem_fencej", llvm::Instruction::Fence},
  };
  for (const auto& [name, opcode] : expected) {
    const llvm::Function* function = module->getFunction(name);
    ASSERT_TRUE(function && !function->isDeclaration()) << name;
    const unsigned wanted = opcode;
    EXPECT_TRUE(llvm::any_of(llvm::instructions(*function), [wanted](const llvm::Instruction& i) {
      return i.getOpcode() == wanted;
    })) << name;
    EXPECT_TRUE(function->hasFnAttribute(llvm::Attribute::AlwaysInline)) << name;
  }
}

// One symbol of each kind that libclc lacks, or that only one of clang's language modes calls.
TEST(BuiltinLibrary, HasWhatClangCalls) {
  const auto library = theLibrary();
  ASSERT_TRUE(library);
  for (StringRef symbol : {
           "_Z6vload4mPU3AS1Kf",
           "_Z6vload4mPU3AS2Kf",
           "_Z6vload4mPU3AS3Kf",
           "_Z6vload4mPU3AS4Kf",
           "_Z6vload4mPKf",
           "_Z7vstore3Dv3_fmPU3AS4f",
           "_Z11vload_half3mPU3AS2KDh",
           "_Z12vloada_half3mPU3AS4KDh",
           "_Z16vstore_half4_rtzDv4_fmPU3AS4Dh",
           "_Z18vstorea_half16_rtpDv16_dmPU3AS4Dh",
           "_Z5fractDv4_fPU3AS4S_",
           "_Z5fractDv4_fPS_",
           "_Z6sincosdPU3AS4d",
           "_Z6remquoDv2_dS_PU3AS4Dv2_i",
           "_Z5frexpfPU3AS4i",
           "_Z8lgamma_rdPU3AS4i",
           "_Z4modfDv16_dPU3AS4S_",
           "_Z9get_fencePU3AS4v",
           "_Z9get_fencePU3AS4Kv",
           "__to_global",
           "__to_local",
           "__to_private",
           "_Z9mem_fencej",
           "_Z14read_mem_fencej",
           "_Z15write_mem_fencej",
           "_Z22atomic_work_item_fencej12memory_order12memory_scope",
           "_Z8atom_maxPU3AS3Vmm",
           "_Z8atom_decPU3AS1Vl",
           "_Z12atom_cmpxchgPU3AS1Vlll",
           "_Z11atomic_xchgPU3AS3Vff",
           "_Z11atomic_initPU3AS4VU7_Atomicdd",
           "_Z11atomic_loadPU3AS4VU7_Atomicf",
           "_Z21atomic_store_explicitPU3AS1VU7_Atomicmm12memory_order",
           "_Z25atomic_fetch_add_explicitPU3AS4VU7_Atomicii12memory_order12memory_scope",
           "_Z16atomic_fetch_addPU3AS4VU7_Atomicml",
           "_Z16atomic_fetch_minPU3AS3VU7_Atomiclm",
           "_Z39atomic_compare_exchange_strong_explicitPU3AS4VU7_AtomiciPU3AS4ii12memory_orderS4_12memory_scope",
           "_Z28atomic_compare_exchange_weakPU3AS3VU7_AtomiciPii",
           "_Z17atomic_flag_clearPU3AS4VU7_Atomici",
           "_Z24atomic_flag_test_and_setPU3AS4VU7_Atomici",
           "_Z21async_work_group_copyPU3AS3Dv3_fPU3AS1KS_m9ocl_event",
           "_Z29async_work_group_strided_copyPU3AS1cPU3AS3Kcmm9ocl_event",
           "_Z17wait_group_eventsiP9ocl_event",
           "_Z8prefetchPU3AS1Kfm",
           "_Z10native_sinDv8_f",
           "_Z8half_expf",
           "_Z8popcountm",
           "_Z5mad24iii",
           "_Z8shuffle2Dv4_fS_Dv4_j",
           "_Z16convert_int4_rteDv4_f",
           "_Z6selectDv4_fS_Dv4_i",
       })
    EXPECT_TRUE(library->defines(symbol)) << symbol.str();
}

TEST(BuiltinLibraryFile, MissingOrForeignFilesAreErrors) {
  auto missing = BuiltinLibrary::open("/nonexistent/builtins.clotho");
  ASSERT_FALSE(static_cast<bool>(missing));
  EXPECT_NE(llvm::toString(missing.takeError()).find("/nonexistent"), std::string::npos);
  EXPECT_NE(openError(""), "");
  EXPECT_NE(openError("short"), "");
  EXPECT_NE(openError(std::string(4096, 'x')), "");

  std::string bytes = libraryBytes();
  bytes[offsetof(builtin_format::Header, version)] ^= 1;
  EXPECT_NE(openError(bytes).find("version of Clotho"), std::string::npos);
  bytes = libraryBytes();
  bytes[offsetof(builtin_format::Header, llvmMajor)] ^= 1;
  EXPECT_NE(openError(bytes).find("version of LLVM"), std::string::npos);
}

TEST(BuiltinLibraryFile, TruncationIsAnError) {
  const std::string bytes = libraryBytes();
  for (std::size_t size : {std::size_t{8}, std::size_t{47}, std::size_t{48}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_NE(openError(StringRef(bytes).take_front(size)), "") << size;
  EXPECT_NE(openError(bytes + "x"), "");
}

TEST(BuiltinLibraryFile, DamagedIndexIsAnError) {
  const std::string good = libraryBytes();
  builtin_format::Header header;
  std::memcpy(&header, good.data(), sizeof header);
  const std::size_t indexEnd = sizeof header + header.moduleCount * sizeof(builtin_format::Module) +
                               header.symbolCount * sizeof(builtin_format::Symbol) + header.nameBytes;
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    std::string bytes = good;
    bytes[random() % indexEnd] ^= static_cast<char>(1 << random() % 8);
    EXPECT_NE(openError(bytes), "");
  }
}

// Even with a checksum that fits, numbers that point outside are found.
TEST(BuiltinLibraryFile, WildIndexIsAnError) {
  const std::string good = libraryBytes();
  builtin_format::Header header;
  std::memcpy(&header, good.data(), sizeof header);
  const std::size_t moduleBytes = header.moduleCount * sizeof(builtin_format::Module);
  const std::size_t indexBytes = moduleBytes + header.symbolCount * sizeof(builtin_format::Symbol) + header.nameBytes;
  for (std::size_t at : {sizeof header, sizeof header + 8, sizeof header + moduleBytes, sizeof header + moduleBytes + 4,
                         sizeof header + moduleBytes + 8}) {
    std::string bytes = good;
    bytes[at + 3] = 0x7f;
    header.indexHash = llvm::xxh3_64bits(StringRef(bytes).substr(sizeof header, indexBytes));
    std::memcpy(bytes.data(), &header, sizeof header);
    EXPECT_NE(openError(bytes), "") << at;
  }
}

TEST(BuiltinLibraryFile, DamagedBitcodeIsAnErrorWhenUsed) {
  std::string bytes = libraryBytes();
  builtin_format::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t indexEnd = sizeof header + header.moduleCount * sizeof(builtin_format::Module) +
                               header.symbolCount * sizeof(builtin_format::Symbol) + header.nameBytes;
  for (std::size_t at = indexEnd; at < bytes.size(); at += 64)
    bytes[at] ^= 0x10;
  const TemporaryFile file(bytes);
  auto library = BuiltinLibrary::open(file.path());
  ASSERT_TRUE(static_cast<bool>(library)) << llvm::toString(library.takeError());
  llvm::LLVMContext context;
  auto module = parse(context, "declare spir_func float @_Z3sinf(float)");
  ASSERT_TRUE(module);
  EXPECT_NE(linkError(**library, *module).find("checksum"), std::string::npos);
}

} // namespace
} // namespace clotho::compiler
