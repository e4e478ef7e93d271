#include "cluster/messages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cluster/schema_bytes.h"
#include "data/content.h"
#include "softwood/error.h"

namespace softwood::cluster {
namespace {

constexpr ByteForm message_form{{'S', 'W', 'C', 'M'}, 4, "a message of a training in parts"};
// Rows that are counted together: a cache is filled for them.
constexpr size_t rows_together = 65536, most_together = size_t{1} << 20;

template <class T>
Bytes merged_as(ByteView one, ByteView other, Message message) {
  T all = message_content<T>(one, message);
  all.merge(message_content<T>(other, message));
  return message_bytes(message, all);
}

template <class T>
std::vector<Bytes> messages_of(Message message, const std::vector<T>& pieces) {
  std::vector<Bytes> all;
  all.reserve(pieces.size());
  for (const T& piece : pieces) all.push_back(message_bytes(message, piece));
  return all;
}

// The same piece of all parts.
template <class T>
T merged_pieces(std::span<const ByteView> pieces, Message message) {
  if (pieces.empty()) throw Error(ErrorKind::data, "there are no rows");
  T all = message_content<T>(pieces[0], message);
  for (const ByteView piece : pieces.subspan(1)) all.merge(message_content<T>(piece, message));
  return all;
}

// None where no row of the batch has a target.
std::optional<Table> training_rows(Frame frame, const Schema& schema,
                                   const std::vector<bool>& needed = {}) {
  const FrameColumn* const target = frame.find(schema.target.name);
  if (target != nullptr) {
    bool any = false;
    for (size_t row = 0; row < frame.rows && !any; ++row) any = !target->cells.is_missing(row);
    if (!any) return {};
  }
  const Control silent;
  return table_for(std::move(frame), schema, true, silent, needed);
}

// Rows that a tree can learn from.
std::vector<RowIndex> known_rows(const Table& table) {
  std::vector<RowIndex> rows;
  for (RowIndex row = 0; row < table.rows(); ++row) {
    if (!table.target().is_missing(row) && table.weight(row) > 0) rows.push_back(row);
  }
  return rows;
}

}  // namespace

ByteWriter message_writer(Message message) {
  ByteWriter out;
  out.form(message_form);
  out.value(message);
  return out;
}

Message message_of(ByteView bytes) {
  ByteReader in(bytes);
  in.form(message_form);
  return in.value<Message>();
}

ByteReader message_reader(ByteView bytes, Message expected) {
  ByteReader in(bytes);
  in.form(message_form);
  if (in.value<Message>() != expected) {
    throw Error(ErrorKind::failure, "an answer to another request");
  }
  return in;
}

void SummaryRequest::write(ByteWriter& out) const {
  out.value(pieces);
  roles.write(out);
  out.value(max_bins);
}

SummaryRequest SummaryRequest::read(ByteReader& in) {
  SummaryRequest request;
  request.pieces = in.value<uint64_t>();
  request.roles = ColumnRoles::read(in);
  request.max_bins = in.value<uint64_t>();
  return request;
}

void CountRequest::write(ByteWriter& out) const {
  out.value(pieces);
  write_schema(schema, out);
  question.write(out);
}

CountRequest CountRequest::read(ByteReader& in) {
  CountRequest request;
  request.pieces = in.value<uint64_t>();
  request.schema = read_schema(in);
  request.question = CountQuestion::read(in);
  return request;
}

void CodingRequest::write(ByteWriter& out) const {
  write_schema(schema, out);
  coding.write(out);
  out.value(hashes);
}

CodingRequest CodingRequest::read(ByteReader& in) {
  CodingRequest request;
  request.schema = read_schema(in);
  request.coding = RowCoding::read(in);
  request.hashes = in.value<bool>();
  return request;
}

void CodingFacts::merge(const CodingFacts& other) {
  content = added_content(content, other.content);
  rows += other.rows;
  weight.merge(other.weight);
  whole_weights = whole_weights && other.whole_weights;
  unknown += other.unknown;
  amounts.merge(other.amounts);
}

void CodingFacts::write(ByteWriter& out) const {
  out.value(content);
  out.value(rows);
  weight.write(out);
  out.value(whole_weights);
  out.value(unknown);
  amounts.write(out);
}

CodingFacts CodingFacts::read(ByteReader& in) {
  CodingFacts facts;
  facts.content = in.value<uint64_t>();
  facts.rows = in.value<uint64_t>();
  facts.weight = ExactSum::read(in);
  facts.whole_weights = in.value<bool>();
  facts.unknown = in.value<uint64_t>();
  facts.amounts = AmountSummary::read(in);
  return facts;
}

void DealRequest::write(ByteWriter& out) const {
  settings.write(out);
  dealing.write(out);
}

DealRequest DealRequest::read(ByteReader& in) {
  DealRequest request;
  request.settings = DealSettings::read(in);
  request.dealing = Dealing::read(in);
  return request;
}

void FinishRequest::write(ByteWriter& out) const {
  forest.write(out);
  finish.write(out);
}

FinishRequest FinishRequest::read(ByteReader& in) {
  FinishRequest request;
  request.forest = ForestQuestion::read(in);
  request.finish = FinishQuestion::read(in);
  return request;
}

void ColumnFindings::append(ColumnFindings more) {
  std::move(more.columns.begin(), more.columns.end(), std::back_inserter(columns));
}

void ColumnFindings::write(ByteWriter& out) const {
  out.value(static_cast<uint64_t>(columns.size()));
  for (const ColumnFinding& column : columns) column.write(out);
}

ColumnFindings ColumnFindings::read(ByteReader& in) {
  ColumnFindings findings;
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    findings.columns.push_back(ColumnFinding::read(in));
  }
  return findings;
}

