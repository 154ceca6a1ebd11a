// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "base/opencl_version.hpp"
#include "base/spirv.hpp"
#include "capture/file.hpp"

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APInt.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <optional>
#include <string>
#include <utility>

using namespace clotho;

namespace {

/// Whether the text is a version's, of a kernel that is named if the version is not for all of them.
bool readVersion(const CompileCommand& command, CodeVersion& version) {
  if (command.version.empty()) return true;
  const auto parsed = CodeVersion::parse(command.version);
  if (!parsed || (!parsed->isForAnyLaunch() && command.kernel.empty())) {
    llvm::errs() << "clotho: --code-version '" << command.version
                 << "': " << (parsed ? "no --kernel is named" : "not what a version is for") << '\n';
    return false;
  }
  version = *parsed;
  return true;
}

std::string bytesOf(const llvm::APInt& value, std::uint32_t size) {
  std::string bytes;
  for (std::uint32_t i = 0; i < size; ++i)
    bytes += static_cast<char>(value.extractBitsAsZExtValue(8, i * 8));
  return bytes;
}

std::optional<std::string> realBytes(llvm::StringRef text, std::uint32_t size) {
  llvm::APFloat value(size == 2   ? llvm::APFloat::IEEEhalf()
                      : size == 4 ? llvm::APFloat::IEEEsingle()
                                  : llvm::APFloat::IEEEdouble());
  auto status = value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  return bytesOf(value.bitcastToAPInt(), size);
}

/// Any number that the type can hold as signed or as unsigned, since the type does not say which it is.
std::optional<std::string> integerBytes(llvm::StringRef text, std::uint32_t size) {
  const unsigned bits = size * 8;
  const bool isNegative = text.consume_front("-");
  llvm::APInt value;
  if (text.getAsInteger(0, value)) return std::nullopt;
  if (value.getActiveBits() > bits) return std::nullopt;
  value = value.zextOrTrunc(bits);
  if (isNegative) {
    if (value.ugt(llvm::APInt::getSignedMinValue(bits))) return std::nullopt;
    value.negate();
  }
  return bytesOf(value, size);
}

std::optional<std::string> valueBytes(llvm::StringRef text, const spirv::SpecialisableConstant& constant) {
  if (constant.isReal) return realBytes(text, constant.size);
  if (!constant.isBoolean) return integerBytes(text, constant.size);
  if (text == "true" || text == "1") return std::string(1, '\1');
  if (text == "false" || text == "0") return std::string(1, '\0');
  return std::nullopt;
}

/// Whether each names a constant of the module and a value of its type.
bool readConstants(const std::vector<std::string>& texts, llvm::StringRef il, std::vector<SpecConstant>& constants) {
  if (texts.empty()) return true;
  const auto complain = [](llvm::StringRef text, const char* why) {
    llvm::errs() << "clotho: --spec " << text << ": " << why << '\n';
    return false;
  };
  const auto words = spirvWords(il);
  if (!words) return complain(texts.front(), "the program is no SPIR-V");
  const auto known = spirv::specialisableConstants(*words);
  for (llvm::StringRef text : texts) {
    const auto [number, value] = text.split('=');
    std::uint32_t id = 0;
    if (number.getAsInteger(10, id) || value.empty()) return complain(text, "not ID=VALUE");
    const auto found = llvm::find_if(known, [&](const auto& constant) { return constant.id == id; });
    if (found == known.end()) return complain(text, "the program has no constant of this number");
    auto bytes = valueBytes(value, *found);
    if (!bytes) return complain(text, "the constant is of a type that has no such value");
    // The last value that is given counts, as it does for clSetProgramSpecializationConstant.
    llvm::erase_if(constants, [&](const SpecConstant& constant) { return constant.id == id; });
    constants.push_back({id, std::move(*bytes)});
  }
  llvm::sort(constants, [](const SpecConstant& a, const SpecConstant& b) { return a.id < b.id; });
  return true;
}

/// The program of a captured launch, with the options with which it was built.
bool readCapture(llvm::StringRef bytes, const CompileCommand& command, BuildRequest& request) {
  const auto complain = [&](const std::string& why) {
    llvm::errs() << "clotho: " << command.input << ": " << why << '\n';
    return false;
  };
  std::string why;
  const auto contents = capture::parse(bytes, why);
  if (!contents) return complain(why);
  const capture::Program& program = contents->description.program;
  const capture::Unit& unit = program.units.front();
  if (program.isLinked || unit.language == capture::Language::Binary)
    return complain("the captured program is no source that is built in one step");
  (unit.language == capture::Language::Il ? request.il : request.source) = unit.text;
  request.options = unit.options + (command.options.empty() ? "" : " " + command.options);
  request.workingDirectory = unit.folder;
  for (const capture::Named& header : unit.headers)
    request.headers.push_back({header.name, header.text});
  for (const capture::Constant& constant : unit.constants)
    request.specConstants.push_back({constant.id, constant.bytes});
  return true;
}

} // namespace

bool readProgram(const CompileCommand& command, BuildRequest& request) {
  const auto file = llvm::MemoryBuffer::getFileOrSTDIN(command.input);
  if (!file) {
    llvm::errs() << "clotho: " << command.input << ": " << file.getError().message() << '\n';
    return false;
  }
  const llvm::StringRef bytes = (*file)->getBuffer();
  // The magic number in either byte order. What begins so is no source, whether the rest is as it should be or not.
  const bool isSpirv = bytes.starts_with("\x03\x02\x23\x07") || bytes.starts_with("\x07\x23\x02\x03");
  llvm::SmallString<256> directory;
  if (!llvm::sys::fs::current_path(directory)) request.workingDirectory = directory.str().str();
  if (bytes.starts_with(capture::kMagic)) {
    if (!readCapture(bytes, command, request)) return false;
  } else {
    (isSpirv ? request.il : request.source) = bytes.str();
    request.options = command.options;
  }
  request.target.cpu = command.cpu;
  if (!command.gpu.empty()) {
    request.target.kind = TargetKind::Nvptx;
    request.target.cpu = command.gpu;
  }
  request.kernel = command.kernel;
  request.openclVersion = macroOf(chosenOpenClVersion());
  return readVersion(command, request.version) &&
         readConstants(command.specConstants, request.il, request.specConstants);
}
