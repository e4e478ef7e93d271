// The table of rules: sorted by a column, filtered by class and text.

function sortKey(cell) {
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const number = Number(cell.textContent);
  return Number.isNaN(number) ? cell.textContent : number;
}

function sortRows(table, column, descending) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => ({ row, key: sortKey(row.cells[column]) }));
  rows.sort((a, b) => {
    const order = typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : String(a.key).localeCompare(String(b.key));
    return descending ? -order : order;
  });
  body.append(...rows.map(({ row }) => row));
}

function letSort(table) {
  const heads = Array.from(table.querySelectorAll("th[data-sort]"));
  heads.forEach((head, column) => {
    const text = head.textContent;
    head.replaceChildren(button(text, () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sortRows(table, column, descending);
    }, { class: "sort" }));
  });
}

function startRules() {
  const table = document.getElementById("rules-table");
  if (table === null) return;
  letSort(table);
  const state = { of: "", text: "" };
  const count = make("span", { role: "status" });
  const filter = () => {
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const fits = (state.of === "" || row.dataset.class === state.of) && row.textContent.toLowerCase().includes(state.text);
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    count.textContent = `${shown} of ${table.tBodies[0].rows.length} rules`;
  };
  const search = make("input", {
    type: "search",
    oninput: () => {
      state.text = search.value.trim().toLowerCase();
      filter();
    },
  });
  const tools = [labelled("Find in rules", search), count];
  if (isClassifier) {
    const names = data.classes.map((name, k) => [String(k), name]);
    tools.unshift(choice("Class", [["", "all"], ...names], (value) => {
      state.of = value;
      filter();
    }).field);
  }
  show("rules-tools", ...tools);
  filter();
}

// Rows of the table of errors can be followed and asked about.
function startErrors() {
  const table = document.getElementById("errors-table");
  if (table === null) return;
  for (const row of table.tBodies[0].rows) {
    const number = Number(row.dataset.row);
    const place = data.rows.findIndex((one) => one.number === number);
    if (place < 0) continue;
    row.cells[0].replaceChildren(button(String(number), () => {
      askForm.rowList.value = String(place);
      setForm(cellsOfRow(data.rows[place]));
      treeView.followList.value = String(place);
      treeView.follows = String(place);
      followCells(cellsOfRow(data.rows[place]));
      document.getElementById("ask").scrollIntoView();
    }, { "aria-label": `Ask about row ${number}`, class: "link" }));
  }
}
