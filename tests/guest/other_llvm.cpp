// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An application that links another LLVM (Debian's 15) and compiles and runs code with it before and after kernels are
// built, all symbols of both in the global scope. usage: other_llvm libclotho.so
#include "guest.hpp"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

namespace {

/// int name(int a, int b) { return a * b + add; }
LLVMModuleRef makeModule(LLVMContextRef context, const char* name, unsigned add) {
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext(name, context);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
  LLVMTypeRef parameters[] = {i32, i32};
  LLVMValueRef function = LLVMAddFunction(module, name, LLVMFunctionType(i32, parameters, 2, 0));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "entry"));
  LLVMValueRef product = LLVMBuildMul(builder, LLVMGetParam(function, 0), LLVMGetParam(function, 1), "product");
  LLVMBuildRet(builder, LLVMBuildAdd(builder, product, LLVMConstInt(i32, add, 0), "sum"));
  LLVMDisposeBuilder(builder);
  char* message = nullptr;
  REQUIRE(LLVMVerifyModule(module, LLVMReturnStatusAction, &message) == 0);
  LLVMDisposeMessage(message);
  return module;
}

/// Compiles to an object file in memory; returns its size.
std::size_t compileWithOwnLlvm() {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = makeModule(context, "compiled", 1);
  char* message = nullptr;
  char* triple = LLVMGetDefaultTargetTriple();
  LLVMTargetRef target = nullptr;
  REQUIRE(LLVMGetTargetFromTriple(triple, &target, &message) == 0);
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
  LLVMMemoryBufferRef object = nullptr;
  REQUIRE(LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object) == 0);
  const std::size_t size = LLVMGetBufferSize(object);
  const char magic[] = {0x7f, 'E', 'L', 'F'};
  REQUIRE(size > 100 && std::memcmp(LLVMGetBufferStart(object), magic, sizeof magic) == 0);
  LLVMDisposeMemoryBuffer(object);
  LLVMDisposeTargetMachine(machine);
  LLVMDisposeMessage(triple);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return size;
}

void jitWithOwnLlvm(unsigned add) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMExecutionEngineRef engine = nullptr;
  char* message = nullptr;
  LLVMMCJITCompilerOptions options;
  LLVMInitializeMCJITCompilerOptions(&options, sizeof options);
  REQUIRE(LLVMCreateMCJITCompilerForModule(&engine, makeModule(context, "jitted", add), &options, sizeof options,
                                           &message) == 0);
  const auto function = reinterpret_cast<int (*)(int, int)>(LLVMGetFunctionAddress(engine, "jitted"));
  REQUIRE(function && function(6, 7) == 42 + int(add));
  LLVMDisposeExecutionEngine(engine);
  LLVMContextDispose(context);
}

void requireMapped(const char* part, bool expected) {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  REQUIRE(maps != nullptr);
  bool found = false;
  for (char line[4096]; std::fgets(line, sizeof line, maps);)
    found |= std::strstr(line, part) != nullptr;
  std::fclose(maps);
  if (found != expected) std::fprintf(stderr, "%s: mapped %d\n", part, int(found));
  REQUIRE(found == expected);
}

} // namespace

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  LLVMLinkInMCJIT();
  REQUIRE(dlopen("libLLVM-15.so.1", RTLD_NOW | RTLD_GLOBAL) != nullptr);
  REQUIRE(dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) != nullptr);
  const std::size_t before = compileWithOwnLlvm();
  jitWithOwnLlvm(100);
  {
    guest::Session session;
    for (unsigned i = 0; i < 3; ++i) {
      guest::computeSomething(session, int(i));
      REQUIRE(compileWithOwnLlvm() == before);
      jitWithOwnLlvm(i);
    }
  }
  jitWithOwnLlvm(5);
  requireMapped("libLLVM-15", true);
  requireMapped("libLLVM.so.22", false);
  requireMapped("libclang-cpp", false);
  return 0;
}
