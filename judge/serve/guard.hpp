#pragma once
// From where may be asked. In the form for one learner there is no password: what protects it is that it listens on the loopback interface
// only, and that a page of another site, which the learner's browser would happily let call us, is told apart: by the Host header (a name
// that a foreign site made point at 127.0.0.1 is not ours), by Origin and Sec-Fetch-Site, and by a content type that no form can send. A
// class has an address of its own, and asks the same of it; who may ask there is gate.hpp's.
#include <optional>

#include "judge/serve/router.hpp"

namespace warpbook::serve {

/// The address under which a class is known.
struct OwnAddress {
  std::string origin;              ///< "https://course.example"
  std::vector<std::string> hosts;  ///< what the Host header may be beside the origin's own: where the proxy finds the server
};

/// Host, origin and language; for every request. Nothing: it may go on. Without an address of its own the server is this machine's.
std::optional<Answer> refuse_stranger(const Request& request, const OwnAddress* own = nullptr);

/// What a route asks of its body: read into `request.json`, an object.
std::optional<Answer> refuse_body(const Route& route, Request& request);

/// Headers of every answer.
std::vector<std::pair<std::string, std::string>> safe_headers();

/// The policy of pages: nothing from elsewhere, no inline script. Styles may carry `nonce` (the editor's, which it makes when it starts).
std::string page_policy(const std::string& nonce);

}  // namespace warpbook::serve
