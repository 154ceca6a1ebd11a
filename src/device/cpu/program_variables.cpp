// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/program_loader.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string_view>
#include <type_traits>

// Variables at program scope are local symbols of the shared object, in sections that may be written.
namespace clotho::cpu {

namespace {

/// The end of LLVM's names of a kernel's variables and helpers, so that they differ from those of the C library.
constexpr std::string_view kSuffix = ".cl";

template <class T> std::optional<T> at(std::string_view object, std::uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (offset > object.size() || object.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, object.data() + offset, sizeof value);
  return value;
}

std::string_view textAt(std::string_view object, std::uint64_t offset) {
  if (offset >= object.size()) return {};
  object.remove_prefix(offset);
  return object.substr(0, object.find('\0'));
}

class SymbolTable {
 public:
  explicit SymbolTable(std::string_view object) : object_(object) {
    const auto header = at<Elf64_Ehdr>(object, 0);
    if (!header) return;
    for (unsigned i = 0; i < header->e_shnum; ++i)
      if (const auto section = at<Elf64_Shdr>(object, header->e_shoff + i * sizeof(Elf64_Shdr)))
        sections_.push_back(*section);
  }

  template <class Use> void forEachWritable(Use&& use) const {
    for (const Elf64_Shdr& table : sections_) {
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections_.size()) continue;
      for (std::uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
        const auto symbol = at<Elf64_Sym>(object_, table.sh_offset + i * sizeof(Elf64_Sym));
        if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || !isWritable(*symbol)) continue;
        use(textAt(object_, sections_[table.sh_link].sh_offset + symbol->st_name), *symbol);
      }
    }
  }

 private:
  bool isWritable(const Elf64_Sym& symbol) const {
    if (symbol.st_shndx >= sections_.size()) return false;
    const Elf64_Shdr& section = sections_[symbol.st_shndx];
    return (section.sh_flags & SHF_WRITE) != 0 && symbol.st_value >= section.sh_addr &&
           symbol.st_value - section.sh_addr <= section.sh_size &&
           symbol.st_size <= section.sh_size - (symbol.st_value - section.sh_addr);
  }

  const std::string_view object_;
  std::vector<Elf64_Shdr> sections_;
};

} // namespace

std::vector<ProgramVariable> LoadedProgram::variables() const {
  std::vector<ProgramVariable> variables;
  if (!handle_ || !built_->hasProgramScopeVariables) return variables;
  SymbolTable(built_->object).forEachWritable([&](std::string_view name, const Elf64_Sym& symbol) {
    if (symbol.st_size == 0 || !name.ends_with(kSuffix)) return;
    name.remove_suffix(kSuffix.size());
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
    variables.push_back({std::string(name), reinterpret_cast<std::byte*>(base_ + symbol.st_value), symbol.st_size});
  });
  std::sort(variables.begin(), variables.end(),
            [](const ProgramVariable& a, const ProgramVariable& b) { return a.name < b.name; });
  return variables;
}

} // namespace clotho::cpu
