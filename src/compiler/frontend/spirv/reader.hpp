// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/build_options.hpp"
#include "compiler/compiler.hpp"
#include "compiler/frontend/spirv/debug_lines.hpp"
#include "compiler/frontend/spirv/instructions.hpp"
#include "compiler/frontend/spirv/mangle.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/Twine.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// What the parts of the reader of SPIR-V share. Each part reads a family of instructions: its function takes an
/// instruction that is not of its family by returning false.
namespace clotho::compiler::spirv {

/// Numbers of the storage classes' address spaces in portable modules.
enum AddressSpace : unsigned { kPrivateSpace, kGlobalSpace, kConstantSpace, kLocalSpace, kGenericSpace };

/// Most parts that a value of LLVM may have: each is an operand of its own once the code generator takes values apart.
inline constexpr std::uint64_t kMostParts = 1024;

/// A type as SPIR-V declares it.
struct Type {
  spv::Op op = spv::OpNop;
  llvm::Type* type = nullptr; ///< as values of it are in the portable module; null where it is none (sampled images)
  /// Element type of vectors and arrays; what a pointer points to, 0 if it does not say; the sampled type of an image.
  Id element = 0;
  unsigned elements = 1;   ///< of a vector or an array
  std::uint64_t parts = 1; ///< numbers, pointers and objects of which a value of it consists
  unsigned bits = 0;       ///< of integers and floats
  unsigned depth = 0;      ///< of arrays and structs: how many stand in each other
  bool isBfloat = false;   ///< of floats of 16 bits: with the exponent of 32 bits; a value is its bits
  bool isSigned = false;   ///< of integers, which in the Kernel environment never are
  spv::StorageClass storage = spv::StorageClassFunction; ///< of pointers
  // Properties of images and pipes.
  spv::Dim dim = spv::Dim1D;
  bool isDepth = false, isArray = false;
  spv::AccessQualifier access = spv::AccessQualifierReadOnly;
  Id image = 0;                     ///< of a sampled image
  llvm::SmallVector<Id, 8> members; ///< of a struct; of a function's parameters
};

struct Decoration {
  spv::Decoration kind;
  Words operands;
};

/// What arithmetic may do, as entry points say.
struct FloatModes {
  bool contracts = true;    ///< products and sums may be one operation: there is no ContractionOff
  bool hasDefaults = false; ///< the bits in `defaults` say all that is allowed (FPFastMathDefault)
  /// Bits of FPFastMathMode for operations on halves, floats and doubles that have no decoration.
  std::array<std::uint32_t, 3> defaults = {0, 0, 0};
};

/// What is known by id. Keys are wider than ids, so that no id, however wrong, is one of the two keys by which LLVM's
/// map knows its free places.
template <class T> using IdMap = llvm::DenseMap<std::uint64_t, T>;

/// What calling a builtin function may do: as clang's attributes say it.
enum class Effects : std::uint8_t {
  None,       ///< its result depends on its arguments alone
  Reads,      ///< it reads memory
  Any,        ///< it reads and writes memory
  Convergent, ///< it also takes all work-items of a group, or of a sub-group, together
};

class Reader {
 public:
  Reader(const BuildRequest& request, const BuildOptions& options, llvm::LLVMContext& context, ParsedModule parsed);

  /// Null after a failure.
  std::unique_ptr<llvm::Module> read();
  const std::string& failure() const { return failure_; }

  /// Remembers the first reason. Reading goes on with poison until the end of the instruction.
  void fail(const llvm::Twine& why);
  bool failed() const { return !failure_.empty(); }

