# Grows partykit's conditional inference tree on one data set and writes its nodes as a record.
#
# Usage: Rscript partykit_trees.R DATA.csv classification|regression OUT.json SHA256
#
# Besides ctree's own report of a node, the test of every input is made again with libcoin, the
# package that ctree calls for it: ctree keeps 1 - p, where small p-values are lost, libcoin gives
# their logarithm. Sets with missing cells are left out.
peer <- "partykit"
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
if (anyNA(cells)) {
  message("partykit ", name, ": has missing cells, left out")
  quit(status = 0)
}
x <- data[seq_along(inputs)]
most_tested <- 20 # with more inputs than this, all tests are written for the root alone

# The target as the tests see it: indicators of the classes (one is enough for two), or the number.
y <- if (!is_class) matrix(as.numeric(data$target)) else {
  indicators <- sapply(levels(data$target), function(k) as.numeric(data$target == k))
  if (nlevels(data$target) > 2) indicators else indicators[, 2, drop = FALSE]
}

# One input's test in a node: statistic and log p, not adjusted. NULL: ctree makes none.
test_input <- function(input, rows, weights) {
  moments <- libcoin::LinStatExpCov(X = if (is.factor(input)) input else as.double(input), Y = y,
                                    subset = rows, weights = weights)
  if (all(moments$Variance < sqrt(.Machine$double.eps))) return(NULL)
  test <- libcoin::doTest(moments, teststat = "quadratic", maxselect = FALSE, lower = FALSE, log = TRUE)
  c(statistic = test$TestStatistic, log_p = test$p.value)
}
# log(1 - (1 - p)^m)
adjusted <- function(log_p, m) if (log_p < -600) log_p + log(m) else log(-expm1(m * log1p(-exp(log_p))))

# All tests of a node, as ctree makes them; `best` is the input that ctree prefers.
tests_of <- function(info, rows, weights, all_inputs) {
  criterion <- info$criterion
  if (length(criterion) == 0) return(NULL)
  tested <- match(colnames(criterion), names(x))
  tests <- lapply(x, test_input, rows, weights)
  stopifnot(all(which(!vapply(tests, is.null, NA)) == tested))
  column <- function(what) {
    vapply(tests, function(test) if (is.null(test)) NA_real_ else test[[what]], 0, USE.NAMES = FALSE)
  }
  statistic <- column("statistic")
  log_p <- column("log_p")
  shown <- pmax(statistic[tested], .Machine$double.eps)
  stopifnot(all(abs(criterion["statistic", ] - shown) <= 1e-6 * shown))
  best <- tested[order(criterion["criterion", ])[length(tested)]]
  c(tests = scalar(length(tested)),
    best = scalar(best - 1),
    log_p = short(adjusted(log_p[best], length(tested))),
    p_value = short(unname(info$p.value)),
    if (all_inputs) c(each_statistic = json_array(statistic, short), each_log_p = json_array(log_p, short)))
}

split_of <- function(node, ids) {
  split <- split_node(node)
  if (is.null(split)) return(c(var = "-1"))
  index <- index_split(split)
  index[is.na(index)] <- 0
  c(var = scalar(varid_split(split) - 2), # the target is the first variable
    right = scalar(match(id_node(kids_node(node)[[2]]), ids) - 1),
    if (is.null(breaks_split(split))) c(levels = json_array(index)) else c(cut = scalar(breaks_split(split))))
}

# Nodes are numbered depth first: those below a node follow it.
last_id <- function(node) {
  while (!is.terminal(node)) node <- kids_node(node)[[length(node)]]
  id_node(node)
}

grow <- function(mincriterion = 0.95, minsplit = 20L, minbucket = 7L, weights = integer(0)) {
  weighted <- length(weights) > 0
  call <- bquote(ctree(target ~ ., data, weights = weights, mincriterion = .(mincriterion), minsplit = .(minsplit),
                       minbucket = .(minbucket)))
  if (!weighted) call$weights <- NULL
  seconds <- system.time(tree <- eval(call))[["elapsed"]]
  ids <- nodeids(tree)
  fitted <- tree$fitted[["(fitted)"]]
  nodes <- vapply(nodeapply(tree, ids = ids), function(node) {
    id <- id_node(node)
    rows <- which(fitted >= id & fitted <= last_id(node))
    fields <- c(n = scalar(if (weighted) sum(weights[rows]) else length(rows)),
                split_of(node, ids),
                tests_of(info_node(node), rows, weights, id == 1 || length(inputs) <= most_tested))
    do.call(json_object, as.list(fields))
  }, "")
  cat(sprintf("partykit %s: %d nodes, %.2f s\n", name, length(ids), seconds))
  json_object(
    call = quoted(gsub("[ \n]+", " ", paste(deparse(call, width.cutoff = 200L), collapse = " "))),
    mincriterion = scalar(mincriterion),
    minsplit = scalar(minsplit),
    minbucket = scalar(minbucket),
    weights = if (weighted) quoted("(i - 1) %% 3 + 1 for row i = 1..n") else "null",
    nodes = paste0("[", paste(nodes, collapse = ",\n"), "]"))
}

trees <- grow()
if (name == "iris") trees <- c(trees, grow(mincriterion = 0), grow(mincriterion = 0, minsplit = 2L, minbucket = 1L))
if (name %in% c("iris", "boston", "car")) {
  trees <- c(trees, grow(weights = as.integer((seq_len(nrow(data)) - 1) %% 3 + 1)))
}
write_record(c(
  about,
  libcoin = quoted(as.character(packageVersion("libcoin"))),
  rows = scalar(nrow(data)),
  inputs = json_array(inputs),
  levels = levels_of_inputs(),
  classes = if (is_class) json_array(levels(data$target)) else "null",
  trees = paste0("[", paste(trees, collapse = ",\n"), "]")))
