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

/// State and helpers of the SPIR-V reader. Each part reads a family of instructions: its function returns false for
/// instructions of other families.
namespace clotho::compiler::spirv {

/// Numbers of the storage classes' address spaces in portable modules.
enum AddressSpace : unsigned { kPrivateSpace, kGlobalSpace, kConstantSpace, kLocalSpace, kGenericSpace };

/// Most parts of an LLVM value: each becomes a separate operand once the code generator splits values.
inline constexpr std::uint64_t kMostParts = 1024;

/// A type as SPIR-V declares it.
struct Type {
  spv::Op op = spv::OpNop;
  llvm::Type* type = nullptr; ///< Type of its values in the portable module; null if they have none (sampled images)
  /// Element type of vectors and arrays; pointee type, or 0 if the pointer is untyped; sampled type of an image.
  Id element = 0;
  unsigned elements = 1;   ///< Number of elements of a vector or an array
  std::uint64_t parts = 1; ///< How many numbers, pointers and objects are in a value of it
  unsigned bits = 0;       ///< Width of integers and floats
  unsigned depth = 0;      ///< Nesting depth of arrays and structs
  bool isBfloat = false;   ///< Whether 16-bit floats have the exponent of 32 bits; a value is kept as its bits
  spv::StorageClass storage = spv::StorageClassFunction; ///< Storage class of a pointer
  // Properties of images and pipes.
  spv::Dim dim = spv::Dim1D;
  bool isDepth = false, isArray = false;
  spv::AccessQualifier access = spv::AccessQualifierReadOnly;
  Id image = 0;                     ///< Image type of a sampled image
  llvm::SmallVector<Id, 8> members; ///< Member types of a struct; parameter types of a function
};

struct Decoration {
  spv::Decoration kind;
  Words operands;
};

/// Floating-point modes of entry points.
struct FloatModes {
  bool contracts = true;    ///< products and sums may be one operation: there is no ContractionOff
  bool hasDefaults = false; ///< the bits in `defaults` say all that is allowed (FPFastMathDefault)
  /// FPFastMathMode of undecorated operations on halves, floats and doubles.
  std::array<std::uint32_t, 3> defaults = {0, 0, 0};
};

/// A map by id. Keys are wider than ids, so that even an invalid id differs from the two keys that DenseMap reserves.
template <class T> using IdMap = llvm::DenseMap<std::uint64_t, T>;

/// Effects of calling a builtin function, as clang's attributes describe them.
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

  /// Records the first failure. Reading continues with poison until the end of the instruction.
  void fail(const llvm::Twine& why);
  bool failed() const { return !failure_.empty(); }

  llvm::LLVMContext& context() const { return *context_; }
  llvm::Module& module() const { return *module_; }
  const BuildOptions& options() const { return *options_; }
  /// Modes of the kernels that run the current function.
  const FloatModes& arithmetic() const { return arithmetic_; }
  /// Whether fast-math decorations are complete (SPV_KHR_float_controls2).
  bool hasFloatControls2() const { return hasFloatControls2_; }
  /// Whether a kernel of the module has this mode for denormal numbers of this width (DenormFlushToZero,
  /// DenormPreserve).
  bool hasDenormalMode(spv::ExecutionMode mode, unsigned bits) const {
    return denormalModes_.contains({static_cast<std::uint32_t>(mode), bits});
  }
  std::uint32_t version() const { return parsed_.version; }

  /// Inserts the instructions of the current function.
  llvm::IRBuilder<> builder;

