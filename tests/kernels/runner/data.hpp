// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "expression.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// A scalar type of OpenCL C, by its name there.
struct ElementType {
  std::string name;
  std::size_t size = 0;
  bool isReal = false;
  bool isSigned = false;

  static ElementType named(const std::string& name); ///< throws for unknown names
};

using Bytes = std::vector<std::byte>;

Number load(const ElementType& type, const Bytes& bytes, std::size_t index);
void store(const ElementType& type, Bytes& bytes, std::size_t index, const Number& value);

/// Contents by description: {"list": [...]}, {"expr": "..."}, {"random": seed, "range": [a, b]}, {"bits": seed} (any
/// bit patterns, after zeros, infinities, NaN, denormals and limits), or a single number for all elements. Without one:
/// a pattern that no kernel writes by chance.
Bytes makeData(const ElementType& type, std::size_t count, const nlohmann::json& description, Scope& scope);

/// A number of a test file: JSON's own, or text such as "nan", "-inf", "-0.0", "0x1p-149", "0xffffffffffffffff".
Number parseNumber(const nlohmann::json& value);

/// A kernel argument passed by value: {"value": "int", "data": 3}, {"value": "float3", "data": [1, 2, 3]} or
/// {"fields": [["char", 1], ["float4", [1, 2, 3, 4]]]}, laid out as OpenCL C lays out a struct.
Bytes makeValue(const nlohmann::json& arg);

/// How far a result may be from the reference.
struct Tolerance {
  double ulp = 0;
  double absolute = 0;
  bool flushesDenormals = false; ///< a denormal result may be zero
  bool anySign = false;          ///< a zero may have either sign
};

/// Whether `actual` is what `expected` allows. Any NaN matches NaN; without tolerance bits must agree. Where `expected`
/// is 0 its sign counts, unless it is an integer or the tolerance is absolute or of any sign.
bool matches(const ElementType& type, const Number& actual, const Number& expected, const Tolerance& tolerance);

std::string show(const ElementType& type, const Number& value);
