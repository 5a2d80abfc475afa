// Who is over when who begins.
#include "judge/cudart/stream_order.hpp"

#include "judge/tests/catch.hpp"

using warpbook::cudart::StreamOrder;
using warpbook::vgpu::StreamTask;

namespace {

/// Two streams, one event and places for more; their addresses are what counts.
struct Made {
  StreamOrder order;
  int a = 0, b = 0, event = 0;
  explicit Made(bool blocking = true) {
    order.created(&a, blocking);
    order.created(&b, blocking);
  }
  StreamTask in_a() { return order.begin(&a, "kernel"); }
  StreamTask in_b() { return order.begin(&b, "kernel"); }
  StreamTask in_default() { return order.begin(nullptr, "kernel"); }
};

}  // namespace

TEST_CASE("work of one stream is ordered, work of two is not") {
  Made m;
  const StreamTask first = m.in_a(), second = m.in_a(), other = m.in_b();
  CHECK(second.is_after(first));
  CHECK_FALSE(other.is_after(first));
  CHECK_FALSE(other.is_after(second));
  CHECK(first.stream_name == "stream 1");
  CHECK(other.stream_name == "stream 2");
}

TEST_CASE("an event orders what came before it, and no more") {
  Made m;
  const StreamTask before = m.in_a();
  m.order.record(&m.event, &m.a);
  const StreamTask behind = m.in_a();
  m.order.wait(&m.b, &m.event);
  const StreamTask other = m.in_b();
  CHECK(other.is_after(before));
  CHECK_FALSE(other.is_after(behind));
  m.order.record(&m.event, &m.b);  // what b knows goes along
  int c = 0;
  m.order.created(&c, true);
  m.order.wait(&c, &m.event);
  CHECK(m.order.begin(&c, "kernel").is_after(before));
}

TEST_CASE("what the host has waited for is over for all that it submits then") {
  for (const int how : {0, 1, 2}) {
    Made m(false);
    const StreamTask before = m.in_a();
    m.order.record(&m.event, &m.a);
    if (how == 0) m.order.host_waits_for_stream(&m.a);
    if (how == 1) m.order.host_waits_for_event(&m.event);
    if (how == 2) m.order.host_waits_for_all();
    const StreamTask other = m.in_b();
    INFO(how);
    CHECK(other.is_after(before));
    CHECK(other.settled.at(before.stream) == before.number);
  }
}

TEST_CASE("the default stream waits for blocking streams, and they for it; others do not care") {
  Made blocking, free(false);
  for (Made* m : {&blocking, &free}) {
    const StreamTask a = m->in_a(), middle = m->in_default(), b = m->in_b();
    const bool ordered = m == &blocking;
    CHECK(middle.is_after(a) == ordered);
    CHECK(b.is_after(middle) == ordered);
    CHECK(b.is_after(a) == ordered);
  }
}

TEST_CASE("with one stream there is nothing to tell, and a destroyed stream's work is not forgotten") {
  StreamOrder order;
  CHECK(order.begin(nullptr, "kernel").number == 0);
  int a = 0;
  order.created(&a, true);
  CHECK(order.begin(&a, "kernel").number == 0);  // with the default stream it is in order
  order.created(&order, true);
  const StreamTask old = order.begin(&a, "kernel");
  CHECK(old.number == 2);
  order.destroyed(&a);
  order.created(&a, true);  // the same address, another stream
  const StreamTask now = order.begin(&a, "kernel");
  CHECK(now.stream_name == "stream 3");
  CHECK_FALSE(now.is_after(old));
}