  // Types.
  const Type& type(Id id);
  bool isKnownType(Id id) const { return types_.contains(id); }
  llvm::Type* llvmType(Id id);
  /// The type of an id's value.
  Id typeIdOf(Id value) const { return valueTypes_.lookup(value); }
  const Type& typeOf(Id value) { return type(typeIdOf(value)); }
  /// The pointee type of a pointer; 0 if it is untyped (SPV_KHR_untyped_pointers).
  Id pointee(Id pointer) {
    const Id data = dataTypes_.lookup(pointer);
    return data != 0 ? data : typeOf(pointer).element;
  }
  void setPointee(Id variable, Id data) { dataTypes_[variable] = data; }
  /// The type as a parameter of a builtin function. `isSigned`: for integers, which have no sign in SPIR-V's Kernel
  /// environment.
  ParameterType parameter(Id type, bool isSigned = false);
  ParameterType parameterFor(Id value, bool isSigned = false) { return parameter(typeIdOf(value), isSigned); }

  // Values.
  llvm::Value* value(Id id);
  /// The value of an integer constant, for operands that must be one (scopes, semantics, literal indices); fails
  /// otherwise.
  std::optional<std::uint64_t> constant(Id id);
  /// Defines an instruction's result, and gives it its name.
  void define(const Instruction& instruction, llvm::Value* value);
  /// The image and the sampler of a sampled image (OpSampledImage).
  std::pair<llvm::Value*, llvm::Value*> sampledImage(Id id) const { return sampledImages_.lookup(id); }
  void defineSampledImage(const Instruction& instruction, llvm::Value* image, llvm::Value* sampler);

  // Decorations and names.
  llvm::ArrayRef<Decoration> decorations(Id id) const;
  const Decoration* decoration(Id id, spv::Decoration kind) const;
  std::string name(Id id) const { return names_.lookup(id); }
  /// Internal name of a function or variable of the module. No builtin or library function has such a name, so their
  /// calls cannot be confused.
  std::string ownName(Id id) const {
    const std::string given = name(id);
    return given.empty() ? given : "spirv." + given;
  }
  /// The text of an OpString, or the set that an OpExtInstImport names.
  std::string text(Id id) const { return texts_.lookup(id); }

  // Calls of builtin functions, by the names that clang gives them.
  struct Argument {
    llvm::Value* value;
    ParameterType type;
  };
  Argument argument(Id id, bool isSigned = false) { return {value(id), parameterFor(id, isSigned)}; }
  Argument intArgument(std::int64_t number, bool isSigned = true);
  llvm::CallInst* call(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<Argument> arguments, Effects effects);
  /// Calls an elementwise function. Vectors of lengths that OpenCL C lacks are padded.
  llvm::Value* callForElements(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<Argument> arguments);
  /// Calls a function by its complete name, such as clang's `printf` or `__enqueue_kernel_basic`.
  llvm::CallInst* callNamed(llvm::StringRef mangled, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments,
                            Effects effects, bool isVariadic = false);
  /// The pointer cast to the generic address space, which the builtins of OpenCL C 2.0 take.
  llvm::Value* generic(llvm::Value* pointer);
  /// Converts between booleans of SPIR-V and the integers that OpenCL C's functions use for them (int, or vectors of
  /// integers).
  llvm::Value* truth(llvm::Value* number);
  llvm::Value* number(llvm::Value* truth, llvm::Type* integer);
  /// An alloca at the beginning of the function.
  llvm::AllocaInst* temporary(llvm::Type* type);
  /// Calls a function that `fill` writes, for instructions that need branches: new blocks in the current function would
  /// confuse phis, which name blocks of the module.
  llvm::CallInst* callWritten(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments,
                              llvm::function_ref<void(llvm::IRBuilder<>&, llvm::Function&)> fill);
  /// Stack of variable-length arrays of the current function (dynamic_arrays.cpp).
  struct ArrayStack {
    llvm::AllocaInst* memory; ///< Memory of this work-item for the arrays
    llvm::AllocaInst* top;    ///< Variable with the offset of the first byte that no array uses
  };
  const ArrayStack& arrayStack();
  /// Converts a value to a type of the same structure (OpCopyLogical); null after a failure.
  llvm::Value* copyLogically(llvm::Value* from, llvm::Type* to);
  // Large values (large_values.cpp): copies in private memory, since LLVM values cannot have so many parts.
  bool isLargeType(Id id) { return type(id).parts > kMostParts; }
  /// Whether the id is such a copy, or a constant of such a type.
  bool isLarge(Id value);
  /// Whether the id has an LLVM value.
  bool isKnownValue(Id id) const { return values_.contains(id); }
  /// Allocates memory for the result of an instruction; null after a failure.
  llvm::AllocaInst* makeLarge(const Instruction& instruction);
  void storeLarge(Id from, llvm::Value* to, llvm::Align aligned, bool isVolatile);
  void copyLarge(const Instruction& instruction, Id from);
  void extractLarge(const Instruction& instruction, Id from, Words indices);
  void insertLarge(const Instruction& instruction, Id part, Id into, Words indices);
  void constructLarge(const Instruction& instruction);
  /// Alignment of a variable: the larger of its decoration's and its type's.
  llvm::Align alignmentOf(Id id, llvm::Type* valueType) const;

