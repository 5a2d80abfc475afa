#pragma once
// A store at the other end of a socket. A class server starts `judge run` as a child and keeps the database to itself: the child records
// through this, one JSON line a call and one a reply, and the server knows whose child it is. So no password and no other learner's
// record is within reach of a process that runs submitted code. What such code could do is what its learner may do anyway: add attempts
// of their own. A server that counts points must therefore not let the two share a process; the judge does not.
#include <memory>

#include "judge/store/store.hpp"

namespace warpbook::store {

/// The store behind a connected stream socket, which it closes at its end and which children do not inherit. A reply is waited for a
/// minute; when the other side is gone or answers nonsense, that call and every later one are Errors. Threads may share it. An Error too
/// when the descriptor is no open socket.
Result<std::unique_ptr<Store>> open_remote_store(int descriptor);

/// Answers the calls that come over `descriptor` from `store` until the other side closes it (Done), or breaks the protocol: a line that
/// is no call, or one over 64 MiB. Blocks; shutdown(descriptor) from another thread ends it. Does not close the descriptor.
Status answer_store(int descriptor, Store& store);

}  // namespace warpbook::store
