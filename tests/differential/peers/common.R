# What the runners of R's packages share: JSON, and how a data set is read. `peer` is the package.
suppressMessages(library(peer, character.only = TRUE))

args <- commandArgs(trailingOnly = TRUE)
path <- args[1]; task <- args[2]; out <- args[3]; sha256 <- args[4]
name <- sub("\\.csv$", "", basename(path))

# --- JSON ------------------------------------------------------------------------------------
quoted <- function(x) paste0('"', gsub('(["\\\\])', "\\\\\\1", x), '"')
scalar <- function(x, format = "%.17g") {
  if (is.character(x)) return(quoted(x))
  if (is.logical(x)) return(tolower(as.character(x)))
  ifelse(is.finite(x), sprintf(format, x), "null")
}
short <- function(x) scalar(x, "%.12g")
json_array <- function(x, write = scalar) paste0("[", paste(write(x), collapse = ","), "]")
json_arrays <- function(x) paste0("[", paste(vapply(x, json_array, ""), collapse = ","), "]")
json_object <- function(...) {
  fields <- c(...)
  paste0("{", paste0(quoted(names(fields)), ":", fields, collapse = ","), "}")
}

# --- data: numeric where every cell is a number, else a factor, levels as they first appear ------
cells <- read.csv(path, colClasses = "character", na.strings = "", check.names = FALSE,
                  quote = "", comment.char = "", strip.white = FALSE)
inputs <- names(cells)[-ncol(cells)]
names(cells) <- c(paste0("v", seq_along(inputs)), "target")
convert <- function(x) {
  number <- suppressWarnings(as.numeric(x))
  if (anyNA(number[!is.na(x)])) factor(x, levels = unique(x[!is.na(x)])) else number
}
data <- as.data.frame(lapply(cells, convert))
is_class <- task == "classification"
if (is_class) data$target <- factor(cells$target, levels = unique(cells$target))

# --- parts of a record ----------------------------------------------------------------------
about <- c(
  peer = quoted(peer),
  version = quoted(as.character(packageVersion(peer))),
  R = quoted(as.character(getRversion())),
  data = quoted(basename(path)),
  sha256 = quoted(sha256),
  task = quoted(task))
levels_of_inputs <- function() paste0("[", paste(vapply(data[seq_along(inputs)], function(x)
  if (is.factor(x)) json_array(levels(x)) else "null", ""), collapse = ","), "]")
counts_of <- function(frame) if (is_class) json_arrays(lapply(seq_len(nrow(frame)), function(i)
  frame$yval2[i, 1 + seq_len(nlevels(data$target))])) else "null"
write_record <- function(fields) {
  temporary <- paste0(out, ".tmp")
  writeLines(do.call(json_object, as.list(fields)), temporary)
  invisible(file.rename(temporary, out))
}
