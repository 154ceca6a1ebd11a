// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/program.hpp"

#include "replay/source_files.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace clotho::replay {

namespace {

using capture::Language;
using capture::Unit;

/// Options that only Clotho knows are left out for others.
std::string optionsFor(const Driver& driver, const std::string& options) {
  if (driver.isClotho()) return options;
  std::vector<std::string> words = wordsOf(options);
  std::erase_if(words, [](const std::string& word) { return word.starts_with("-clotho-"); });
  return joinedOptions(words);
}

/// Whether a kernel that is added to the source can name the variable.
bool isNameable(const capture::Variable& variable) {
  return std::all_of(variable.name.begin(), variable.name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }) &&
         !variable.name.starts_with("_Z");
}

/// Kernels that set and get variables. The program may have macros for all but reserved words.
std::string accessors(const capture::Description& description) {
  const std::string item = "[get_global_id(0)]", bytes = "__global unsigned char*", other = "clotho_replay_bytes";
  std::string text = "\n";
  for (std::size_t i = 0; i < description.variables.size(); ++i) {
    if (!isNameable(description.variables[i])) continue;
    const std::string& name = description.variables[i].name;
    const std::string own = "((" + bytes + ")&" + name + ")" + item;
    const std::string parameter = "(" + bytes + " " + other + ")";
    text += "#undef " + name + "\n";
    text += "__kernel void " + setterOf(i) + parameter + " { " + own + " = " + other + item + "; }\n";
    text += "__kernel void " + getterOf(i) + parameter + " { " + other + item + " = " + own + "; }\n";
  }
  return text;
}

class Builder {
 public:
  Builder(const Driver& driver, cl_context context, std::string extra)
      : driver_(driver), calls_(driver.calls()), context_(context), extra_(std::move(extra)) {}

  ProgramHandle create(const Unit& unit, const std::string& added) const {
    cl_int status = CL_SUCCESS;
    const cl_device_id device = driver_.device();
    const auto* bytes = reinterpret_cast<const unsigned char*>(unit.text.data());
    const std::size_t size = unit.text.size();
    cl_program program = nullptr;
    if (unit.language == Language::Source) {
      const std::string text = unit.text + added;
      const char* pointer = text.c_str();
      program = calls_.clCreateProgramWithSource(context_, 1, &pointer, nullptr, &status);
    } else if (unit.language == Language::Il) {
      program = calls_.clCreateProgramWithIL(context_, bytes, size, &status);
    } else {
      program = calls_.clCreateProgramWithBinary(context_, 1, &device, &size, &bytes, nullptr, &status);
    }
    require(status, "the creation of the program");
    ProgramHandle created(driver_, program);
    for (const capture::Constant& constant : unit.constants)
      require(
          calls_.clSetProgramSpecializationConstant(program, constant.id, constant.bytes.size(), constant.bytes.data()),
          "clSetProgramSpecializationConstant");
    return created;
  }

  ProgramHandle build(const Unit& unit, const std::string& added) const {
    const SourceFiles files(unit);
    ProgramHandle program = create(unit, added);
    // A binary without options is built as it was at first.
    const bool isAsIs = unit.language == Language::Binary && extra_.empty();
    const std::string options =
        optionsOf(unit, files) + (unit.language == Language::Source ? " -cl-kernel-arg-info" : "");
    check(calls_.clBuildProgram(program.get(), 0, nullptr, isAsIs ? nullptr : options.c_str(), nullptr, nullptr),
          program);
    return program;
  }

  ProgramHandle compile(const Unit& unit) const {
    if (unit.language == Language::Binary) return create(unit, {});
    const SourceFiles files(unit);
    ProgramHandle program = create(unit, {});
    std::vector<ProgramHandle> held;
    std::vector<cl_program> headers;
    std::vector<const char*> names;
    for (const capture::Named& header : unit.headers) {
      const char* text = header.text.c_str();
      headers.push_back(calls_.clCreateProgramWithSource(context_, 1, &text, nullptr, nullptr));
      held.emplace_back(driver_, headers.back());
      names.push_back(header.name.c_str());
    }
    check(calls_.clCompileProgram(program.get(), 0, nullptr, optionsOf(unit, files).c_str(),
                                  static_cast<cl_uint>(headers.size()), headers.empty() ? nullptr : headers.data(),
                                  names.empty() ? nullptr : names.data(), nullptr, nullptr),
          program);
    return program;
  }

  ProgramHandle link(const std::vector<ProgramHandle>& parts, const std::string& options) const {
    cl_int status = CL_SUCCESS;
    std::vector<cl_program> programs;
    for (const ProgramHandle& part : parts)
      programs.push_back(part.get());
    ProgramHandle program(driver_, calls_.clLinkProgram(context_, 0, nullptr, optionsFor(driver_, options).c_str(),
                                                        static_cast<cl_uint>(parts.size()), programs.data(), nullptr,
                                                        nullptr, &status));
    check(status, program);
    return program;
  }

 private:
  std::string optionsOf(const Unit& unit, const SourceFiles& files) const {
    return optionsFor(driver_, files.translate(unit) + " " + extra_);
  }
  void check(cl_int status, const ProgramHandle& built) const {
    if (status == CL_SUCCESS) return;
    const cl_program program = built.get();
    std::string log;
    std::size_t size = 0;
    if (program && calls_.clGetProgramBuildInfo(program, driver_.device(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) ==
                       CL_SUCCESS) {
      log.resize(size);
      calls_.clGetProgramBuildInfo(program, driver_.device(), CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
      while (!log.empty() && log.back() == '\0')
        log.pop_back();
    }
    throw Failure("the program cannot be built (" + std::to_string(status) + "):\n" + log);
  }

  const Driver& driver_;
  const cl_icd_dispatch& calls_;
  cl_context context_;
  const std::string extra_;
};

} // namespace

std::string setterOf(std::size_t variable) { return "clotho_replay_set_" + std::to_string(variable); }
std::string getterOf(std::size_t variable) { return "clotho_replay_get_" + std::to_string(variable); }

BuiltProgram buildProgram(const capture::Description& description, const Driver& driver, cl_context context,
                          const std::string& extra) {
  const Builder builder(driver, context, extra);
  const capture::Program& program = description.program;
  const std::vector<bool> none(description.variables.size(), false);
  if (program.isLinked) {
    std::vector<ProgramHandle> parts;
    for (const Unit& unit : program.units)
      parts.push_back(builder.compile(unit));
    return {builder.link(parts, program.linkOptions), none};
  }
  const Unit& unit = program.units.front();
  if (unit.language != Language::Source) return {builder.build(unit, {}), none};
  BuiltProgram built;
  for (const capture::Variable& variable : description.variables)
    built.settable.push_back(isNameable(variable));
  built.program = builder.build(unit, description.variables.empty() ? std::string() : accessors(description));
  return built;
}

} // namespace clotho::replay