void MergeRequest::write(ByteWriter& out) const {
  coding.write(out);
  out.value(most);
}

MergeRequest MergeRequest::read(ByteReader& in) {
  MergeRequest request;
  request.coding = RowCoding::read(in);
  request.most = in.value<uint64_t>();
  return request;
}

void TreeParts::merge(const TreeParts& other) {
  parts.insert(parts.end(), other.parts.begin(), other.parts.end());
}

void TreeParts::write(ByteWriter& out) const {
  out.value(static_cast<uint64_t>(parts.size()));
  for (const auto& [node, bytes] : parts) {
    out.value(node);
    out.vector(bytes);
  }
}

TreeParts TreeParts::read(ByteReader& in) {
  TreeParts all;
  for (auto left = in.value<uint64_t>(); left > 0; --left) {
    const auto node = in.value<NodeKey>();
    all.parts.emplace_back(node, in.vector<std::byte>());
  }
  return all;
}

Bytes merged_answers(ByteView one, ByteView other) {
  const Message message = message_of(one);
  switch (message) {
    case Message::facts:
      return merged_as<CodingFacts>(one, other, message);
    case Message::deal_counts:
      return merged_as<DealCounts>(one, other, message);
    case Message::judge:
      return merged_as<ForestJudgement>(one, other, message);
    case Message::parts:
      return merged_as<TreeParts>(one, other, message);
    case Message::merged:
      return merged_as<RowMerger>(one, other, message);
    case Message::summary:
    case Message::counts:
    case Message::findings:
    case Message::coding:
    case Message::dealing:
    case Message::growth:
    case Message::open:
    case Message::finish:
      break;
  }
  throw Error(ErrorKind::failure, "these messages can't be merged");
}

RawPart::RawPart(ByteView request) : message_(message_of(request)) {
  if (message_ == Message::summary) {
    auto asked = message_content<SummaryRequest>(request, message_);
    pieces_ = asked.pieces;
    summary_ = PartSummary(std::move(asked.roles), asked.max_bins > 0);
  } else {
    counting_ = message_content<CountRequest>(request, Message::counts);
    pieces_ = counting_.pieces;
    counter_ = RangeCounter(counting_.question);
    if (counting_.question.columns.size() != counting_.schema.features.size() + 1) {
      throw Error(ErrorKind::failure, "a question about other columns");
    }
    for (size_t f = 0; f < counting_.schema.features.size(); ++f) {
      needed_.push_back(counting_.question.columns[f].asked);
    }
  }
}

std::vector<std::string> RawPart::columns() const {
  std::vector<std::string> names;
  if (message_ == Message::summary) return names;
  for (size_t f = 0; f < needed_.size(); ++f) {
    if (needed_[f]) names.push_back(counting_.schema.features[f].name);
  }
  names.push_back(counting_.schema.target.name);
  if (!counting_.schema.weight.empty()) names.push_back(counting_.schema.weight);
  return names;
}

void RawPart::add(Frame frame) {
  if (message_ == Message::summary) {
    summary_.add(frame);
  } else {
    std::optional<Table> table = training_rows(std::move(frame), counting_.schema, needed_);
    if (!table) return;
    held_rows_ += table->rows();
    held_.push_back(std::move(*table));
    if (held_rows_ >= rows_together) count_held();
  }
}

