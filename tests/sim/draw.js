// draw.js PAGE - a report with what its script draws, and without the script, by
// an engine that is no browser
const page = require("fs").readFileSync(process.argv[2], "utf8");
const script = /<script>\n(.*)<\/script>/s.exec(page)[1];
const element = { querySelectorAll: () => [], querySelector: () => element,
    addEventListener: () => {} };
const sections = /<section [^>]*>.*?<\/section>/gs;
console.log(page.replace(script, "").replace(sections, (html) => {
    const [, drawing] = /data-drawing="(\w+)"/.exec(html) ?? [];
    const textContent = /<script [^>]*>(.*)<\/script>/s.exec(html)[1];
    let pieces = "";
    const table = { previousElementSibling: element,
        insertAdjacentHTML: (place, piece) => { pieces += piece; } };
    const section = { dataset: { drawing }, querySelector: (name) =>
        name === "script" ? { textContent } : table };
    new Function("document", script)({ querySelectorAll: () =>
        drawing === undefined ? [] : [section] });
    return html.replace("<details", () => pieces + "<details");
}));
