// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/outbox.hpp"

#include "base/unique_fd.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace clotho::node {

namespace {

/// Longest message that the sender writes itself, in bytes. Copies of longer ones are left to the connection's thread.
constexpr std::size_t kMostNow = std::size_t{16} << 10;

iovec pieceOf(const void* bytes, std::size_t size) { return {const_cast<void*>(bytes), size}; }

std::string headAnd(const Outbox::Head& head, std::string_view bytes) {
  std::string all(sizeof head + bytes.size(), '\0');
  std::memcpy(all.data(), &head, sizeof head);
  bytes.copy(all.data() + sizeof head, bytes.size());
  return all;
}

} // namespace

// --- Any thread ---

bool Outbox::send(const ControlFrame& frame) noexcept {
  try {
    ByteWriter out;
    FieldWriter{out}(frame);
    return post({.size = static_cast<std::uint32_t>(out.bytes().size())}, out.bytes(), {}, Urgency::Now);
  } catch (const std::bad_alloc&) {
    failure_ = ENOMEM;
    return true;
  }
}

bool Outbox::send(std::string_view text, const Payload& payload, Urgency urgency) noexcept {
  return post({.size = static_cast<std::uint32_t>(text.size()), .isMessage = 1, .payloadSize = payload.bytes.size()},
              text, payload, urgency);
}

// Messages of a thread stay in order, since none is written while others wait.
bool Outbox::post(const Head& head, std::string_view bytes, const Payload& payload, Urgency urgency) noexcept {
  const std::size_t size = sizeof head + bytes.size() + payload.bytes.size();
  if (urgency == Urgency::Now && size <= kMostNow && socketMutex_.tryLock()) {
    const bool isTaken = sendNow(head, bytes, payload);
    socketMutex_.unlock();
    if (isTaken) return isWaiting();
  }
  try {
    append({headAnd(head, bytes), payload});
  } catch (const std::bad_alloc&) {
    failure_ = ENOMEM;
  }
  return true;
}

bool Outbox::sendNow(const Head& head, std::string_view bytes, const Payload& payload) noexcept {
  if (isWaiting()) return false;
  iovec pieces[] = {pieceOf(&head, sizeof head), pieceOf(bytes.data(), bytes.size()),
                    pieceOf(payload.bytes.data(), payload.bytes.size())};
  const std::size_t sent = write(pieces);
  if (sent == 0) return false;
  if (sent == sizeof head + bytes.size() + payload.bytes.size()) return true;
  try {
    waiting_.push_back({headAnd(head, bytes), payload});
    waitingBytes_ += waiting_.back().size();
    waitingTexts_ += waiting_.back().head.size();
    sentOfFirst_ = sent;
  } catch (const std::bad_alloc&) {
    failure_ = ENOMEM;
  }
  return true;
}

void Outbox::append(Outgoing outgoing) {
  MutexLock lock(mutex_);
  if (isClosed_) return;
  const std::size_t size = outgoing.size(), text = outgoing.head.size();
  added_.push_back(std::move(outgoing));
  waitingBytes_ += size;
  if ((waitingTexts_ += text) > kMostWaiting) failure_ = kFull;
}

std::size_t Outbox::write(std::span<iovec> pieces) noexcept {
  const int socket = socket_;
  if (socket < 0) return 0;
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  const ssize_t sent = retryInterrupted([&] { return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL); });
  if (sent < 0 && errno != EAGAIN) failure_ = errno;
  return static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
}

// --- The connection's thread ---

void Outbox::add(std::string bytes) { append({std::move(bytes)}); }

// Payloads are let go without a lock: their owners may send more.
void Outbox::flush() {
  Queue sent;
  MutexLock lock(socketMutex_);
  do {
    MutexLock added(mutex_);
    waiting_.splice(waiting_.end(), added_);
  } while (failure_ == 0 && !waiting_.empty() && writeSome(sent));
}

bool Outbox::writeSome(Queue& sent) noexcept {
  constexpr std::size_t kMostPieces = 32;
  std::array<iovec, kMostPieces> pieces;
  std::size_t count = 0, skipped = sentOfFirst_, all = 0;
  const auto add = [&](const void* bytes, std::size_t size) {
    const std::size_t gone = std::min(skipped, size);
    skipped -= gone;
    if (size == gone) return;
    pieces[count++] = pieceOf(static_cast<const char*>(bytes) + gone, size - gone);
    all += size - gone;
  };
  for (const Outgoing& each : waiting_) {
    if (count + 2 > kMostPieces) break;
    add(each.head.data(), each.head.size());
    add(each.payload.bytes.data(), each.payload.bytes.size());
  }
  const std::size_t written = write(std::span(pieces).first(count));
  sentOfFirst_ += written;
  while (!waiting_.empty() && sentOfFirst_ >= waiting_.front().size()) {
    sentOfFirst_ -= waiting_.front().size();
    waitingBytes_ -= waiting_.front().size();
    waitingTexts_ -= waiting_.front().head.size();
    sent.splice(sent.end(), waiting_, waiting_.begin());
  }
  return written == all;
}

std::string Outbox::failure() const {
  const int failure = failure_;
  if (failure == 0) return {};
  return failure == kFull ? "it does not read what it is sent" : std::generic_category().message(failure);
}

void Outbox::close() noexcept {
  Queue unsent, added;
  MutexLock lock(socketMutex_);
  socket_ = -1;
  unsent.swap(waiting_);
  MutexLock lockOfAdded(mutex_);
  isClosed_ = true;
  added.swap(added_);
}

} // namespace clotho::node
