"use strict";
// Counts, filters and opens what stands in the page; without it the page can still be read.
const { marks, cases, rows, columns } = JSON.parse(document.getElementById("data").textContent);
const filters = document.getElementById("filters");
const panel = document.getElementById("panel");
const LETTERS = "abcdefgh";

/** The kind of a verdict, and whether nobody expected it; null where the case did not run. */
function outcome(column, position) {
  const letter = columns[column][position];
  const kind = LETTERS.indexOf(letter.toLowerCase());
  return kind < 0 ? null : { kind, unexpected: letter !== letter.toLowerCase() };
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** The positions of a row's cases of the chosen operator. */
function positions(row, operator) {
  return rows[row].filter((position) => !operator || cases[position][1] === operator);
}

function count(column, chosen) {
  const counts = marks.map(() => ({ number: 0, unexpected: 0 }));
  for (const found of chosen.map((position) => outcome(column, position))) {
    if (!found) continue;
    counts[found.kind].number += 1;
    counts[found.kind].unexpected += found.unexpected;
  }
  return counts;
}

function told(mark, { number, unexpected }) {
  const star = !unexpected ? "" : unexpected === number ? "*" : ` (${unexpected}*)`;
  return `${mark.sign} ${number}${star}`;
}

/** One word for a cell, as the page has it without filters. */
function state(counts) {
  const of = (name) => counts[marks.findIndex((mark) => mark.name === name)].number;
  const judged = counts.reduce((sum, { number }) => sum + number, 0) - of("not judged");
  const right = of("right");
  const ran = judged - of("unsupported");
  if (!judged) return "nothing";
  if (!ran) return "refused";
  if (right === ran) return ran === judged ? "all" : "part";
  return 2 * right >= ran ? "most" : right ? "few" : "none";
}

function draw(cell, counts, verdict) {
  const present = marks.map((mark, kind) => ({ mark, ...counts[kind] })).filter(({ number }) => number);
  const bar = element("span", { className: "bar" });
  for (const { mark, number } of present) {
    const part = element("i", { className: mark.slug });
    part.style.flex = number;
    bar.append(part);
  }
  const words = present.flatMap((each) => [
    element("b", { className: each.mark.slug + (each.unexpected ? " new" : "") }, told(each.mark, each)), " ",
  ]);
  cell.className = state(counts);
  cell.classList.toggle("dim", Boolean(verdict) && !present.some(({ mark }) => mark.slug === verdict));
  cell.querySelector("a")?.replaceChildren(...(present.length ? [bar, ...words] : []));
}

/** Shows the chosen columns, and rows as cards where the screen is too narrow for those. */
function filterColumns({ chosen }) {
  for (const line of document.querySelectorAll("#matrix tr:not(.group)")) {
    [...line.children].slice(1).forEach((cell, column) => { cell.hidden = !chosen.has(column); });
  }
  const narrow = document.getElementById("narrow");
  narrow.media = `(max-width: ${Number(narrow.dataset.label) + narrow.dataset.column * chosen.size}rem)`;
}

function filterMatrix({ text, verdict, operator, chosen }) {
  let shown = 0;
  for (const body of document.querySelectorAll("#matrix tbody")) {
    const isSummary = body.classList.contains("summary");
    const feature = body.querySelector("tr.group")?.textContent ?? "";
    let any = false;
    for (const line of body.querySelectorAll("tr[data-row]")) {
      const own = positions(line.dataset.row, operator);
      const counts = columns.map((_, column) => count(column, own));
      const kind = marks.findIndex((mark) => mark.slug === verdict);
      const occurs = kind < 0 || counts.some((each, column) => chosen.has(column) && each[kind].number);
      const fits = `${feature} ${line.firstElementChild.textContent}`.toLowerCase().includes(text);
      line.hidden = !isSummary && !(own.length && fits && occurs);
      if (line.hidden) continue;
      any = true;
      shown += !isSummary;
      [...line.querySelectorAll("td")].forEach((cell, column) => draw(cell, counts[column], verdict));
    }
    body.hidden = !any;
  }
  return shown;
}

function filterCases({ text, verdict, operator, chosen }) {
  let shown = 0;
  for (const one of document.querySelectorAll("details.case")) {
    for (const part of one.querySelectorAll("[data-column]")) {
      const wanted = !verdict || (part.dataset.mark ?? part.className.split(" ")[0]) === verdict;
      part.hidden = !wanted || !chosen.has(Number(part.dataset.column));
    }
    const fits = `${one.id} ${one.querySelector(".about").textContent}`.toLowerCase().includes(text);
    const any = one.querySelector("article:not([hidden])");
    one.hidden = !(fits && any && (!operator || one.dataset.operator === operator));
    shown += !one.hidden;
  }
  return shown;
}

function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** How many rows are shown, and how many of the cases: those that are not right everywhere are listed. */
function shownLine({ typed, operator }, rowsShown, casesShown) {
  if (typed && !rowsShown && !casesShown) return `No row and no listed case fits “${typed}”`;
  const every = cases.filter(([, own]) => !operator || own === operator).length;
  return `${counted(rowsShown, "row")}; ${casesShown} of ${counted(every, "case")} not right everywhere`;
}

function filter() {
  const entered = new FormData(filters);
  const typed = entered.get("text").trim();
  const choice = {
    typed,
    text: typed.toLowerCase(),
    verdict: entered.get("verdict"),
    operator: entered.get("operator"),
    chosen: new Set(entered.getAll("column").map(Number)),
  };
  filterColumns(choice);
  document.getElementById("shown").value = shownLine(choice, filterMatrix(choice), filterCases(choice));
}

/** One case of a cell, opened to what the column makes of it. */
function openable(position, column) {
  const [name] = cases[position];
  const source = document.getElementById(name.includes("/") ? name : `/${name}`); // an id of the page has no slash
  const article = source.querySelector(`article[data-column="${column}"]`).cloneNode(true);
  article.hidden = false;
  const verdict = article.querySelector("p").textContent.split(":")[0];
  const summary = element("summary", {}, element("code", {}, name), ` ${verdict}`);
  return element("details", {}, summary, source.querySelector(".about").cloneNode(true), article);
}

function openCell(line, column) {
  const chosen = positions(line.dataset.row, filters.elements.operator.value);
  const feature = line.closest("tbody").querySelector("tr.group")?.textContent ?? "cases";
  const value = line.firstElementChild.firstChild.textContent;
  const name = line.children[Number(column) + 1].dataset.name;
  const parts = [element("h2", {}, `${feature}: ${value}`), element("p", {}, name)];
  const counts = count(column, chosen);
  marks.forEach((mark, kind) => {
    const own = chosen.filter((position) => outcome(column, position)?.kind === kind);
    if (!own.length) return;
    const title = element("b", { className: mark.slug }, `${told(mark, counts[kind])} ${mark.name}`);
    if (mark.name === "right") {
      const names = own.flatMap((position) => [element("code", {}, cases[position][0]), " "]);
      parts.push(element("details", {}, element("summary", {}, title), element("p", {}, ...names)));
    } else {
      parts.push(element("h3", {}, title), ...own.map((position) => openable(position, column)));
    }
  });
  const right = parts.findIndex((part) => part.localName === "details" && part.querySelector("b.right"));
  if (right >= 0) parts.push(...parts.splice(right, 1)); // what is not right comes first
  panel.querySelector("div").replaceChildren(...parts);
  panel.showModal();
  panel.scrollTop = 0;
}

/** What is opened and the head of the table stand below the filters, however many lines those take. */
function measureBar() {
  document.documentElement.style.setProperty("--bar", `${filters.offsetHeight}px`);
}

/** Opens the element that the address names; unlike decodeURIComponent this takes any address. */
function openTarget() {
  const target = document.getElementById(new URLSearchParams(`id=${location.hash.slice(1)}`).get("id"));
  if (target?.localName !== "details") return;
  target.hidden = false;
  target.open = true;
  target.scrollIntoView();
}

document.getElementById("matrix").addEventListener("click", (event) => {
  const cell = event.target.closest("td");
  if (!cell || !event.target.closest("a")) return;
  event.preventDefault();
  openCell(cell.parentElement, cell.cellIndex - 1);
});
panel.addEventListener("click", (event) => event.target === panel && panel.close());
filters.addEventListener("input", filter);
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", () => setTimeout(filter));
addEventListener("hashchange", openTarget);
filters.hidden = false;
filter();
measureBar();
new ResizeObserver(measureBar).observe(filters);
openTarget();
