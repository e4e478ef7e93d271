#include "cli/verb.h"

namespace softwood {

std::span<const Verb> verbs() {
  static const std::vector<Verb> table = {
      {"train", "DATA [--target T] [--method M | --recipe R] [-o MODEL] [options]",
       "Learn a tree from data",
       "softwood train iris.csv -o iris.json\n"
       "softwood train houses.csv --target price --method cart --set prune.rule=min\n"
       "softwood train cars.csv --recipe \"grow criterion=entropy min-leaf=5 | prune\" --json",
       declare_train},
      {"rework", "MODEL DATA --recipe R -o MODEL2 [options]", "Run more stages on a finished tree",
       "softwood rework big.json iris.csv --recipe \"prune folds=10\" -o small.json",
       declare_rework},
      {"predict", "MODEL DATA [--keep A,B] [--proba] [--leaf] [--path] [-o FILE]",
       "Answer for rows of data",
       "softwood predict iris.json new.csv -o answers.csv\n"
       "softwood predict iris.json new.csv --proba --path",
       declare_predict},
      {"evaluate", "MODEL DATA [--threshold H] [--json]",
       "Measure a tree on data with known answers",
       "softwood evaluate iris.json test.csv\n"
       "softwood evaluate churn.json test.csv --threshold 0.3 --json",
       declare_evaluate},
      {"cv", "DATA [--method M,M2 | --recipe R]... [--folds 10] [options]",
       "Compare methods by cross-validation",
       "softwood cv iris.csv\n"
       "softwood cv iris.csv --method cart --repeats 5\n"
       "softwood cv iris.csv --recipe \"grow max-depth=2\" --recipe \"grow | prune\"",
       declare_cv},
      {"show", "MODEL [--tree | --rules | --table | --summary] [--style STYLE]",
       "Print a tree to read",
       "softwood show iris.json\n"
       "softwood show iris.json --rules\n"
       "softwood show iris.json --style rpart",
       declare_show},
      {"plot", "MODEL [DATA] [--view VIEW] [-o FILE.svg] [options]",
       "Draw a tree, its regions, its pruning or its errors",
       "softwood plot iris.json iris.csv -o iris.svg\n"
       "softwood plot iris.json --view pruning -o pruning.svg\n"
       "softwood plot iris.json iris.csv --view regions --depths 1,2,full -o regions.svg",
       declare_plot},
      {"report", "MODEL [DATA] [--against MODEL2]... [--rows 200] [-o FILE.html]",
       "Write one page to look at, to ask and to show: tree, rules, errors, reasons",
       "softwood report iris.json iris.csv -o iris.html\n"
       "softwood report credit.json test.csv --rows none -o credit.html\n"
       "softwood report small.json test.csv --against large.json -o compared.html",
       declare_report},
      {"explain", "MODEL DATA [--row N]... [--change] [--partial A[,B]] [-o FILE] [options]",
       "Say why a tree answers as it does, and what would change it",
       "softwood explain credit.json new.csv --row 3 --class bad\n"
       "softwood explain credit.json new.csv --change --fixed age,sex\n"
       "softwood explain credit.json new.csv --partial duration",
       declare_explain},
      {"export", "MODEL --to FORMAT [--name N] [--check DATA] [-o FILE] [options]",
       "Write a tree as a program, a query or a file for another system",
       "softwood export iris.json --to c --header -o iris.c\n"
       "softwood export iris.json --to sql --dialect duckdb --table flowers --keep id -o iris.sql\n"
       "softwood export iris.json --to python --check iris.csv -o iris.py",
       declare_export},
      {"data describe", "DATA [options]", "Columns, kinds, missing cells and ranges of data",
       "softwood data describe iris.csv\n"
       "softwood data describe cars.csv --target price --json",
       declare_describe},
      {"data generate", "[NAME [KEY=VALUE]...] [--seed N] [-o FILE]",
       "Artificial data with known structure",
       "softwood data generate\n"
       "softwood data generate chessboard side=4 rows=2000 -o board.csv\n"
       "softwood data generate friedman1 rows=500 | softwood train -",
       declare_generate},
      {"data split", "DATA [--test 0.3] [--group COLUMN] [--seed N] -o TRAIN TEST",
       "Cut data into rows for training and rows for testing",
       "softwood data split iris.csv -o train.csv test.csv\n"
       "softwood data split visits.csv --test 0.25 --group patient -o train.csv test.csv",
       declare_split},
      {"data fetch", "openml:ID -o FILE", "Data sets of OpenML",
       "softwood data fetch openml:61 -o iris.arff\n"
       "softwood train openml:iris@1",
       declare_fetch},
      {"reproduce", "[EXPERIMENT --data DIR [--quick] [--runs N] [--sets A,B] [-o DIR]]",
       "Run the experiments of the papers again",
       "softwood reproduce\n"
       "softwood reproduce soft-trees --data data --quick\n"
       "softwood reproduce soft-trees --data data --peers experiments/peers.csv -o results",
       declare_reproduce},
      {"methods", "[NAME]", "List methods, or explain one and its options",
       "softwood methods\n"
       "softwood methods cart\n"
       "softwood methods grow",
       declare_methods},
      {"options", "[--json]", "Every stage and method with every option, for other programs",
       "softwood options\n"
       "softwood options --json",
       declare_options},
      {"demo", "[--full]", "See what it does, on small data of its own", "softwood demo",
       declare_demo},
  };
  return table;
}

}  // namespace softwood
