// Soft trees fitted with different settings to the same rows and compared by rows that were held
// out.
#pragma once

#include "stages/soft/fit_data.h"

namespace softwood::soft {

class CandidateFits {
 public:
  // Both must outlive it.
  CandidateFits(FitRun& run, FitData& data) : run_(run), data_(data) {}

  // Of each candidate the best of the starts, the first of equals.
  std::vector<Fitted> fit_all(const std::vector<Settings>& candidates, size_t starts);
  // Fits once more to these rows, none held out, for as many passes over them as were best. Each
  // from a start of its own, greedy trees from rows of their own. The `whole` first ones start as
  // they did when they were judged, and from all rows.
  std::vector<FittedNetwork> fit_to(const std::vector<const Fitted*>& fitted,
                                    const std::vector<Sample>& samples, size_t whole);
  // For a fit to so many rows, none held out: as many passes over them as were best; the rate falls
  // over as many passes as it did.
  Settings settings_for(const Fitted& fitted, size_t rows);

  FitRun& run() { return run_; }
  const FitRun& run() const { return run_; }
  FitData& data() { return data_; }

 private:
  gradient::Outcome fit(const Settings& settings, const FitBasis& basis,
                        const gradient::Rows<float>& rows, const gradient::Rows<float>* held_out,
                        uint64_t start) const;
  // What the fits to all but one part each come to together.
  Fitted judged(std::span<gradient::Outcome> outcomes, const FitData::ByPart& data) const;

  FitRun& run_;
  FitData& data_;
};

}  // namespace softwood::soft
