// On a narrow screen each cell of a table stands below the other, with the heading of its column.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.docutils")) {
    const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent);
    for (const row of table.querySelectorAll("tbody tr"))
      [...row.cells].forEach((cell, at) => (cell.dataset.head = heads[at] ?? ""));
  }
});
