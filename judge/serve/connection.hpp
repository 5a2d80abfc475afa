#pragma once
// The bytes of one client, for cpp-httplib. Its own stream takes a client that has ended its sending side for gone and answers nothing,
// looks a hundred times a second whether an idle connection says something, and lets a request take for ever as long as a byte comes every
// few seconds. This one waits in poll(), gives each request a deadline, and hears when the server ends.
#include <httplib.h>

#include <chrono>
#include <string>

namespace warpbook::serve {

class Connection final : public httplib::Stream {
 public:
  /// `stop` becomes readable when the server ends. Neither descriptor is closed here.
  Connection(int fd, int stop) : fd_(fd), stop_(stop) {}

  /// Waits for the first byte of a request; false: nothing came, or the server ends. The request's time begins.
  bool wait_for_request(std::chrono::milliseconds patience);

  bool is_readable() const override;
  /// False as soon as the client has ended its side: for streams, which nobody reads then.
  bool is_writable() const override;
  ssize_t read(char* to, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return fd_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool wait_for_bytes(std::chrono::milliseconds patience) const;

  int fd_, stop_;
  std::string buffer_;
  std::size_t taken_ = 0;  ///< of buffer_
  Clock::time_point deadline_;
};

}  // namespace warpbook::serve
