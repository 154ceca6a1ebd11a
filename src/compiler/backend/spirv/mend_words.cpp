// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/spirv/mend_words.hpp"

#include <spirv/unified1/spirv.hpp>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <span>
#include <vector>

namespace clotho::compiler {
namespace {

using Id = std::uint32_t;
using Words = std::vector<std::uint32_t>;

constexpr std::size_t kHeaderWords = 5, kBoundAt = 3;

/// Writes a module again, instruction by instruction.
class ConstantMender {
 public:
  explicit ConstantMender(std::span<const std::uint32_t> words) : words_(words), bound_(words[kBoundAt]) {}

  Words run() {
    out_.assign(words_.begin(), words_.begin() + kHeaderWords);
    for (std::size_t at = kHeaderWords, length; at < words_.size(); at += length) {
      length = words_[at] >> spv::WordCountShift;
      if (length == 0 || length > words_.size() - at) return {words_.begin(), words_.end()}; // no module of ours
      copy(words_.subspan(at, length));
    }
    out_[kBoundAt] = bound_;
    return std::move(out_);
  }

 private:
  void copy(std::span<const std::uint32_t> from) {
    Words words(from.begin(), from.end());
    switch (words[0] & spv::OpCodeMask) {
    case spv::OpTypeInt:
      if (words[2] == 8) byte_ = words[1];
      break;
    case spv::OpTypePointer: parts_[words[1]] = {words[3]}; break;
    case spv::OpTypeArray: parts_[words[1]] = {words[2]}; break;
    case spv::OpTypeStruct: parts_[words[1]] = {words.begin() + 2, words.end()}; break;
    case spv::OpConstantNull: typeOfNull_[words[2]] = words[1]; break;
    case spv::OpConstantComposite:
      for (std::size_t i = 3; i < words.size(); ++i)
        mendNull(words[i], partOf(words[1], i - 3));
      break;
    case spv::OpVariable:
      typeOfVariable_[words[2]] = words[1];
      if (words.size() > 4) mendNull(words[4], partOf(words[1], 0));
      break;
    case spv::OpSpecConstantOp: mendAddress(words); break;
    default: break;
    }
    out_.insert(out_.end(), words.begin(), words.end());
  }

  /// The type of a part of a composite, or of what a pointer points to; 0: unknown.
  Id partOf(Id type, std::size_t index) const {
    const auto found = parts_.find(type);
    if (found == parts_.end()) return 0;
    const Words& parts = found->second;
    if (parts.size() == 1) return parts[0];
    return index < parts.size() ? parts[index] : 0;
  }

  void write(spv::Op op, std::initializer_list<std::uint32_t> operands) {
    out_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << spv::WordCountShift | op);
    out_.insert(out_.end(), operands);
  }

  void mendNull(Id& value, Id type) {
    const auto found = typeOfNull_.find(value);
    if (type == 0 || found == typeOfNull_.end() || found->second == type) return;
    Id& null = nulls_[type];
    if (null == 0) {
      null = bound_++;
      write(spv::OpConstantNull, {type, null});
    }
    value = null;
  }

  /// OpSpecConstantOp TYPE RESULT OpInBoundsPtrAccessChain BASE NULL BYTES, where TYPE points to bytes.
  void mendAddress(Words& words) {
    const std::uint32_t op = words[3];
    const bool isAddress = op == spv::OpInBoundsPtrAccessChain || op == spv::OpPtrAccessChain;
    if (!isAddress || words.size() != 7 || byte_ == 0 || partOf(words[1], 0) != byte_) return;
    const auto base = typeOfVariable_.find(words[4]);
    if (base == typeOfVariable_.end()) return;
    const Id pointee = partOf(base->second, 0);
    if (pointee == byte_ || partOf(pointee, 0) == byte_) return; // bytes are its elements
    Id& bytes = bytesOf_[words[4]];
    if (bytes == 0) {
      bytes = bound_++;
      write(spv::OpSpecConstantOp, {words[1], bytes, spv::OpBitcast, words[4]});
    }
    words[4] = bytes;
    words.erase(words.begin() + 5);
    words[0] = 6U << spv::WordCountShift | spv::OpSpecConstantOp;
  }

  std::span<const std::uint32_t> words_;
  Id bound_, byte_ = 0;
  Words out_;
  std::map<Id, Words> parts_; // of types: what they consist of; of arrays the one type
  std::map<Id, Id> typeOfNull_, typeOfVariable_;
  std::map<Id, Id> nulls_;   // made here, by their types
  std::map<Id, Id> bytesOf_; // made here: the addresses of variables as those of bytes
};

} // namespace

void mendConstants(std::string& spirv) {
  Words words(spirv.size() / sizeof(std::uint32_t));
  if (words.size() < kHeaderWords) return;
  std::memcpy(words.data(), spirv.data(), words.size() * sizeof(std::uint32_t));
  words = ConstantMender(words).run();
  spirv.assign(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t));
}

} // namespace clotho::compiler
