"use strict";
// Steps through rows that the page already holds, sorts and filters them. Nothing is computed or loaded.
(function () {
  const explorer = document.getElementById("explorer");
  if (explorer) {
    const rows = document.querySelectorAll("#profile-rows tr");
    const slider = explorer.querySelector("input");
    const outputs = explorer.querySelectorAll("[data-column]");
    const show = function () {
      const cells = rows[slider.value].cells;
      outputs.forEach(function (output) { output.textContent = cells[output.dataset.column].textContent; });
      slider.setAttribute("aria-valuetext", "epsilon " + cells[0].textContent);
    };
    slider.addEventListener("input", show);
    explorer.hidden = false;
    show();
  }

  const table = document.getElementById("pairs-table");
  if (table) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const key = function (row, column) {
      const cell = row.cells[column];
      const number = cell.querySelector("data");
      return number ? Number(number.value) : cell.textContent;
    };
    Array.from(table.tHead.rows[0].cells).forEach(function (heading, column) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", function () {
        const falling = heading.getAttribute("aria-sort") === "ascending";
        Array.from(heading.parentNode.cells).forEach(function (other) { other.removeAttribute("aria-sort"); });
        heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
        rows.sort(function (a, b) {
          const x = key(a, column), y = key(b, column);
          const order = x < y ? -1 : x > y ? 1 : 0;
          return falling ? -order : order;
        });
        body.append(...rows);
      });
    });
    const filter = document.getElementById("pairs-filter");
    const count = document.getElementById("pairs-count");
    filter.addEventListener("input", function () {
      const words = filter.value.toLowerCase().split(/[\s,\[\]]+/).filter(Boolean);
      let shown = 0;
      rows.forEach(function (row) {
        const text = (row.cells[0].textContent + " " + row.cells[1].textContent).toLowerCase();
        row.hidden = !words.every(function (word) { return text.includes(word); });
        shown += row.hidden ? 0 : 1;
      });
      count.textContent = shown + " of " + rows.length + " pairs";
    });
    document.getElementById("pairs-controls").hidden = false;
  }
})();
