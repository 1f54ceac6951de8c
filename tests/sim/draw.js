// draw.js PAGE - a report with what its script draws, and without the script, by
// an engine that is no browser
const page = require("fs").readFileSync(process.argv[2], "utf8");
const script = /<script>\n(.*)<\/script>/s.exec(page)[1];
const element = { querySelectorAll: () => [], querySelector: () => element,
    addEventListener: () => {}, setAttribute: () => {},
    removeAttribute: () => {}, getBoundingClientRect: () => ({}) };
// Where pieces are put: before the mark of each section, or of the contents.
const place = () => ({ pieces: "", previousElementSibling: element,
    insertAdjacentHTML(where, piece) { this.pieces += piece; } });
const sections = /<section [^>]*>.*?<\/section>/gs;
const all = [...page.matchAll(sections)].map(([html]) => {
    const [, drawing] = /data-drawing="(\w+)"/.exec(html) ?? [];
    const [, knees] = /data-knees="([^"]*)"/.exec(html) ?? [];
    const [, source] = /data-source="([^"]*)"/.exec(html);
    const textContent = /<script [^>]*>(.*?)<\/script>/s.exec(html)[1];
    const table = place();
    const [, lines] = /class="source">(.*?)<\/script>/s.exec(html) ?? [];
    const [, id] = /id="(table\d+)"/.exec(html);
    return { id, dataset: { drawing, knees, source }, table, querySelector: (name) =>
        name === "script" ? { textContent }
            : name === ".source" ? lines && { textContent: lines } : table };
});
const contents = place();
new Function("document", script)({ querySelector: () => contents,
    querySelectorAll: () => all.filter(({ dataset }) => dataset.drawing) });
let next = 0;
console.log(page.replace(script, "")
    .replace("<nav", () => contents.pieces + "<nav")
    .replace(sections, (html) => html.replace("<details", () =>
        all[next++].table.pieces + "<details")));
