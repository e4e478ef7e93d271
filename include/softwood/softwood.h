// Softwood as a library: data in, one tree out, answers.
//
//   const softwood::DataSet data = softwood::DataSet::read("iris.csv");
//   const softwood::TreeModel model = softwood::train(data).model;
//   model.save("iris.json");
//   std::cout << model.show();
//
// Everything that can go wrong is a softwood::Error: nothing else leaves the library. Objects are
// cheap to copy (they share what they hold) and may be used from several threads. The library
// changes no global state of its host: it handles no signals, prints nothing, and limits its
// threads in an arena of its own.
#pragma once

#include "softwood/cluster.h"
#include "softwood/data.h"
#include "softwood/error.h"
#include "softwood/evaluation.h"
#include "softwood/explain.h"
#include "softwood/export.h"
#include "softwood/lowered.h"
#include "softwood/measures.h"
#include "softwood/model.h"
#include "softwood/options.h"
#include "softwood/plot.h"
#include "softwood/progress.h"
#include "softwood/report.h"
#include "softwood/train.h"
#include "softwood/version.h"
