// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/connection.hpp"

#include <cerrno>
#include <cstring>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>

namespace clotho::node {

namespace {

std::string errorText(int error) { return std::generic_category().message(error); }

} // namespace

Connection::Connection(UniqueFd socket, Greeting greeting, Greeting::Part part)
    : socket_(std::move(socket)), greeting_(std::move(greeting)), isConnecting_(part == Greeting::Part::Caller) {
  constexpr int kOn = 1;
  setsockopt(socket_.get(), SOL_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  output_ = greeting_.takeOutput();
}

short Connection::events() const {
  const bool hasOutput = isConnecting_ || !output_.empty();
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

void Connection::receive() {
  char bytes[4096];
  for (;;) {
    const ssize_t got = retryInterrupted([&] { return recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT); });
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      close(got == 0 ? "it has hung up" : errorText(errno));
      return;
    }
    lastHeard_ = Clock::now();
    std::string_view rest(bytes, static_cast<std::size_t>(got));
    if (greeting_.verdict() == Greeting::Verdict::None) {
      rest.remove_prefix(greeting_.receive(rest));
      output_ += greeting_.takeOutput();
    }
    if (isAdmitted()) {
      input_ += rest;
    } else if (greeting_.verdict() != Greeting::Verdict::None) {
      flush(); // the other node may hear why
      close(textOf(greeting_.verdict()));
      return;
    }
    // More can wait until the frames are taken.
    if (input_.size() > 2 * kMostFrame) return;
  }
}

void Connection::flush() {
  while (isOpen() && !isConnecting_ && !output_.empty()) {
    const ssize_t count = retryInterrupted(
        [&] { return ::send(socket_.get(), output_.data(), output_.size(), MSG_DONTWAIT | MSG_NOSIGNAL); });
    if (count < 0) {
      if (errno != EAGAIN) close(errorText(errno));
      return;
    }
    output_.erase(0, static_cast<std::size_t>(count));
  }
}

std::optional<ControlFrame> Connection::next() {
  std::uint32_t size = 0;
  if (!isOpen() || input_.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, input_.data(), sizeof size);
  if (size > kMostFrame) {
    close("it says what makes no sense");
    return std::nullopt;
  }
  if (input_.size() < sizeof size + size) return std::nullopt;
  ByteReader in(std::string_view(input_).substr(sizeof size, size));
  ControlFrame frame;
  FieldReader{in}(frame);
  const bool isRight = in.finished();
  input_.erase(0, sizeof size + size);
  if (isRight) return frame;
  close("it says what makes no sense");
  return std::nullopt;
}

void Connection::send(const ControlFrame& frame) {
  if (!isOpen()) return;
  ByteWriter out;
  FieldWriter{out}(frame);
  const auto size = static_cast<std::uint32_t>(out.bytes().size());
  output_.append(reinterpret_cast<const char*>(&size), sizeof size).append(out.bytes());
  // A node that reads nothing is lost soon; what it is sent until then has a limit.
  if (output_.size() > 4 * kMostFrame) close("it does not listen");
  flush();
}

void Connection::close(std::string why) {
  if (!isOpen()) return;
  socket_.reset();
  why_ = std::move(why);
}

} // namespace clotho::node
