#include "judge/serve/learner_view.hpp"

namespace warpbook::serve {

nlohmann::json learner_view(nlohmann::json result, bool tells_mistake) {
  if (!result.is_object()) return result;
  if (const auto made = result.find("provenance"); made != result.end() && made->is_object()) {
    made->erase("seed");
    made->erase("seed_hash");
  }
  if (const auto named = result.find("diagnosis"); !tells_mistake && named != result.end() && named->is_object()) {
    named->erase("name");
    named->erase("mistake");
  }
  return result;
}

}  // namespace warpbook::serve
