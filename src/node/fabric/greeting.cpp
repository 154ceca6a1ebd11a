// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/greeting.hpp"

namespace clotho::node {

namespace {

template <class Structure> std::string_view bytesOf(const Structure& structure) {
  return {reinterpret_cast<const char*>(&structure), sizeof structure};
}

template <class Structure> Structure read(std::string_view bytes) {
  Structure result;
  bytes.copy(reinterpret_cast<char*>(&result), sizeof result);
  return result;
}

} // namespace

Greeting::Greeting(Part part, const Hello& own, const cluster::Token& token) : part_(part), own_(own), token_(token) {
  if (part == Part::Caller) output_ = bytesOf(own_);
}

std::size_t Greeting::receive(std::string_view bytes) {
  std::size_t taken = 0;
  while (verdict_ == Verdict::None && taken < bytes.size()) {
    const std::size_t size = hasHello_ ? sizeof(Proof) : sizeof(Hello);
    const std::string_view part = bytes.substr(taken, size - input_.size());
    input_ += part;
    taken += part.size();
    if (input_.size() < size) break;
    if (hasHello_)
      heardProof(read<Proof>(input_));
    else
      heardHello();
    input_.clear();
  }
  return taken;
}

void Greeting::heardHello() {
  other_ = read<Hello>(input_);
  hasHello_ = true;
  if (other_.magic != kMagic || other_.node == 0) {
    verdict_ = Verdict::Nonsense;
    return;
  }
  if (other_.node == own_.node) verdict_ = Verdict::Itself;
  if (part_ == Part::Called)
    output_ += bytesOf(own_);
  else if (verdict_ == Verdict::None)
    prove(Verdict::Welcome);
}

// A node that is called says why it refuses; which of the two has the wrong token neither can know.
void Greeting::heardProof(const Proof& proof) {
  const bool isRight =
      proof.magic == kMagic && areEqual(proof.mac, macOf(part_ == Part::Caller ? Part::Called : Part::Caller));
  if (proof.magic != kMagic)
    verdict_ = Verdict::Nonsense;
  else if (!isRight)
    verdict_ = Verdict::Refused;
  else
    verdict_ = other_.version == own_.version ? Verdict::Welcome : Verdict::OtherVersion;
  if (part_ == Part::Called && verdict_ != Verdict::Nonsense) prove(verdict_);
}

void Greeting::prove(Verdict verdict) {
  Proof proof;
  proof.verdict = static_cast<std::uint32_t>(verdict);
  if (verdict != Verdict::Refused) proof.mac = macOf(part_);
  output_ += bytesOf(proof);
}

// The part is in the text, so that a proof cannot be sent back to the node that has made it.
Mac Greeting::macOf(Part part) const {
  std::string text = part == Part::Caller ? "caller" : "called";
  text += bytesOf(part_ == Part::Caller ? own_ : other_);
  text += bytesOf(part_ == Part::Caller ? other_ : own_);
  return hmac(token_.bytes(), text);
}

const char* textOf(Greeting::Verdict verdict) {
  switch (verdict) {
  case Greeting::Verdict::None: return "it does not answer";
  case Greeting::Verdict::Welcome: return "it is welcome";
  case Greeting::Verdict::Refused: return "it has another token";
  case Greeting::Verdict::OtherVersion: return "it is of another version of Clotho";
  case Greeting::Verdict::Itself: return "it is this node";
  case Greeting::Verdict::Nonsense: return "it is no node";
  }
  return "";
}

} // namespace clotho::node
