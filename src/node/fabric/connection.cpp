// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>

namespace clotho::node {

namespace {

/// Bytes that are read at once if they are no payload, and bytes of one after which other connections have their turn.
constexpr std::size_t kAtOnce = std::size_t{64} << 10, kMostInTurn = std::size_t{4} << 20;

std::string errorText(int error) { return std::generic_category().message(error); }

} // namespace

Connection::Connection(UniqueFd socket, Greeting greeting, Greeting::Part part)
    : socket_(std::move(socket)), greeting_(std::move(greeting)), isConnecting_(part == Greeting::Part::Caller) {
  constexpr int kOn = 1;
  setsockopt(socket_.get(), SOL_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  if (std::string hello = greeting_.takeOutput(); !hello.empty()) waiting_.push_back({std::move(hello), {}});
}

short Connection::events() const {
  const bool hasOutput = isConnecting_ || !waiting_.empty();
  return static_cast<short>((isConnecting_ ? 0 : POLLIN) | (hasOutput ? POLLOUT : 0));
}

void Connection::handle(short events) {
  if (!isOpen() || events == 0) return;
  if (isConnecting_) finishConnecting();
  if (isOpen() && (events & ~POLLOUT) != 0) receive();
  flush();
}

void Connection::finishConnecting() {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  isConnecting_ = false;
  if (error != 0) close(errorText(error));
}

// --- What comes ---

// Frames and messages are taken before more is read, since a payload goes to its place without a copy from there on.
void Connection::receive() {
  if (place_.empty()) {
    std::array<std::byte, kAtOnce> bytes;
    const std::size_t count = receiveInto(bytes);
    take({reinterpret_cast<const char*>(bytes.data()), count});
    return;
  }
  for (std::size_t left = kMostInTurn; left > 0 && !place_.empty();) {
    const std::size_t count = receiveInto(place_.first(std::min(place_.size(), left)));
    if (count == 0) return;
    place_ = place_.subspan(count);
    left -= count;
  }
}

std::size_t Connection::receiveInto(std::span<std::byte> place) {
  const ssize_t got = retryInterrupted([&] { return recv(socket_.get(), place.data(), place.size(), MSG_DONTWAIT); });
  if (got > 0) {
    lastHeard_ = Clock::now();
    return static_cast<std::size_t>(got);
  }
  if (got == 0 || errno != EAGAIN) close(got == 0 ? "it has hung up" : errorText(errno));
  return 0;
}

void Connection::take(std::string_view bytes) {
  if (!isOpen()) return;
  if (greeting_.verdict() == Greeting::Verdict::None) {
    bytes.remove_prefix(greeting_.receive(bytes));
    if (std::string answer = greeting_.takeOutput(); !answer.empty()) waiting_.push_back({std::move(answer), {}});
  }
  if (isAdmitted()) {
    input_ += bytes;
  } else if (greeting_.verdict() != Greeting::Verdict::None) {
    flush(); // the other node may hear why
    close(textOf(greeting_.verdict()));
  }
}

std::optional<Connection::Incoming> Connection::next() {
  std::optional<Incoming> result;
  if (!isOpen() || !place_.empty()) return result;
  if (arriving_)
    result = *std::exchange(arriving_, std::nullopt);
  else if (!parse(result))
    close("it says what makes no sense");
  return result;
}

bool Connection::parse(std::optional<Incoming>& result) {
  Head head;
  if (input_.size() < sizeof head) return true;
  std::memcpy(&head, input_.data(), sizeof head);
  const bool isMessage = head.isMessage != 0;
  if (head.size > (isMessage ? kMostText : kMostFrame) || (!isMessage && head.payloadSize != 0)) return false;
  if (input_.size() < sizeof head + head.size) return true;
  const std::string_view text = std::string_view(input_).substr(sizeof head, head.size);
  bool isRight = false;
  if (isMessage) {
    isRight = parseMessage(head, text, result);
  } else {
    ByteReader in(text);
    ControlFrame frame;
    FieldReader{in}(frame);
    isRight = in.finished();
    result = std::move(frame);
  }
  if (!isRight) {
    result.reset();
    return false;
  }
  const std::size_t end = sizeof head + head.size, here = std::min(place_.size(), input_.size() - end);
  std::copy_n(input_.data() + end, here, reinterpret_cast<char*>(place_.data()));
  place_ = place_.subspan(here);
  input_.erase(0, end + here);
  if (arriving_ && place_.empty()) result = *std::exchange(arriving_, std::nullopt);
  return true;
}

bool Connection::parseMessage(const Head& head, std::string_view text, std::optional<Incoming>& result) {
  if (!placeFor_) return false;
  Message message{std::string(text), head.payloadSize};
  if (head.payloadSize == 0) {
    result = std::move(message);
    return true;
  }
  std::byte* const place = placeFor_(text, head.payloadSize);
  if (!place) return false;
  place_ = {place, head.payloadSize};
  arriving_ = std::move(message);
  return true;
}

// --- What goes ---

void Connection::send(const ControlFrame& frame) {
  ByteWriter out;
  FieldWriter{out}(frame);
  post({.size = static_cast<std::uint32_t>(out.bytes().size())}, out.bytes(), {});
}

void Connection::send(std::string_view text, const Payload& payload) {
  post({.size = static_cast<std::uint32_t>(text.size()), .isMessage = 1, .payloadSize = payload.bytes.size()}, text,
       payload);
}

void Connection::post(Head head, std::string_view bytes, const Payload& payload) {
  if (!isOpen()) return;
  std::string all(sizeof head + bytes.size(), '\0');
  std::memcpy(all.data(), &head, sizeof head);
  bytes.copy(all.data() + sizeof head, bytes.size());
  waitingBytes_ += all.size() + payload.bytes.size();
  waiting_.push_back({std::move(all), payload});
  if (waitingBytes_ > kMostWaiting) close("it does not read what it is sent");
  flush();
}

void Connection::flush() {
  constexpr std::size_t kMostPieces = 32;
  while (isOpen() && !isConnecting_ && !waiting_.empty()) {
    std::array<iovec, kMostPieces> pieces;
    std::size_t count = 0, skipped = sentOfFirst_, all = 0;
    const auto add = [&](const void* bytes, std::size_t size) {
      const std::size_t gone = std::min(skipped, size);
      skipped -= gone;
      if (size == gone) return;
      pieces[count++] = {const_cast<char*>(static_cast<const char*>(bytes)) + gone, size - gone};
      all += size - gone;
    };
    for (const Outgoing& each : waiting_) {
      if (count + 2 > kMostPieces) break;
      add(each.head.data(), each.head.size());
      add(each.payload.bytes.data(), each.payload.bytes.size());
    }
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    const ssize_t sent =
        count == 0 ? 0
                   : retryInterrupted([&] { return sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL); });
    if (sent < 0) {
      if (errno != EAGAIN) close(errorText(errno));
      return;
    }
    removeSent(static_cast<std::size_t>(sent));
    if (static_cast<std::size_t>(sent) < all) return;
  }
}

void Connection::removeSent(std::size_t count) {
  sentOfFirst_ += count;
  while (!waiting_.empty()) {
    const std::size_t size = waiting_.front().head.size() + waiting_.front().payload.bytes.size();
    if (sentOfFirst_ < size) return;
    sentOfFirst_ -= size;
    waitingBytes_ -= std::min(waitingBytes_, size);
    waiting_.pop_front();
  }
}

void Connection::close(std::string why) {
  if (!isOpen()) return;
  socket_.reset();
  waiting_.clear();
  place_ = {};
  why_ = std::move(why);
}

} // namespace clotho::node