  llvm::LLVMContext& context() const { return *context_; }
  llvm::Module& module() const { return *module_; }
  const BuildOptions& options() const { return *options_; }
  /// What the kernels that run the function which is read say of its arithmetic.
  const FloatModes& arithmetic() const { return arithmetic_; }
  /// Whether decorations of fast arithmetic say all that is allowed (SPV_KHR_float_controls2).
  bool hasFloatControls2() const { return hasFloatControls2_; }
  /// What kernels of the module say of denormal numbers of so many bits (DenormFlushToZero, DenormPreserve).
  bool hasDenormalMode(spv::ExecutionMode mode, unsigned bits) const {
    return denormalModes_.contains({static_cast<std::uint32_t>(mode), bits});
  }
  std::uint32_t version() const { return parsed_.version; }

  /// Inserts the instructions of the function that is read.
  llvm::IRBuilder<> builder;

  // Types.
  const Type& type(Id id);
  bool isKnownType(Id id) const { return types_.contains(id); }
  llvm::Type* llvmType(Id id);
  /// The type of what is known under an id.
  Id typeIdOf(Id value) const { return valueTypes_.lookup(value); }
  const Type& typeOf(Id value) { return type(typeIdOf(value)); }
  /// The type of what a pointer points to; 0: it does not say that (SPV_KHR_untyped_pointers).
  Id pointee(Id pointer) {
    const Id data = dataTypes_.lookup(pointer);
    return data != 0 ? data : typeOf(pointer).element;
  }
  void setPointee(Id variable, Id data) { dataTypes_[variable] = data; }
  /// As a parameter of a builtin function; integers have no sign of their own in SPIR-V.
  ParameterType parameter(Id type, bool isSigned = false);
  ParameterType parameterFor(Id value, bool isSigned = false) { return parameter(typeIdOf(value), isSigned); }

  // Values.
  llvm::Value* value(Id id);
  /// The constant of an integer, for operands that must be one (scopes, semantics, literal indices); fails otherwise.
  std::optional<std::uint64_t> constant(Id id);
  /// What an instruction's result is; keeps its name, too.
  void define(const Instruction& instruction, llvm::Value* value);
  /// The image and the sampler of a sampled image (OpSampledImage).
  std::pair<llvm::Value*, llvm::Value*> sampledImage(Id id) const { return sampledImages_.lookup(id); }
  void defineSampledImage(const Instruction& instruction, llvm::Value* image, llvm::Value* sampler);

  // Decorations and names.
  llvm::ArrayRef<Decoration> decorations(Id id) const;
  const Decoration* decoration(Id id, spv::Decoration kind) const;
  std::string name(Id id) const { return names_.lookup(id); }
  /// What a function or variable of the module is called within. No builtin function or library function is called so:
  /// calls of that one would be calls of theirs.
  std::string ownName(Id id) const {
    const std::string given = name(id);
    return given.empty() ? given : "spirv." + given;
  }
  /// The text of an OpString or the set that an OpExtInstImport names.
  std::string text(Id id) const { return texts_.lookup(id); }