void RawPart::count_held() {
  counter_.add(held_);
  held_.clear();
  held_rows_ = 0;
}

std::vector<Bytes> RawPart::answer() {
  count_held();
  summary_.end();
  return message_ == Message::summary ? messages_of(message_, summary_.pieces(pieces_))
                                      : messages_of(message_, counter_.pieces(pieces_));
}

void PieceMerger::add(ByteView piece) {
  const Message message = message_of(piece);
  const auto merge = [&]<class T>(T more) {
    if (std::holds_alternative<std::monostate>(all_)) {
      all_ = std::move(more);
    } else if (T* const all = std::get_if<T>(&all_)) {
      all->merge(more);
    } else {
      throw Error(ErrorKind::failure, "these messages can't be merged");
    }
  };
  if (message == Message::summary) {
    merge(message_content<PartSummary>(piece, message));
  } else if (message == Message::counts) {
    merge(message_content<RangeCounts>(piece, message));
  } else {
    merge(message_content<PieceSums>(piece, Message::growth));
  }
}

Bytes PieceMerger::take() const {
  if (const auto* const summary = std::get_if<PartSummary>(&all_)) {
    return message_bytes(Message::summary, *summary);
  }
  if (const auto* const counts = std::get_if<RangeCounts>(&all_)) {
    return message_bytes(Message::counts, *counts);
  }
  const auto* const sums = std::get_if<PieceSums>(&all_);
  return sums == nullptr ? Bytes() : message_bytes(Message::growth, *sums);
}

Decision decided(ByteView request, ByteView kept, std::span<const ByteView> pieces) {
  const Message message = message_of(request);
  if (message == Message::summary) {
    auto summary = merged_pieces<PartSummary>(pieces, message);
    const auto asked = message_content<SummaryRequest>(request, message);
    for (SummaryColumn& column : summary.columns) column.condense(asked.max_bins);
    return {{}, message_bytes(message, summary)};
  }
  if (message == Message::counts) {
    const auto asked = message_content<CountRequest>(request, message);
    const auto counts = merged_pieces<RangeCounts>(pieces, message);
    ColumnFindings findings;
    for (size_t c = 0; c < counts.columns.size(); ++c) {
      const ColumnQuestion& question = asked.question.columns.at(counts.first + c);
      ColumnFinding& finding = findings.columns.emplace_back();
      if (question.asked) finding = search_quantiles(question, counts.columns[c]);
    }
    return {{}, message_bytes(Message::findings, findings)};
  }
  const auto asked = message_content<GrowthRequest>(request, Message::growth);
  const auto sums = merged_pieces<PieceSums>(pieces, message);
  OpenHistograms before;
  if (!kept.empty()) before = message_content<OpenHistograms>(kept, Message::open);
  const auto [open, answer] = searched(asked, sums, std::move(before));
  return {message_bytes(Message::open, open), message_bytes(Message::growth, answer)};
}

std::pair<Bytes, Bytes> coded_part(ByteView request, Frame frame) {
  const auto coding = message_content<CodingRequest>(request, Message::coding);
  const std::optional<Table> known = training_rows(std::move(frame), coding.schema);
  CodingFacts facts;
  if (!known) return {message_bytes(Message::facts, facts), CodedRows().to_bytes()};
  const Table& table = *known;
  const std::vector<RowIndex> rows = known_rows(table);
  facts.content = content_sum(table);
  facts.rows = rows.size();
  for (RowIndex row = 0; row < table.rows(); ++row) {
    facts.unknown += table.target().is_missing(row) ? 1 : 0;
  }
  for (const RowIndex row : rows) {
    facts.weight.add(table.weight(row));
    facts.whole_weights = facts.whole_weights && table.weight(row) == std::floor(table.weight(row));
  }
  if (coding.coding.classes == 0) {
    facts.amounts = summarise_amounts(table, rows, coding.coding.centre);
  }
  const CodedRows coded = code_rows(table, rows, coding.coding,
                                    coding.hashes ? WithHashes::yes : WithHashes::no, Parallel(1));
  return {message_bytes(Message::facts, facts), coded.to_bytes()};
}

namespace {

// Does `work` with so many rows at a time, that what is made of them fits into memory.
template <class Work>
void each_rows(std::span<const ByteView> blocks, const RowCoding& coding, const Work& work) {
  std::vector<PartRows> rows;
  size_t count = 0;
  for (const ByteView block : blocks) {
    count += rows.emplace_back(CodedRows::in_place(block), coding).rows.rows();
    if (count < most_together) continue;
    work(rows);
    rows.clear();
    count = 0;
  }
  if (!rows.empty()) work(rows);
}

}  // namespace