  /// The BuiltIn of a built-in variable; nothing for other ids.
  std::optional<spv::BuiltIn> builtinVariable(Id id) const;
  /// The value of a built-in variable, converted to the type that the module declares.
  llvm::Value* builtinValue(spv::BuiltIn builtin, llvm::Type* type);
  /// Calls the OpenCL C function for a dimension beyond the three of such a value, which modules may extract as an
  /// element; null if the id is not such a value.
  llvm::Value* builtinBeyond(Id vector, std::uint32_t dimension);
  /// Records that an id is the value of a built-in variable.
  void noteBuiltinValue(Id id, spv::BuiltIn builtin) { builtinValues_[id] = builtin; }
  /// Whether the id is a variable of a sampler.
  bool isSampler(Id id) const { return samplers_.contains(id); }

  /// Metadata of an alias scope list (OpAliasScopeListDeclINTEL); null if the id is none.
  llvm::MDNode* aliasList(Id id) const { return aliasLists_.lookup(id); }

  llvm::Function* function(Id id) const { return functions_.lookup(id); }
  llvm::BasicBlock* block(Id id);

 private:
  // The order in which a module is read (reader.cpp).
  void collect();
  void verify();
  void decorateGroups(llvm::ArrayRef<const Instruction*> groups);
  void readGlobals();
  void readGlobal(const Instruction& instruction);
  void readBodies();
  void readInstruction(const Instruction& instruction);
  /// Reads a line instruction.
  void readLine(const Instruction& instruction);
  // Types (types.cpp).
  void readType(const Instruction& instruction);
  // Constants (constants.cpp).
  bool readConstant(const Instruction& instruction);
  llvm::Constant* specialised(const Instruction& instruction);
  /// Whether a constant depends on a built-in variable, such as its address.
  bool isLate(const Instruction& constant) const;
  /// Computes such a constant at a use.
  llvm::Value* lateValue(const Instruction& constant);
  // Module-scope variables of which each work-item has its own (private_variables.cpp).
  void placePrivateVariables();
  // Alias scopes (alias_scopes.cpp).
  void declareAliasScopes();
  void dropAliasScopes();
  // Variables (constants.cpp).
  void readGlobalVariable(const Instruction& instruction);
  void readLinkage(Id id, std::string& linkName, bool& isImport, llvm::GlobalValue::LinkageTypes& linkage);
  void storePart(Id part, llvm::Type* wanted, llvm::Value* at); // large_values.cpp
  // Functions (functions.cpp).
  void declareFunctions();
  void inlineUnoptimised();
  void readBody(std::size_t first, std::size_t end);
  void addParameterAttributes(llvm::Function& function, unsigned index, Id id, const Type& of);
  bool readFlow(const Instruction& instruction);
  /// Calls a function of the module, with its parameter attributes.
  llvm::CallInst* callFunction(llvm::Function& callee, llvm::ArrayRef<llvm::Value*> arguments);
  /// Calls an LLVM intrinsic that the module imports.
  void callLlvmFunction(llvm::StringRef name, const Instruction& instruction, llvm::ArrayRef<llvm::Value*> arguments);
  void fillPhis();
  void markLoops();
  void dropBlocks();
  // Function pointers (function_pointers.cpp).
  std::uint64_t numberOfFunction(Id function);
  llvm::Constant* pointerToFunction(const Instruction& instruction);
  llvm::CallInst* callThrough(llvm::Value* pointer, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
  void readPointerCall(const Instruction& instruction);
  void defineDispatches();
  /// Reads LLVM's list variables: functions to run at the program's start and end.
  void readLlvmVariable(llvm::StringRef name, Id initial);
  void listInitialisers();
  // Entry points and their modes (kernels.cpp).
  void findFloatModes();
  /// Contracts a product with a sum in the same block, as clang does in an expression, and forbids later contractions.
  /// They would depend on the surrounding code, so kernels with them have no versions (hasRelaxedArithmetic).
  void contractProducts();
  std::optional<FloatModes> floatModesOf(llvm::ArrayRef<const Instruction*> modes);
  static std::set<Id> functionsOf(Id entry, const std::map<Id, std::vector<Id>>& called);
  void makeKernels();
  /// Most bytes that a parameter's memory may have; 0: no limit.
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
  std::optional<DebugLines> lines_; ///< Line numbers; only with -g, and if the module has some

  std::map<Id, Type> types_;
  IdMap<llvm::Value*> values_;
  IdMap<Id> valueTypes_;
  IdMap<Id> dataTypes_;                         ///< Pointee types of variables whose pointer type has none
  IdMap<llvm::AllocaInst*> largeValues_;        ///< Memory that holds a copy of each large value
  IdMap<llvm::GlobalVariable*> largeConstants_; ///< Variables of the large constants that are stored
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
  llvm::SmallPtrSet<const llvm::GlobalValue*, 8> definitions_; ///< Functions with a body in the module
  llvm::SmallPtrSet<const llvm::GlobalValue*, 8> builtins_;    ///< Functions that instructions are lowered to calls of
  IdMap<llvm::BasicBlock*> blocks_;
  std::vector<std::pair<llvm::PHINode*, Words>> phis_;
  std::vector<std::pair<llvm::BasicBlock*, Words>> loops_; ///< headers, and what is said of their loops
  std::map<Id, std::uint32_t> samplers_;                   ///< Constant samplers, as sampler_t is initialised
  std::map<Id, spv::BuiltIn> builtinVariables_;
  /// Built-in of each value that was loaded from a built-in variable.
  IdMap<spv::BuiltIn> builtinValues_;
  std::optional<ArrayStack> arrayStack_;
  std::map<Id, llvm::SmallVector<Id, 8>> parameters_; ///< Parameters of each function
  std::vector<const Instruction*> entryPoints_;
  /// Execution modes of each entry point, by its function.
  std::map<Id, std::vector<const Instruction*>> modes_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> denormalModes_; ///< Modes of all entry points, with numbers of bits
  /// Modes of each function, as its entry points set them.
  std::map<Id, FloatModes> floatModes_;
  llvm::Function* function_ = nullptr; ///< Function whose body is read
  FloatModes arithmetic_;              ///< Modes of that function's arithmetic
  bool hasFloatControls2_ = false;
  bool flushesHalves_ = false; ///< denormal results of half precision become zero
};

// Families of instructions; false if the instruction is of another family.
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

/// Whether both are scalars, or vectors of the same length; in extensions.cpp.
bool areLikeVectors(llvm::Type* a, llvm::Type* b);

/// Converts 32-bit floats to the 16 bits of a bfloat16, and back; in extensions.cpp.
llvm::Value* toBfloatBits(llvm::IRBuilder<>& builder, llvm::Value* from);
llvm::Value* fromBfloatBits(llvm::IRBuilder<>& builder, llvm::Value* from);

/// An empty pipe in the program's own memory (OpConstantPipeStorage); in pipes.cpp.
llvm::Constant* makePipeStorage(Reader& reader, const Instruction& instruction);

} // namespace clotho::compiler::spirv