  // Calls of builtin functions, by the names that clang gives them.
  struct Argument {
    llvm::Value* value;
    ParameterType type;
  };
  Argument argument(Id id, bool isSigned = false) { return {value(id), parameterFor(id, isSigned)}; }
  Argument intArgument(std::int64_t number, bool isSigned = true);
  llvm::CallInst* call(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<Argument> arguments, Effects effects);
  /// Calls a function that computes each element by itself. Vectors of lengths that OpenCL C does not have are
  /// lengthened.
  llvm::Value* callForElements(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<Argument> arguments);
  /// A function by its whole name, as clang calls `printf` or `__enqueue_kernel_basic`.
  llvm::CallInst* callNamed(llvm::StringRef mangled, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments,
                            Effects effects, bool isVariadic = false);
  /// The pointer cast to the generic address space, which the builtins of OpenCL C 2.0 take.
  llvm::Value* generic(llvm::Value* pointer);
  /// Truth as OpenCL C's functions return it (int, or vectors of integers) to SPIR-V's, and back.
  llvm::Value* truth(llvm::Value* number);
  llvm::Value* number(llvm::Value* truth, llvm::Type* integer);
  /// Space for a private variable, at the beginning of the function.
  llvm::AllocaInst* temporary(llvm::Type* type);
  /// Calls a function that `fill` writes, for an instruction that needs branches: the blocks of the function that is
  /// read are those of the module, which phis name.
  llvm::CallInst* callWritten(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments,
                              llvm::function_ref<void(llvm::IRBuilder<>&, llvm::Function&)> fill);
  /// The memory of arrays whose lengths are known when the function that is read runs (dynamic_arrays.cpp).
  struct ArrayStack {
    llvm::AllocaInst* memory; ///< of this work-item
    llvm::AllocaInst* top;    ///< the offset of the first byte that no array has
  };
  const ArrayStack& arrayStack();
  /// A value as one of a type of the same shape (OpCopyLogical); null after a failure.
  llvm::Value* copyLogically(llvm::Value* from, llvm::Type* to);
  // Large values (large_values.cpp): copies in private memory, since LLVM has none of so many parts.
  bool isLargeType(Id id) { return type(id).parts > kMostParts; }
  /// Whether an id is such a copy, or a constant of such a type.
  bool isLarge(Id value);
  /// Whether an id is a value of LLVM's.
  bool isKnownValue(Id id) const { return values_.contains(id); }
  /// Memory for the result of an instruction; null after a failure.
  llvm::AllocaInst* makeLarge(const Instruction& instruction);
  void storeLarge(Id from, llvm::Value* to, llvm::Align aligned, bool isVolatile);
  void copyLarge(const Instruction& instruction, Id from);
  void extractLarge(const Instruction& instruction, Id from, Words indices);
  void insertLarge(const Instruction& instruction, Id part, Id into, Words indices);
  void constructLarge(const Instruction& instruction);
  /// A variable is as aligned as its decoration says, and as its type is.
  llvm::Align alignmentOf(Id id, llvm::Type* valueType) const;

  /// What a variable of the device (BuiltIn) says; nothing where an id is none.
  std::optional<spv::BuiltIn> builtinVariable(Id id) const;
  /// Its value, of the type that the module gives it.
  llvm::Value* builtinValue(spv::BuiltIn builtin, llvm::Type* type);
  /// Calls OpenCL C's function for a dimension beyond the three of such a value, which modules may take from it as
  /// that element; null: the id is no such value.
  llvm::Value* builtinBeyond(Id vector, std::uint32_t dimension);
  /// Remembers that an id is the value of a variable of the device.
  void noteBuiltinValue(Id id, spv::BuiltIn builtin) { builtinValues_[id] = builtin; }
  /// The sampler of a variable that is one.
  bool isSampler(Id id) const { return samplers_.contains(id); }

  /// The metadata of a list of scopes (OpAliasScopeListDeclINTEL); null if the id is none.
  llvm::MDNode* aliasList(Id id) const { return aliasLists_.lookup(id); }

  llvm::Function* function(Id id) const { return functions_.lookup(id); }
  llvm::BasicBlock* block(Id id);

