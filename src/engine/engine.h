// The engine asks every shard for a statistic and merges the answers. Shards on one machine and
// shards on many differ only in how question and answer travel.
//
// A statistic S has a Query, `add(shard, query, control)`, `merge(S)`, and goes to bytes and back.
// Its merge must be exact (sums of whole numbers), so that any number of shards gives the same
// result; a statistic of rounded sums keeps one part for each fixed block of rows and adds them up
// in a fixed order when it is read.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/control.h"
#include "base/parallel.h"
#include "softwood/error.h"

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
  { S::message } -> std::convertible_to<uint32_t>;  // its number in requests and answers
};

// Requests and answers as bytes: their form and its version, S::message, then the query or the
// sums.
constexpr ByteForm request_form{{'S', 'W', 'R', 'Q'}, 1, "a request to a worker"};
constexpr ByteForm answer_form{{'S', 'W', 'A', 'N'}, 1, "an answer of a worker"};

template <class S>
Bytes request_for(const typename S::Query& query) {
  ByteWriter out;
  out.form(request_form);
  out.value(uint32_t{S::message});
  query.write(out);
  return out.take();
}

template <class S>
S answer_from(const Bytes& bytes) {
  ByteReader in(bytes);
  in.form(answer_form);
  if (in.value<uint32_t>() != S::message) {
    throw Error(ErrorKind::failure, "a worker has answered another request");
  }
  S statistic = S::read(in);
  in.end();
  return statistic;
}

// What a worker does with a request for one of the statistics.
template <class... Statistics, class Shard>
Bytes answer_request(Shard& shard, const Bytes& request, const Control& control) {
  ByteReader in(request);
  in.form(request_form);
  const auto message = in.value<uint32_t>();
  ByteWriter out;
  out.form(answer_form);
  out.value(message);
  const auto answer_if = [&]<class S>(S statistic) {
    if (message != S::message) return false;
    const auto query = S::Query::read(in);
    in.end();
    statistic.add(shard, query, control);
    statistic.write(out);
    return true;
  };
  if (!(answer_if(Statistics()) || ...)) {
    throw Error(ErrorKind::failure, "a worker was asked for something that it does not know");
  }
  return out.take();
}

// bytes: nothing but bytes passes between the caller and a shard, as on a cluster. The shard's
// answer(shard, request, control) is the entry of its worker.
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
    const Bytes request = transport_ == Transport::bytes ? request_for<S>(query) : Bytes();
    parallel_.each(shards_.size(), [&](size_t i) {
      if (transport_ == Transport::memory) {
        parts[i].add(shards_[i], query, control_);
      } else {
        parts[i] = answer_from<S>(answer(shards_[i], request, control_));
      }
    });
    for (size_t i = 1; i < parts.size(); ++i) parts[0].merge(parts[i]);
    return std::move(parts[0]);
  }

 private:
  std::vector<Shard> shards_;
  Transport transport_;
  const Parallel& parallel_;
  const Control& control_;
};

}  // namespace softwood
