# Prints rpart's tree of one data set as R does, and writes the lines as a record.
#
# Usage: Rscript rpart_print.R DATA.csv classification|regression OUT.json SHA256 [loss]
#   loss  with the losses of rpart_variants.R
library(rpart)

args <- commandArgs(trailingOnly = TRUE)
path <- args[1]; task <- args[2]; out <- args[3]; sha256 <- args[4]

# Numeric where every cell is a number, else a factor, levels as they first appear.
cells <- read.csv(path, colClasses = "character", na.strings = "", check.names = FALSE,
                  quote = "", comment.char = "", strip.white = FALSE)
stopifnot(!anyNA(cells))
convert <- function(x) {
  number <- suppressWarnings(as.numeric(x))
  if (anyNA(number)) factor(x, levels = unique(x)) else number
}
data <- as.data.frame(lapply(cells, convert), check.names = FALSE)
names(data) <- names(cells)
target <- names(cells)[ncol(cells)]
is_class <- task == "classification"
if (is_class) data[[target]] <- factor(cells[[target]], levels = unique(cells[[target]]))

control <- rpart.control(cp = 0.01, minsplit = 20, minbucket = 7, maxdepth = 30, xval = 0,
                         maxcompete = 0, maxsurrogate = 0, usesurrogate = 0)
classes <- if (is_class) nlevels(data[[target]]) else 0
loss <- outer(seq_len(classes) - 1, seq_len(classes) - 1, function(i, j) (1 + (2 * i + j) %% 3) * (i != j))
parms <- if (length(args) > 4) list(loss = loss) else NULL
fit <- rpart(as.formula(paste0("`", target, "` ~ .")), data, control = control,
             method = if (is_class) "class" else "anova", parms = parms)
lines <- capture.output(print(fit))

quoted <- function(x) paste0('"', gsub('(["\\\\])', "\\\\\\1", x), '"')
writeLines(paste0(
  '{"peer":"rpart","version":', quoted(as.character(packageVersion("rpart"))),
  ',"R":', quoted(as.character(getRversion())), ',"data":', quoted(basename(path)),
  ',"sha256":', quoted(sha256), ',"task":', quoted(task),
  ',"call":', quoted(paste0("print(rpart(target ~ ., control = rpart.control(cp = 0.01, minsplit = 20, minbucket = 7, maxdepth = 30)",
            if (length(args) > 4) ", parms = list(loss = 1 + (2 i + j) %% 3)", "))")),
  ',"print":[', paste(quoted(lines), collapse = ","), ']}'), out)
cat(sprintf("print %s: %d lines\n", basename(path), length(lines)))
