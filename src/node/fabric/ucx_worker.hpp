// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/token.hpp"
#include "node/fabric/fabric.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <ucp/api/ucp.h>

namespace clotho::node {

/// Stands before each part of a message as it goes by UCX. UCX's own sockets take bytes from strangers, so each part
/// shows the key that its receiver has chosen for its sender.
struct PartHeader {
  enum class Kind : std::uint32_t {
    Whole,   ///< all of a short message: the text behind the header, the payload as data
    Text,    ///< the data is a part of the text
    Payload, ///< the data is a part of the payload
  };
  NodeId from = 0;
  std::array<std::uint8_t, cluster::Token::kBytes> key{};
  std::uint64_t number = 0; ///< of the message, from 0 on, for each pair of nodes and each way
  std::uint64_t textSize = 0, payloadSize = 0;
  std::uint64_t offset = 0; ///< of the data
  Kind kind = Kind::Whole;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(PartHeader) == 80);

/// A part of a message that has come. UCX's memory: it may be used during the call alone.
struct ArrivedPart {
  PartHeader header{};
  std::string_view text{}; ///< behind the header
  std::string_view data{};
};

/// UCX as one process uses it: a context, and a worker, which one thread at a time may use.
class UcxWorker {
 public:
  /// Gets each part of a message that comes, during progress().
  class Handler {
   public:
    virtual void arrived(const ArrivedPart& part) noexcept = 0;

   protected:
    ~Handler() = default;
  };

  static constexpr unsigned kMessageId = 1;

  /// Uses this network interface, shared memory, and what UCX's own variables allow. Null, and the reason in `why`, if
  /// UCX cannot work here. `handler` outlives the worker.
  static std::unique_ptr<UcxWorker> create(const std::string& interface, Handler& handler, std::string& why);
  ~UcxWorker();
  UcxWorker(const UcxWorker&) = delete;
  UcxWorker& operator=(const UcxWorker&) = delete;

  ucp_worker_h get() const { return worker_; }
  /// Address for endpoints of other workers; empty if UCX has none.
  std::string address() const;
  /// Longest header of a message, PartHeader included.
  std::size_t mostHeader() const { return mostHeader_; }
  /// Does what can be done without waiting. Whether that was anything.
  bool progress() noexcept { return ucp_worker_progress(worker_) != 0; }
  /// Readable once something has come, after arm().
  int descriptor() const { return descriptor_; }
  /// False if something has come already.
  bool arm() noexcept { return ucp_worker_arm(worker_) == UCS_OK; }

 private:
  explicit UcxWorker(Handler& handler) : handler_(handler) {}
  std::string open(const std::string& interface);
  static ucs_status_t arrived(void* self, const void* header, std::size_t headerSize, void* data, std::size_t size,
                              const ucp_am_recv_param_t* parameters) noexcept;

  Handler& handler_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  std::size_t mostHeader_ = 0;
  int descriptor_ = -1;
};

} // namespace clotho::node
