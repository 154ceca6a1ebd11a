// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/builtins/properties.hpp"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace clotho::compiler {
namespace {

TEST(BuiltinBaseName, UndoesTheMangling) {
  EXPECT_EQ(builtinBaseName("_Z3sinDv4_f"), "sin");
  EXPECT_EQ(builtinBaseName("_Z12get_local_idj"), "get_local_id");
  EXPECT_EQ(builtinBaseName("plain"), "plain");
  EXPECT_EQ(builtinBaseName("_Z99short"), "_Z99short");
  EXPECT_EQ(builtinBaseName("_Zsin"), "_Zsin");
  EXPECT_EQ(builtinBaseName("_Z99999999999999999999x"), "_Z99999999999999999999x");
}

TEST(BuiltinProperties, FollowTheTable) {
  const auto sine = builtinProperties("_Z3sinf");
  ASSERT_TRUE(sine);
  EXPECT_FALSE(sine->convergent);
  EXPECT_EQ(sine->memory, BuiltinMemory::None);
  EXPECT_EQ(sine->uniformity, BuiltinUniformity::FollowsArguments);

  const auto barrier = builtinProperties("_Z7barrierj");
  ASSERT_TRUE(barrier);
  EXPECT_TRUE(barrier->convergent);
  EXPECT_EQ(barrier->memory, BuiltinMemory::Any);

  EXPECT_EQ(builtinProperties("_Z12get_group_idj")->uniformity, BuiltinUniformity::WorkGroup);
  EXPECT_EQ(builtinProperties("_Z12get_local_idj")->uniformity, BuiltinUniformity::Varying);
  EXPECT_EQ(builtinProperties("_Z10atomic_addPU3AS1Vii")->uniformity, BuiltinUniformity::Varying);
  EXPECT_EQ(builtinProperties("_Z16convert_int4_satDv4_f")->memory, BuiltinMemory::None);
  EXPECT_EQ(builtinProperties("_Z5fractfPU3AS4f")->memory, BuiltinMemory::Arguments);
  EXPECT_TRUE(builtinProperties("_Z20work_group_broadcastim")->convergent);
  EXPECT_TRUE(builtinProperties("_Z17wait_group_eventsiPU3AS49ocl_event")->convergent);
}

TEST(BuiltinProperties, ProgramsFunctionsHaveNone) {
  EXPECT_FALSE(builtinProperties("_Z7unknownf"));
  EXPECT_FALSE(builtinProperties("dot")) << "builtins are mangled";
  EXPECT_TRUE(builtinProperties("printf"));
}

TEST(BuiltinProperties, ReplaceWhatProducersSay) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(R"(
    declare spir_func float @_Z3sinf(float) #0
    declare spir_func void @_Z7barrierj(i32) #1
    declare spir_func i32 @_Z10atomic_incPU3AS1Vi(ptr addrspace(1)) #1
    declare spir_func void @other(float) #0
    define spir_kernel void @k(ptr addrspace(1) %p) {
      %s = call spir_func float @_Z3sinf(float 1.0) #0
      call spir_func void @_Z7barrierj(i32 1) #1
      %o = call spir_func i32 @_Z10atomic_incPU3AS1Vi(ptr addrspace(1) %p) #1
      call spir_func void @other(float %s) #0
      ret void
    }
    attributes #0 = { convergent }
    attributes #1 = { memory(none) willreturn })",
                                          error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  applyBuiltinProperties(*module);

  const llvm::Function* sine = module->getFunction("_Z3sinf");
  EXPECT_FALSE(sine->isConvergent());
  EXPECT_TRUE(sine->doesNotAccessMemory());
  const llvm::Function* barrier = module->getFunction("_Z7barrierj");
  EXPECT_TRUE(barrier->isConvergent());
  EXPECT_FALSE(barrier->doesNotAccessMemory());
  EXPECT_FALSE(module->getFunction("_Z10atomic_incPU3AS1Vi")->onlyAccessesArgMemory());
  EXPECT_TRUE(module->getFunction("other")->isConvergent()) << "not a builtin";

  auto call = module->getFunction("k")->getEntryBlock().begin();
  const auto* toSine = llvm::cast<llvm::CallInst>(&*call++);
  EXPECT_FALSE(toSine->isConvergent());
  EXPECT_TRUE(toSine->doesNotAccessMemory());
  const auto* toBarrier = llvm::cast<llvm::CallInst>(&*call++);
  EXPECT_TRUE(toBarrier->isConvergent());
  EXPECT_TRUE(toBarrier->mayWriteToMemory());
  EXPECT_TRUE(llvm::cast<llvm::CallInst>(&*call++)->mayWriteToMemory());
  EXPECT_TRUE(llvm::cast<llvm::CallInst>(&*call++)->isConvergent());
}

} // namespace
} // namespace clotho::compiler
