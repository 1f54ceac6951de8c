// report.js - the cursor of the charts, and which of their lines are shown
//
// The numbers are those of the tables on the page, which stand in it as JSON:
// an object for each row.  A line of a chart is the rows with the same values
// in the key columns, lines in the order of their first rows; the last of very
// many are not drawn, and have no box.
"use strict";
document.documentElement.classList.add("scripted");

for (const figure of document.querySelectorAll("figure.chart")) {
    const rows = JSON.parse(
        document.getElementById(figure.dataset.table + "-rows").textContent);
    const { x, y, keys } = figure.dataset;
    const names = keys.split(",");
    const boxes = [...figure.querySelectorAll(".legend input")];
    const slider = figure.querySelector(".reading input");
    const reading = figure.querySelector(".reading output");

    const byKey = new Map();
    for (const row of rows) {
        const key = JSON.stringify(names.map((name) => row[name]));
        if (!byKey.has(key))
            byKey.set(key, []);
        if (typeof row[x] === "number" && typeof row[y] === "number")
            byKey.get(key).push(row);
    }
    const lines = [...byKey.values()];
    const places = [...new Set(lines.flat().map((row) => row[x]))];
    places.sort((a, b) => a - b);
    if (places.length === 0)
        continue;

    // A picture's axis: its numbers, and where they lie in the drawing.
    const axisOf = (picture) => {
        const [from, to, left, right] = ["from", "to", "left", "right"].map(
            (name) => Number(picture.dataset[name]));
        const logarithmic = picture.classList.contains("logarithmic");
        return { from, to, left, right, logarithmic };
    };

    // The last row of the line up to a place; undefined before its first.
    const rowAt = (line, place) => {
        let found;
        for (const row of line) {
            if (row[x] <= place)
                found = row;
        }
        return found;
    };

    const nameOf = (i) => boxes[i] === undefined
        ? "" : boxes[i].parentElement.textContent.trim() + ": ";

    const tell = (place) => {
        const words = [`${x} ${place}`];
        lines.forEach((line, i) => {
            const row = rowAt(line, place);
            const isShown = boxes.length === 0 ||
                (boxes[i] !== undefined && boxes[i].checked);
            if (row !== undefined && isShown)
                words.push(`${nameOf(i)}${y} ${row[y]}`);
        });
        reading.textContent = words.join("\n");
        for (const picture of figure.querySelectorAll("svg[data-from]")) {
            const { from, to, left, right, logarithmic } = axisOf(picture);
            const share = logarithmic
                ? Math.log(place / from) / Math.log(to / from)
                : (place - from) / (to - from);
            const cursor = picture.querySelector(".cursor");
            const at = left + (right - left) * share;
            cursor.setAttribute("transform", `translate(${at} 0)`);
            cursor.removeAttribute("hidden");
        }
    };

    // The index of the last place up to a point of the drawing.
    const indexAt = (picture, at) => {
        const { from, to, left, right, logarithmic } = axisOf(picture);
        const share = (at - left) / (right - left);
        const place = logarithmic
            ? from * Math.pow(to / from, share) : from + share * (to - from);
        let index = 0;
        while (index + 1 < places.length && places[index + 1] <= place)
            index++;
        return index;
    };

    slider.max = places.length - 1;
    slider.addEventListener("input", () => tell(places[slider.value]));
    figure.querySelector(".reading").hidden = false;
    for (const picture of figure.querySelectorAll("svg[data-from]")) {
        picture.addEventListener("pointermove", (event) => {
            const box = picture.getBoundingClientRect();
            const scale = picture.viewBox.baseVal.width / box.width;
            slider.value = indexAt(picture, (event.clientX - box.left) * scale);
            tell(places[slider.value]);
        });
    }
    for (const box of boxes) {
        box.addEventListener("change", () => {
            for (const line of figure.querySelectorAll(
                `svg[data-from] [data-line="${box.dataset.line}"]`))
                line.classList.toggle("off", !box.checked);
            tell(places[slider.value]);
        });
    }
    slider.value = Math.floor(places.length / 2);
    tell(places[slider.value]);
}
