// The engine asks every shard for a statistic and merges the answers. Shards on one machine and
// shards on many differ only in how question and answer travel.
//
// A statistic S has a Query, `add(shard, query, control)`, `merge(S)`, and goes to bytes and back.
// Its merge must be exact (sums of whole numbers), so that any number of shards gives the same
// result; a statistic of rounded sums keeps one part for each fixed block of rows and adds them up
// in a fixed order when it is read.
#pragma once

#include <concepts>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "base/parallel.h"

namespace softwood {

template <class S, class Shard>
concept Statistic = requires(S s, const S& other, Shard& shard, const typename S::Query& query,
                             const Control& control, ByteWriter& out, ByteReader& in) {
  s.add(shard, query, control);
  s.merge(other);
  other.write(out);
  { S::read(in) } -> std::same_as<S>;
  query.write(out);
  { S::Query::read(in) } -> std::same_as<typename S::Query>;
};

// bytes: nothing but bytes passes between the caller and a shard, as on a cluster.
enum class Transport { memory, bytes };

template <class Shard>
class Engine {
 public:
  Engine(std::vector<Shard> shards, Transport transport, const Parallel& parallel,
         const Control& control)
      : shards_(std::move(shards)), transport_(transport), parallel_(parallel), control_(control) {}

  template <class S>
  requires Statistic<S, Shard> S gather(const typename S::Query& query) {
    std::vector<S> parts(shards_.size());
    const Bytes question = transport_ == Transport::bytes ? to_bytes(query) : Bytes();
    parallel_.each(shards_.size(), [&](size_t i) {
      if (transport_ == Transport::memory) {
        parts[i].add(shards_[i], query, control_);
      } else {
        parts[i] = from_bytes<S>(answer<S>(shards_[i], question));
      }
    });
    for (size_t i = 1; i < parts.size(); ++i) parts[0].merge(parts[i]);
    return std::move(parts[0]);
  }

 private:
  template <class T>
  static Bytes to_bytes(const T& item) {
    ByteWriter out;
    item.write(out);
    return out.take();
  }
  template <class T>
  static T from_bytes(const Bytes& bytes) {
    ByteReader in(bytes);
    return T::read(in);
  }
  // What a worker does with a message.
  template <class S>
  Bytes answer(Shard& shard, const Bytes& question) const {
    S statistic;
    statistic.add(shard, from_bytes<typename S::Query>(question), control_);
    return to_bytes(statistic);
  }

  std::vector<Shard> shards_;
  Transport transport_;
  const Parallel& parallel_;
  const Control& control_;
};

}  // namespace softwood
