#include "engine/engine.h"

#include <gtest/gtest.h>

#include <numeric>

#include "softwood/error.h"

namespace softwood {
namespace {

// Shards of whole numbers; the statistic counts those above a limit, and what a shard was asked.
struct Numbers {
  std::vector<int64_t> values;
  int asked = 0;
};

struct CountAbove {
  static constexpr uint32_t message = 7;
  struct Query {
    int64_t limit;
    void write(ByteWriter& out) const { out.value(limit); }
    static Query read(ByteReader& in) { return {in.value<int64_t>()}; }
  };
  int64_t count = 0, times = 0;

  void add(Numbers& shard, const Query& query, const Control&) {
    for (const int64_t value : shard.values) count += value > query.limit ? 1 : 0;
    times += ++shard.asked;
  }
  void merge(const CountAbove& other) {
    count += other.count;
    times += other.times;
  }
  void write(ByteWriter& out) const {
    out.value(count);
    out.value(times);
  }
  static CountAbove read(ByteReader& in) {
    CountAbove read;
    read.count = in.value<int64_t>();
    read.times = in.value<int64_t>();
    return read;
  }
};

Bytes answer(Numbers& shard, const Bytes& request, const Control& control) {
  return answer_request<CountAbove>(shard, request, control);
}

TEST(Engine, MergesTheAnswersOfAllShards) {
  for (const size_t shards : {1, 2, 5, 100}) {
    for (const Transport transport : {Transport::memory, Transport::bytes}) {
      for (const int threads : {1, 2}) {
        std::vector<Numbers> parts(shards);
        for (int64_t i = 0; i < 100; ++i)
          parts[static_cast<size_t>(i) % shards].values.push_back(i);
        const Parallel parallel(threads);
        const Control control;
        Engine<Numbers> engine(parts, transport, parallel, control);
        EXPECT_EQ(engine.gather<CountAbove>({59}).count, 40);
        EXPECT_EQ(engine.gather<CountAbove>({89}).count, 10);
        // Shards keep their state between questions: each is asked for the third time.
        EXPECT_EQ(engine.gather<CountAbove>({0}).times, 3 * static_cast<int64_t>(shards));
      }
    }
  }
}

}  // namespace
}  // namespace softwood
