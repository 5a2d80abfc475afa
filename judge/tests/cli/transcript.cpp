#include "judge/tests/cli/transcript.hpp"

#include <iostream>

#define CATCH_CONFIG_EXTERNAL_INTERFACES  // Catch2 2 shows its listeners only to those who say so
#include "judge/tests/catch.hpp"

namespace warpbook::cli {
namespace {

#if __has_include(<catch2/catch_all.hpp>)
using ListenerBase = Catch::EventListenerBase;
#else
using ListenerBase = Catch::TestEventListenerBase;
#endif

std::string& transcript() {
  static std::string text;
  return text;
}

class ShowTranscript : public ListenerBase {
 public:
  using ListenerBase::ListenerBase;
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (stats.totals.assertions.failed > 0) std::cerr << "what was run:\n" << transcript() << std::endl;
    transcript().clear();
  }
};

CATCH_REGISTER_LISTENER(ShowTranscript)

}  // namespace

void remember(const std::string& text) { transcript() += text; }

}  // namespace warpbook::cli
