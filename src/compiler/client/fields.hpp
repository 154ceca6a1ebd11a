// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/client/bytes.hpp"
#include "compiler/compiler.hpp"

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

/// The fields of what goes to the compiler and comes back. They are listed once, here, and what is written, read and
/// hashed follows from that, so that none can be forgotten in one of them. A member that is added to a structure and
/// not named here is an error of compilation.
namespace clotho {

template <class Type, class Structure>
concept Of = std::same_as<std::remove_const_t<Type>, Structure>;

template <class Visit, class... Fields> void visitEach(Visit&& visit, Fields&... fields) { (visit(fields), ...); }

template <Of<Target> Type, class Visit> void visitFields(Type& target, Visit&& visit) {
  auto& [kind, cpu, features, width] = target;
  visitEach(visit, kind, cpu, features, width);
}

template <Of<Header> Type, class Visit> void visitFields(Type& header, Visit&& visit) {
  auto& [name, text] = header;
  visitEach(visit, name, text);
}

template <Of<BuildRequest> Type, class Visit> void visitFields(Type& request, Visit&& visit) {
  auto& [kind, source, options, workingDirectory, headers, modules, target, openclVersion] = request;
  visitEach(visit, kind, source, options, workingDirectory, headers, modules, target, openclVersion);
}

template <Of<ArgInfo> Type, class Visit> void visitFields(Type& argument, Visit&& visit) {
  auto& [kind, address, access, typeQualifiers, size, alignment, offset, name, typeName] = argument;
  visitEach(visit, kind, address, access, typeQualifiers, size, alignment, offset, name, typeName);
}

template <Of<KernelInfo> Type, class Visit> void visitFields(Type& kernel, Visit&& visit) {
  auto& [name, symbol, attributes, args, argBlockSize, requiredLocalSize, subGroupSize, requiredSubGroupSize,
         usesSubGroups, localBytes, privateBytes, frameBytesPerItem, stackBytes, subGroupStackBytes, interleavedState,
         hasArgInfo, usesPrintf, usesBarrier, flushesDenormals, allowsNonUniform, mergedRow, directSize, rowsAtOnce,
         outputs, changed] = kernel;
  visitEach(visit, name, symbol, attributes, args, argBlockSize, requiredLocalSize, subGroupSize, requiredSubGroupSize,
            usesSubGroups, localBytes, privateBytes, frameBytesPerItem, stackBytes, subGroupStackBytes,
            interleavedState, hasArgInfo, usesPrintf, usesBarrier, flushesDenormals, allowsNonUniform, mergedRow,
            directSize, rowsAtOnce, outputs, changed);
}

template <Of<PrintfFormat> Type, class Visit> void visitFields(Type& printf, Visit&& visit) {
  auto& [format, argSizes, strings] = printf;
  visitEach(visit, format, argSizes, strings);
}

template <Of<Dependency> Type, class Visit> void visitFields(Type& dependency, Visit&& visit) {
  auto& [path, hash] = dependency;
  visitEach(visit, path, hash);
}

/// Without the object and the portable module, which files keep in another form, and without `objectPath`, which
/// belongs to one machine's cache.
template <Of<BuildResult> Type, class Visit> void visitDescription(Type& result, Visit&& visit) {
  auto& [status, log, kernels, printfFormats, globalVariableBytes, hasProgramScopeVariables, object, objectPath,
         portable, dependencies] = result;
  visitEach(visit, status, log, kernels, printfFormats, globalVariableBytes, hasProgramScopeVariables, dependencies);
}

// The last of each enumeration: larger values are none of it.
constexpr TargetKind lastOf(TargetKind) { return TargetKind::Cpu; }
constexpr BuildKind lastOf(BuildKind) { return BuildKind::Link; }
constexpr BuildStatus lastOf(BuildStatus) { return BuildStatus::Unavailable; }
constexpr ArgKind lastOf(ArgKind) { return ArgKind::Queue; }
constexpr AddressQualifier lastOf(AddressQualifier) { return AddressQualifier::Local; }
constexpr AccessQualifier lastOf(AccessQualifier) { return AccessQualifier::ReadWrite; }

template <class Type> inline constexpr bool kIsList = false;
template <class Element> inline constexpr bool kIsList<std::vector<Element>> = true;

/// Visits fields by writing them.
class FieldWriter {
 public:
  explicit FieldWriter(ByteWriter& out) : out_(&out) {}

  template <class Type> void operator()(const Type& field) const {
    if constexpr (std::is_enum_v<Type>) {
      out_->enumerator(field);
    } else if constexpr (std::same_as<Type, bool>) {
      out_->boolean(field);
    } else if constexpr (std::same_as<Type, std::uint32_t>) {
      out_->u32(field);
    } else if constexpr (std::same_as<Type, std::uint64_t>) {
      out_->u64(field);
    } else if constexpr (std::same_as<Type, std::string>) {
      out_->text(field);
    } else if constexpr (kIsList<Type>) {
      out_->u64(field.size());
      for (const auto& element : field)
        (*this)(element);
    } else if constexpr (std::is_array_v<Type>) {
      for (const auto& element : field)
        (*this)(element);
    } else {
      visitFields(field, *this);
    }
  }

 private:
  ByteWriter* out_;
};

/// Visits fields by reading them, in the order in which FieldWriter has written them.
class FieldReader {
 public:
  explicit FieldReader(ByteReader& in) : in_(&in) {}

  template <class Type> void operator()(Type& field) const {
    if constexpr (std::is_enum_v<Type>) {
      field = in_->enumerator(lastOf(Type()));
    } else if constexpr (std::same_as<Type, bool>) {
      field = in_->boolean();
    } else if constexpr (std::same_as<Type, std::uint32_t>) {
      field = in_->u32();
    } else if constexpr (std::same_as<Type, std::uint64_t>) {
      field = in_->u64();
    } else if constexpr (std::same_as<Type, std::string>) {
      field = in_->text();
    } else if constexpr (kIsList<Type>) {
      readList(field);
    } else if constexpr (std::is_array_v<Type>) {
      for (auto& element : field)
        (*this)(element);
    } else {
      visitFields(field, *this);
    }
  }

 private:
  template <class Element> void readList(std::vector<Element>& list) const {
    // An element takes the least room when its texts and lists are empty, as they are at first.
    ByteWriter least;
    FieldWriter{least}(Element());
    const std::size_t count = in_->count(least.bytes().size());
    list.clear();
    list.reserve(count);
    for (std::size_t i = 0; i < count && in_->ok(); ++i)
      (*this)(list.emplace_back());
  }

  ByteReader* in_;
};

} // namespace clotho