 private:
  // reader.cpp: the order in which a module is read.
  void collect();
  void verify();
  void decorateGroups(llvm::ArrayRef<const Instruction*> groups);
  void readGlobals();
  void readGlobal(const Instruction& instruction);
  void readBodies();
  void readInstruction(const Instruction& instruction);
  /// What an instruction says of lines.
  void readLine(const Instruction& instruction);
  // types.cpp
  void readType(const Instruction& instruction);
  // constants.cpp
  bool readConstant(const Instruction& instruction);
  llvm::Constant* specialised(const Instruction& instruction);
  /// Whether a constant is made of what the device says of a work-item, such as the address of a variable that does.
  bool isLate(const Instruction& constant) const;
  /// Computes such a constant where an instruction uses it.
  llvm::Value* lateValue(const Instruction& constant);
  // private_variables.cpp: variables of the module of which each work-item has its own
  void placePrivateVariables();
  // alias_scopes.cpp
  void declareAliasScopes();
  void dropAliasScopes();
  void readGlobalVariable(const Instruction& instruction);
  void readLinkage(Id id, std::string& linkName, bool& isImport, llvm::GlobalValue::LinkageTypes& linkage);
  void storePart(Id part, llvm::Type* wanted, llvm::Value* at); // large_values.cpp
  // functions.cpp
  void declareFunctions();
  void inlineUnoptimised();
  void readBody(std::size_t first, std::size_t end);
  void addParameterAttributes(llvm::Function& function, unsigned index, Id id, const Type& of);
  bool readFlow(const Instruction& instruction);
  /// Calls one of the module's own functions, with what is known of its parameters.
  llvm::CallInst* callFunction(llvm::Function& callee, llvm::ArrayRef<llvm::Value*> arguments);
  /// Calls one of LLVM's own functions that the module imports.
  void callLlvmFunction(llvm::StringRef name, const Instruction& instruction, llvm::ArrayRef<llvm::Value*> arguments);
  void fillPhis();
  void markLoops();
  void dropBlocks();
  // function_pointers.cpp
  std::uint64_t numberOfFunction(Id function);
  llvm::Constant* pointerToFunction(const Instruction& instruction);
  llvm::CallInst* callThrough(llvm::Value* pointer, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
  void readPointerCall(const Instruction& instruction);
  void defineDispatches();
  /// What LLVM's own variables list: functions that a program runs at its beginning and at its end.
  void readLlvmVariable(llvm::StringRef name, Id initial);
  void listInitialisers();
  // kernels.cpp: entry points and their modes
  void findFloatModes();
  std::optional<FloatModes> floatModesOf(llvm::ArrayRef<const Instruction*> modes);
  static std::set<Id> functionsOf(Id entry, const std::map<Id, std::vector<Id>>& called);
  void makeKernels();
  /// The bytes that a parameter's memory may have at most; 0: any number.
  std::uint32_t maxByteOffset(Id id);
  llvm::Function* makeKernel(const Instruction& entryPoint, llvm::Function& body);
  void readMode(const Instruction& mode, llvm::Function& kernel);
  void checkLimits(const llvm::Function& kernel);

  const BuildRequest* request_;
  const BuildOptions* options_;
  llvm::LLVMContext* context_;
  std::unique_ptr<llvm::Module> module_;
  ParsedModule parsed_;
  std::string failure_;
  std::optional<DebugLines> lines_; ///< with -g, of a module that tells some

  std::map<Id, Type> types_;
  IdMap<llvm::Value*> values_;
  IdMap<Id> valueTypes_;
  IdMap<Id> dataTypes_;                         ///< of variables with pointers that do not say what they point to
  IdMap<llvm::AllocaInst*> largeValues_;        ///< where copies of large values are
  IdMap<llvm::GlobalVariable*> largeConstants_; ///< those that are stored
  IdMap<const Instruction*> lateConstants_;
  unsigned lateValues_ = 0, lateDepth_ = 0; ///< how many were computed, and how many are being computed
  llvm::SmallVector<llvm::GlobalVariable*, 4> privateVariables_;
  IdMap<llvm::MDNode*> aliasLists_;
  llvm::SmallPtrSet<const llvm::Function*, 8> waiting_; ///< functions with instructions that work-items run together
  std::uint64_t moduleHash_ = 0;
  IdMap<Id> functionConstants_; ///< functions, by the constants that are their addresses
  struct Initialiser {
    Id function;
    int priority;
    bool isFinal; ///< runs at the end
  };
  std::vector<Initialiser> initialisers_;
  std::map<Id, std::uint64_t>
      pointedFunctions_; ///< those that pointers lead to, with the numbers that the pointers are
  llvm::MapVector<llvm::FunctionType*, llvm::Function*> dispatches_; ///< what calls through pointers, by types
  IdMap<std::string> llvmFunctions_;                                 ///< imported ones, by their names
  IdMap<std::pair<llvm::Value*, llvm::Value*>> sampledImages_;
  IdMap<llvm::SmallVector<Decoration, 2>> decorations_;
  IdMap<std::string> names_, texts_;
  IdMap<llvm::Function*> functions_;
  llvm::SmallPtrSet<const llvm::GlobalValue*, 8> definitions_; ///< of functions that have a body in the module
  llvm::SmallPtrSet<const llvm::GlobalValue*, 8> builtins_;    ///< functions that instructions are calls of
  IdMap<llvm::BasicBlock*> blocks_;
  std::vector<std::pair<llvm::PHINode*, Words>> phis_;
  std::vector<std::pair<llvm::BasicBlock*, Words>> loops_; ///< headers, and what is said of their loops
  std::map<Id, std::uint32_t> samplers_;                   ///< constant ones, as sampler_t is initialised
  std::map<Id, spv::BuiltIn> builtinVariables_;
  IdMap<spv::BuiltIn> builtinValues_; ///< loaded ones
  std::optional<ArrayStack> arrayStack_;
  std::map<Id, llvm::SmallVector<Id, 8>> parameters_; ///< of functions
  std::vector<const Instruction*> entryPoints_;
  std::map<Id, std::vector<const Instruction*>> modes_;             ///< of entry points, by their functions
  std::set<std::pair<std::uint32_t, std::uint32_t>> denormalModes_; ///< of all entry points, with numbers of bits
  std::map<Id, FloatModes> floatModes_;                             ///< of functions, as the entry points say
  llvm::Function* function_ = nullptr;                              ///< whose body is read
  FloatModes arithmetic_;                                           ///< what its arithmetic may do
  bool hasFloatControls2_ = false;
  bool flushesHalves_ = false; ///< denormal results of half precision become zero
};

// Families of instructions; false: it is of another family.
bool readArithmetic(Reader& reader, const Instruction& instruction);   // arithmetic.cpp
bool readConversion(Reader& reader, const Instruction& instruction);   // conversions.cpp
bool readComposite(Reader& reader, const Instruction& instruction);    // composites.cpp
bool readMemory(Reader& reader, const Instruction& instruction);       // memory.cpp
bool readInteger(Reader& reader, const Instruction& instruction);      // integer.cpp: bits, dot products, hints
bool readExtended(Reader& reader, const Instruction& instruction);     // extended.cpp: OpExtInst of OpenCL.std
bool readAtomic(Reader& reader, const Instruction& instruction);       // atomics.cpp
bool readGroup(Reader& reader, const Instruction& instruction);        // groups.cpp: barriers, groups, sub-groups
bool readImage(Reader& reader, const Instruction& instruction);        // images.cpp
bool readPipe(Reader& reader, const Instruction& instruction);         // pipes.cpp
bool readDeviceQueue(Reader& reader, const Instruction& instruction);  // device_queues.cpp
bool readExtension(Reader& reader, const Instruction& instruction);    // extensions.cpp: small ones
bool readDynamicArray(Reader& reader, const Instruction& instruction); // dynamic_arrays.cpp

/// Whether both are scalars, or vectors of as many elements; in extensions.cpp.
bool areLikeVectors(llvm::Type* a, llvm::Type* b);

/// Floats of 32 bits as the 16 bits of a bfloat16, and back; in extensions.cpp.
llvm::Value* toBfloatBits(llvm::IRBuilder<>& builder, llvm::Value* from);
llvm::Value* fromBfloatBits(llvm::IRBuilder<>& builder, llvm::Value* from);

/// A block of the program's memory that is a pipe, empty as yet (OpConstantPipeStorage); in pipes.cpp.
llvm::Constant* makePipeStorage(Reader& reader, const Instruction& instruction);

} // namespace clotho::compiler::spirv
