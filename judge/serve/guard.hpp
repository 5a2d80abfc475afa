#pragma once
// Who may ask what. The server has no password: what protects it is that it listens on the loopback interface only, and that a page of
// another site, which the learner's browser would happily let call us, is told apart: by the Host header (a name that a foreign site made
// point at 127.0.0.1 is not ours), by Origin and Sec-Fetch-Site, and by a content type that no form can send.
#include <optional>

#include "judge/serve/router.hpp"

namespace warpbook::serve {

/// Host, origin and language; for every request. Nothing: it may go on.
std::optional<Answer> refuse_stranger(const Request& request);

/// What a route asks of its body: read into `request.json`, an object.
std::optional<Answer> refuse_body(const Route& route, Request& request);

/// Headers of every answer.
std::vector<std::pair<std::string, std::string>> safe_headers();

/// The policy of pages: nothing from elsewhere, no inline script. Styles may carry `nonce` (the editor's, which it makes when it starts).
std::string page_policy(const std::string& nonce);

}  // namespace warpbook::serve
