# Softens a tree by simulated annealing in R, as Dvorak & Savicky do it: optim(method = "SANN") on
# groups of at most seven widths, the objective computed for all rows at once, node after node.
# For anneal.py, which describes the files and the printed object.
# Usage: Rscript anneal.R TREE.csv ROWS.csv CALLS SEED
args <- commandArgs(trailingOnly = TRUE)
tree <- read.csv(args[1])   # node, feature (0: leaf), cut, left, right, value: numbers from 1
rows <- read.csv(args[2])   # inputs, then y: 0 or 1
calls <- as.integer(args[3]); set.seed(as.integer(args[4]))
x <- as.matrix(rows[, -ncol(rows)]); y <- rows[[ncol(rows)]]
inner <- which(tree$feature > 0)
# Distances from the cut, by side: what does not change is computed once.
below <- lapply(seq_len(nrow(tree)), function(j)
  if (tree$feature[j] > 0) pmax(tree$cut[j] - x[, tree$feature[j]], 0))
above <- lapply(seq_len(nrow(tree)), function(j)
  if (tree$feature[j] > 0) pmax(x[, tree$feature[j]] - tree$cut[j], 0))

# Ranges of the hyperrectangles: section 3.
low <- high <- vector("list", nrow(tree))
low[[1]] <- apply(x, 2, min); high[[1]] <- apply(x, 2, max)
unit <- matrix(0, nrow(tree), 2)
for (j in inner) {
  k <- tree$feature[j]; cut <- tree$cut[j]
  unit[j, ] <- c(cut - low[[j]][k], high[[j]][k] - cut)
  low[[tree$left[j]]] <- low[[tree$right[j]]] <- low[[j]]
  high[[tree$left[j]]] <- high[[tree$right[j]]] <- high[[j]]
  high[[tree$left[j]]][k] <- cut; low[[tree$right[j]]][k] <- cut
}

slope <- function(width) 0.5 / max(width, 1e-300)
ramp <- function(j, a, b) pmin.int(1, pmax.int(0, 0.5 + below[[j]] * slope(a) - above[[j]] * slope(b)))

# The probability of class 1 of all rows: from the leaves upwards.
evaluations <- 0
objective <- function(theta) {
  evaluations <<- evaluations + 1
  value <- vector("list", nrow(tree))
  for (j in rev(seq_len(nrow(tree)))) {
    if (tree$feature[j] == 0) { value[[j]] <- tree$value[j]; next }
    l <- ramp(j, theta[j, 1] * unit[j, 1], theta[j, 2] * unit[j, 2])
    value[[j]] <- l * value[[tree$left[j]]] + (1 - l) * value[[tree$right[j]]]
  }
  sum(exp(4 * (abs(value[[1]] - y) - 1)))
}

starts <- do.call(rbind, lapply(inner, function(j) rbind(c(j, 1, tree$left[j]), c(j, 2, tree$right[j]))))
starts <- starts[tree$feature[starts[, 3]] > 0, , drop = FALSE]
group <- function(start) {
  children <- c(tree$left[start[3]], tree$right[start[3]])
  nodes <- c(start[3], children[tree$feature[children] > 0])
  rbind(start[1:2], cbind(rep(nodes, each = 2), rep(1:2, length(nodes))))
}

theta <- matrix(0, nrow(tree), 2)
before <- best <- objective(theta)
failures <- done <- 0
penalty <- 10 * nrow(x)
time <- system.time(while (failures < 50 && done < calls) {
  s <- group(starts[sample.int(nrow(starts), 1), ])
  found <- optim(theta[s], function(p) {
    if (any(p < 0)) return(penalty)
    moved <- theta; moved[s] <- p
    objective(moved)
  }, method = "SANN", control = list(temp = 10, maxit = 101, tmax = 10))
  failures <- if (found$value < best) 0 else failures + 1
  theta[s] <- found$par; best <- found$value
  done <- done + 1
})
cat(sprintf('{"calls":%d,"evaluations":%d,"before":%.6f,"after":%.6f,"cpu_seconds":%.3f}\n',
            done, evaluations, before, best, time[["user.self"]] + time[["sys.self"]]))