// Few rows at a time take little memory, again and again the same; but the cells of many nodes
// should not come from the memory for few rows.
GrowingPart::GrowingPart(ByteView request)
    : request_(message_content<GrowthRequest>(request, Message::growth)),
      sums_(request_.forest),
      most_held_(std::clamp(sums_.cells(), rows_together, most_together)) {}

void GrowingPart::add(ByteView rows) {
  held_.emplace_back(CodedRows::in_place(rows), request_.forest.coding);
  held_rows_ += held_.back().rows.rows();
  if (held_rows_ >= most_held_) count_held();
}

void GrowingPart::count_held() {
  sums_.add(held_);
  held_.clear();
  held_rows_ = 0;
}

std::vector<Bytes> GrowingPart::answer() {
  count_held();
  return messages_of(Message::growth, pieces_of(sums_.take(), request_));
}

std::vector<Bytes> counted_part(ByteView request, std::span<const ByteView> rows) {
  GrowingPart part(request);
  for (const ByteView block : rows) part.add(block);
  return part.answer();
}

Bytes coded_answer(ByteView request, std::span<const ByteView> rows, uint32_t part) {
  const Message message = message_of(request);
  if (message == Message::deal_counts) {
    DealCounts counts;
    counts.add(part, CodedRows::joined(rows), message_content<DealSettings>(request, message));
    return message_bytes(message, counts);
  }
  if (message == Message::merged) {
    const auto asked = message_content<MergeRequest>(request, message);
    RowMerger merger(asked.coding, asked.most);
    for (const ByteView block : rows) {
      const PartRows own(CodedRows::in_place(block), asked.coding);
      merger.add(own.rows.codes, own.target, own.slots(no_fold, false));
    }
    return message_bytes(message, merger);
  }
  const auto trial = message_content<ForestTrial>(request, Message::judge);
  ForestJudge judge(trial);
  for (const ByteView block : rows) judge.add({CodedRows::in_place(block), trial.coding});
  return message_bytes(message, judge.take());
}

std::vector<std::pair<uint32_t, Bytes>> exchanged(ByteView request,
                                                  std::span<const ByteView> rows) {
  const auto settings = message_content<DealSettings>(request, Message::deal_counts);
  const CodedRows coded = CodedRows::joined(rows);
  const std::vector<uint32_t> to = destinations_of(coded, settings);
  std::vector<std::vector<uint32_t>> by_part(settings.destinations);
  for (uint32_t row = 0; row < to.size(); ++row) by_part[to[row]].push_back(row);
  std::vector<std::pair<uint32_t, Bytes>> all;
  for (uint32_t part = 0; part < by_part.size(); ++part) {
    if (!by_part[part].empty()) all.emplace_back(part, coded.at(by_part[part]).to_bytes());
  }
  return all;
}

Bytes gathered_part(ByteView request, std::span<const ByteView> rows) {
  const auto settings = message_content<DealSettings>(request, Message::deal_counts);
  return merged_for_deal(CodedRows::joined(rows), settings).to_bytes();
}

Bytes dealt_part(ByteView request, ByteView rows, uint32_t part) {
  const auto deal = message_content<DealRequest>(request, Message::dealing);
  return dealt_rows(part, CodedRows::in_place(rows), deal.settings, deal.dealing).to_bytes();
}

std::optional<std::vector<std::pair<NodeKey, Bytes>>> rows_by_node(ByteView request,
                                                                   std::span<const ByteView> rows,
                                                                   size_t tree) {
  const auto finish = message_content<FinishRequest>(request, Message::finish);
  if (tree >= finish.forest.trees.size()) return {};
  std::vector<std::pair<NodeKey, Bytes>> all;
  each_rows(rows, finish.forest.coding, [&](const std::vector<PartRows>& some) {
    for (const auto& [node, own] : rows_of_nodes(some, finish.forest, tree)) {
      all.emplace_back(node, own.to_bytes());
    }
  });
  return all;
}

Bytes finished_node(const FinishRequest& request, NodeKey node, std::span<const ByteView> rows) {
  ByteWriter out;
  finished_part(request.finish, node, CodedRows::joined(rows)).write(out);
  return message_bytes(Message::parts, TreeParts{{{node, out.take()}}});
}

}  // namespace softwood::cluster
