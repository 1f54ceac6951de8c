// charts.js - pictures between axes, of numbers in tables
//
// picture() draws the axes of all of them.  A piece of the page has its HTML and
// draws itself again for a view, which is the part of its axis from left to right
// that is seen, of 0 to 1; addZoom() lets people choose that.  A chart of lines
// has its places, over which a cursor moves; addCursor() makes it do so.
"use strict";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 372, 64, 680, 12, 312];
const MOST_TICKS = 6; // of an axis, not counting its begin
const MOST_LINES = 24; // colours and dashes differ
const MOST_PARTS = 8; // of a bar; report.css has a colour for each
const MOST_BARS = 66;
const STEEP_RATIO = 50; // from which a curve's fall is steep
const WHOLE = [0, 1], LEAST_VIEW = 1 / 256;

// ------------------------------------------------------- numbers and texts --

// The number of a field, within what sums and logarithms can take; undefined
// where there is none.
function number(field)
{
    if (typeof field !== "number" || Math.abs(field) > 2 ** 64)
        return undefined;
    return Math.abs(field) < 2 ** -64 ? 0 : field;
}

const amount = (row, name) => Math.max(number(row[name]) ?? 0, 0);

const total = (rows, name) =>
    rows.reduce((sum, row) => sum + amount(row, name), 0);

const short = (value, digits) => String(Number(value.toPrecision(digits)));

const escaped = (text) => String(text ?? "").replace(
    /[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

// "5.83%"; only what is 1 is 100%.
const percent = (ratio) =>
    `${short(100 * ratio, ratio > 0.999 && ratio < 1 ? 6 : 3)}%`;

const count = (value) => value.toLocaleString("en");

// The same of an axis: "2.5M".
const rounded = (value) => value.toLocaleString("en",
    { notation: "compact", maximumSignificantDigits: 3 });

// The file of a path.
const base = (path) => String(path ?? "").replace(/^.*\/(?=.)/, "");

// "a, b and c"
const listed = (words) => words.length < 2 ? words.join("")
    : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

// "32 KiB", or "1.5 Ki" where sizes count blocks.
function size(value, inBytes, digits = 4)
{
    const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let unit = 0;
    for (; value >= 1024 && unit + 1 < units.length; unit++)
        value /= 1024;
    return short(value, value < 1000 ? digits : 4)
        + (unit > 0 || inBytes ? " " : "") + units[unit] + (inBytes ? "B" : "");
}

// Rounded up, because a smaller cache does less, as on the terminal
// (sim/result/words.c).
const sizeNames = (inBytes) => (value) => {
    if (!inBytes)
        return `${count(value)} block${value === 1 ? "" : "s"}`;
    const unit = 1024 ** Math.floor(Math.log2(value || 1) / 10);
    const digits = 10 ** Math.max(2 - Math.floor(Math.log10(value / unit)), 0);
    return size(Math.ceil(value / unit * digits - 1e-9) / digits * unit, true);
};

const numbersOf = (rows, name) => [
    ...new Set(rows.map((row) => number(row[name]))
        .filter((value) => value !== undefined))].sort((a, b) => a - b);

const largest = (values) => values.reduce((a, b) => Math.max(a, b), 0);

// Of those that a logarithmic axis has.
const lowest = (values) => values.reduce(
    (a, b) => b > 0 ? Math.min(a, b) : a, Infinity);

// ---------------------------------------------------------------- pictures --

// The least step, 1, 2 or 5 times a power of ten, or a power of two, with which
// few ticks are in a range.
function stepOf(range, base)
{
    let step = base ** Math.floor(
        Math.log(range / MOST_TICKS) / Math.log(base));
    for (let i = 0; range / step > MOST_TICKS; i++)
        step *= base === 10 && i % 3 === 1 ? 2.5 : 2;
    return step;
}

// An axis of whole steps, which begins with 0, or logarithmic with a power of
// `base`; of it, what the view shows.
function axis({ from = 0, to, begin, end, logarithmic = false, base = 10,
    name = rounded, view = WHOLE })
{
    let numbers = [];
    if (logarithmic) {
        const power = (value) => Math.log(value) / Math.log(base);
        const low = Math.floor(power(from) + 1e-9);
        const powers = Math.max(Math.ceil(power(to) - 1e-9) - low, 1);
        const step = Math.ceil(powers / MOST_TICKS);
        [from, to] = [base ** low, base ** (low + powers)];
        for (let i = 0; i <= powers; i += step)
            numbers.push(base ** (low + i));
        if (base === 10 && powers < 3)
            numbers.push(...numbers.slice(0, -1)
                .flatMap((value) => [2 * value, 5 * value]));
    } else {
        const step = stepOf(to || 1, base);
        const steps = Math.ceil((to || 1) / step - 1e-9);
        [from, to] = [0, steps * step];
        for (let i = 0; i <= steps; i++)
            numbers.push(i * step);
    }
    if (view !== WHOLE) {
        [from, to] = view.map((part) => logarithmic
            ? from * (to / from) ** part : to * part);
        const step = stepOf(to - from, base);
        const powers = Math.log(to / from) / Math.log(base);
        const first = Math.ceil(Math.log(from) / Math.log(base) - 1e-9);
        numbers = [...Array(MOST_TICKS + 2).keys()].map((i) =>
            logarithmic && powers >= 3
                ? base ** (first + i * Math.ceil(powers / MOST_TICKS))
                : (Math.ceil(from / step - 1e-9) + i) * step)
            .filter((value) => value <= to);
    }
    // A ratio of 0 is on the floor of a logarithmic axis, too.
    const share = (value) => !logarithmic ? (value - from) / (to - from)
        : value <= 0 ? 0 : Math.log(value / from) / Math.log(to / from);
    const place = (value) => begin + share(value) * (end - begin);
    const valueAt = (place) => {
        const part = (place - begin) / (end - begin);
        return logarithmic ? from * (to / from) ** part
            : from + (to - from) * part;
    };
    const ticks = numbers.map((value) => [place(value), name(value)]);
    return { place, valueAt, ticks, from, to };
}

const axisX = (of) => axis({ begin: LEFT, end: RIGHT, ...of });
const axisY = (of) => axis({ begin: BOTTOM, end: TOP, ...of });

const text = (style, x, y, words) =>
    `<text class="${style}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">`
    + `${escaped(words)}</text>`;

let clips = 0; // of pictures in a view, which have a name each

// What of a drawing is within the axes.
const within = (view, body) => view === WHOLE ? body
    : `<clipPath id="clip${++clips}"><path d="M${LEFT} ${TOP - 4}H${RIGHT}V`
        + `${BOTTOM + 1}H${LEFT}Z"/></clipPath><g clip-path="url(#clip${clips})">`
        + `${body}</g>`;

// What of a list that stands along an axis.
const partOf = (list, [from, to]) => {
    const first = Math.min(Math.floor(from * list.length), list.length - 1);
    return list.slice(first, Math.max(Math.round(to * list.length), first + 1));
};

// A drawing between axes: ticks are pairs of a place and a name, and those of
// an axis with a grid have a line through the picture.
function picture({ caption, x = [], y = [], gridX = "", gridY = "", xTitle,
    yTitle = "", body, bottom = BOTTOM })
{
    const height = HEIGHT - BOTTOM + bottom;
    const across = x.map(([place, name]) =>
        gridX.replace("X", place.toFixed(1))
        + text("tick", place, bottom + 8, name));
    const up = y.map(([place, name]) => gridY.replace("Y", place.toFixed(1))
        + text("beside", LEFT - 8, place + 4, name));
    return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img">`
        + `<title>${escaped(caption)}</title>${across.join("")}${up.join("")}`
        + body + text("below", (LEFT + RIGHT) / 2, height - 6, xTitle)
        + '<g class="up" '
        + `transform="translate(14 ${(TOP + bottom) / 2}) rotate(-90)">`
        + `${text("below", 0, 0, yTitle)}</g></svg>\n`;
}

const gridX = `<path class="grid" d="MX ${TOP}V${BOTTOM + 4}"/>`;
const gridY = `<path class="grid" d="M${LEFT - 4} YH${RIGHT}"/>`;

// Where a view goes from [a, b], of the width w, around c.
const zooms = {
    "+": ["Zoom in", (a, b, w, c) => [c - w / 4, c + w / 4]],
    "\u2212": ["Zoom out", (a, b, w, c) => [c - w, c + w]],
    "\u25c2": ["To the left", (a, b, w) => [a - w / 2, b - w / 2]],
    "\u25b8": ["To the right", (a, b, w) => [a + w / 2, b + w / 2]],
    "All": ["Show all", () => WHOLE],
};

// A piece of the page; `how` says how to read it, and `more` is below it.
function figure(caption, how, draw, more = "")
{
    const button = (name, kind, words) => `<button type="button" data-${kind}=`
        + `"${name}" aria-label="${words}: ${escaped(caption)}">${name}`
        + "</button>\n";
    const html = `<figure><figcaption>${escaped(caption)}</figcaption>\n`
        + `<div class="plot">${draw(WHOLE)}</div>${more}<p class="how">`
        + `<b>How to read this:</b> ${escaped(how)}</p>\n<p class="tools">`
        + Object.entries(zooms).map(([name, [words]]) =>
            button(name, "zoom", words)).join("")
        + ["CSV", "PNG"].map((name) => button(name, "save", name)).join("")
        + "</p></figure>\n";
    return { html, draw };
}

// The caption, and of which rows of a table with several groups.
const captionOf = (caption, group, rows) => group.length === rows.length
    ? caption : `${caption}: ${whose(group[0])}`;

function rectangle(style, [left, right], [low, high], title, more = "")
{
    const [x, y, width, height] = [left, high, right - left, low - high].map(
        (length) => length.toFixed(2));
    return `<rect class="${style}" x="${x}" y="${y}" width="${width}" `
        + `height="${height}" ${more}><title>${escaped(title)}</title></rect>`;
}

// Bars side by side, each of parts on top of each other: { name, parts }.
// `legend` names the parts; parts are shares, or numbers.
function bars(caption, how, all, xTitle, legend = [], shares = true)
{
    const name = shares ? percent : (value) => count(Number(short(value, 6)));
    const draw = (view) => {
        const shown = partOf(all.slice(0, MOST_BARS), view);
        const width = (RIGHT - LEFT) / shown.length;
        const y = axisY({ to: largest(shown.map(({ parts }) =>
            parts.reduce((a, b) => a + b, 0))),
        name: shares ? percent : rounded });
        // Names as wide as the large letters of a small screen, and the last
        // one: infinity, in a histogram.
        const letters = largest(shown.map((bar) => bar.name.length));
        const every = Math.ceil(12 * (letters + 1) / width);
        let body = "";
        const x = [];
        shown.forEach(({ name: bar, parts }, i) => {
            const left = LEFT + width * i;
            let sum = 0;
            parts.forEach((part, k) => {
                if (part > 0)
                    body += rectangle(`part${k}`, [left, left + width * 0.84],
                        [y.place(sum), y.place(sum + part)],
                        `${bar}: ${name(part)}`);
                sum += part;
            });
            if ((shown.length - 1 - i) % every === 0)
                x.push([left + width * 0.42, bar]);
        });
        return picture({ caption, x, y: y.ticks, gridY, xTitle, body });
    };
    const items = legend.map((part, k) =>
        `<li><span class="part${k}"></span> ${escaped(part)}</li>`);
    return figure(caption, how, draw,
        `<ul class="legend">${items.join("")}</ul>`);
}

// --------------------------------------------------------- charts of lines --

// What a key says of a line.
function keyName(key, value)
{
    if (key === "cache_bytes")
        return size(number(value) ?? 0, true);
    if (key === "trace" || key === "program")
        return base(value);
    const unit = { block_bytes: " B blocks", cache_blocks: " blocks",
        sets: value === 1 ? " set" : " sets", ways: value === 1 ? " way" : " ways" }[key];
    return `${value ?? ""}${unit ?? ""}`;
}

// The rows with the same values of the keys are a line; its name is the values
// that differ.
function linesOf(rows, keys)
{
    const found = new Map();
    for (const row of rows) {
        const key = JSON.stringify(keys.map((name) => row[name]));
        if (!found.has(key))
            found.set(key, []);
        found.get(key).push(row);
    }
    const lines = [...found.values()];
    const differing = keys.filter((key) =>
        lines.some(([row]) => row[key] !== rows[0][key]));
    return lines.map((line) => ({
        name: differing.filter((key) => line[0][key] != null)
            .map((key) => keyName(key, line[0][key])).join(", "),
        rows: line,
    }));
}

// Rows that are alike but for sizes and results.
const groups = (rows) =>
    linesOf(rows, ["trace", "block_bytes", "policy", "machine", "tenant"])
        .map((line) => line.rows);

// As in the pictures of `margay plot` (plots/policy-series.gp): a policy has
// one colour and dash in all of them, further specs of it have other colours, and
// dashes tell traces from each other.
const policyColours = { lru: "var(--ink)", opt: "var(--ink)",
    fifo: "#d55e00", clock: "#e69f00", sieve: "#009e73", s3fifo: "#0072b2",
    lfu: "#cc79a7", arc: "#56b4e9", "2q": "#8c564b", lirs: "#7b3294",
    tinylfu: "#a6d96a", random: "#999999" };
const otherColours = ["#777777", "#44aa99", "#aa4499", "#999933"];
const dashes = ["none", "8 3", "2 3", "10 3 2 3", "5 2", "14 4",
    "10 3 2 3 2 3", "4 6"];

// How each line looks: attributes of its path.
function looksOf(lines)
{
    const seen = {}, places = new Set();
    const names = Object.keys(policyColours);
    return lines.map(({ rows: [{ trace, block_bytes: bytes, tenant, policy }] },
        i) => {
        if (policy == null)
            return `class="line" style="stroke:var(--c${i % 8});stroke-`
                + `dasharray:${dashes[(i + 7 * Math.floor(i / 8)) % 8]}"`;
        const name = String(policy).replace(/:.*/s, "").toLowerCase();
        const place = JSON.stringify([trace, bytes, tenant]);
        const turn = seen[place + name] = (seen[place + name] ?? -1) + 1;
        const kind = names.includes(name) ? names.indexOf(name)
            : names.push(name) - 1;
        const dash = dashes[(kind + turn
            + [...places.add(place)].indexOf(place)) % 5];
        return `class="line" style="stroke:${kind > 1 && turn > 0
            ? otherColours[(kind + turn - 1) % 4] : policyColours[name]
            ?? otherColours[kind % 4]};stroke-dasharray:${dash};`
            + `stroke-width:${kind < 2 ? 2.8 : 2}"`;
    });
}

// Steps, because a cache between two rows does at least as well as the smaller;
// straight lines between sizes that were simulated.
function path(points, x, y, straight)
{
    return points.map(([from, to], i) => {
        const [across, up] = [x.place(from).toFixed(1), y.place(to).toFixed(1)];
        return i === 0 ? `M${across} ${up}`
            : straight ? `L${across} ${up}` : `H${across}V${up}`;
    }).join("");
}

// What lies between the bound below all policies and each of them: darkest where
// it lies between the bounds.
const gapsOf = (lines, x, y) => lines.map(({ rows: [row], points }, i) => {
    const bound = lines.find(({ rows: [{ policy, trace, tenant }] }) =>
        policy === "pfoo-l" && trace === row.trace && tenant === row.tenant);
    return bound === undefined ? "" : `<path class="gap" data-line="${i}" d="`
        + path([...points, ...[...bound.points].reverse()], x, y, true)
        + 'Z"/>\n';
});

function legendOf(lines, looks)
{
    const items = lines.map(({ name }, i) =>
        `<li><label><input type="checkbox" checked data-line="${i}">`
        + '<svg class="swatch" viewBox="0 0 32 8" aria-hidden="true">'
        + `<path ${looks[i]} d="M0 4H32"/></svg>`
        + `<span>${escaped(name)}</span></label></li>\n`);
    return lines.every(({ name }) => name === "") ? ""
        : `<ul class="legend">${items.join("")}</ul>`;
}

const scale = (axis, name, on) => '<label><input type="checkbox" '
    + `class="scale" data-axis="${axis}" ${on ? "checked" : ""}> `
    + `${escaped(name)}</label>\n`;

// Lines of which the cursor reads the same everywhere are one, with the names of
// all.
function merged(lines, valueOf)
{
    const kept = [];
    for (const line of lines) {
        line.reads = line.points.map(([at, up]) => `${at} ${valueOf(up)}`)
            .join();
        const same = kept.find(({ reads }) => reads === line.reads);
        if (same === undefined)
            kept.push({ ...line, names: [line.name] });
        else
            same.names.push(line.name);
    }
    return kept.map((line) => ({ ...line, name: listed(line.names) }));
}

// Two columns of the table as lines.
function chart(rows, { caption, how, x, y, keys, xTitle, yTitle, sizes = false,
    logarithmic = true, straight = false, nameY = "misses", unsure = 0 })
{
    const isRatio = y.endsWith("ratio"), nameOfY = isRatio ? percent : rounded;
    const valueOf = isRatio ? percent : count;
    const all = merged(linesOf(rows, keys).map((line) => ({ ...line,
        points: line.rows.map((row) => [number(row[x]), number(row[y])])
            .filter(([a, b]) => a !== undefined && b !== undefined
                && (a > 0 || !logarithmic)) })), valueOf);
    const lines = all.slice(0, MOST_LINES), looks = looksOf(lines);
    const places = numbersOf(lines.flatMap(({ points }) => points), 0);
    if (places.length === 0 || places.at(-1) <= 0)
        return "";
    const heights = (points) => points.map(([, up]) => up);
    const ups = lines.flatMap(({ points }) => heights(points));
    // The knees of lines that fall far would lie on the floor of a linear axis, and
    // so would some of the lines over anything but sizes.
    const steep = lines.map(({ points }) => heights(points)).filter(
        (own) => largest(own) > STEEP_RATIO * lowest(own));
    const hasY = lowest(ups) < Infinity;
    const isLogY = hasY && (sizes ? 2 * steep.length >= lines.length
        : largest(ups) > STEEP_RATIO * lowest(ups));
    const nameX = !sizes ? rounded
        : (value) => size(value, x === "cache_bytes", 3);
    const drawOn = (logX, logY, view) => {
        const across = axisX({ from: places[0], to: places.at(-1), view,
            logarithmic: logX, base: logX || sizes ? 2 : 10, name: nameX });
        const seen = lines.flatMap(({ points }) => heights(points.filter(
            ([at], i) => at <= across.to
                && (points[i + 1]?.[0] ?? Infinity) > across.from)));
        const up = axisY({ from: lowest(seen), to: largest(seen),
            logarithmic: logY && lowest(seen) < Infinity, name: nameOfY });
        const body = lines.map(({ points }, i) => `<path ${looks[i]} `
            + `data-line="${i}" d="${path(points, across, up, straight)}"/>\n`);
        body.unshift(...gapsOf(lines, across, up));
        if (unsure > across.from)
            body.push(`<path class="veil" d="M${LEFT} ${TOP - 4}H${across.place(
                Math.min(unsure, across.to)).toFixed(1)}V${BOTTOM + 1}H${LEFT}Z"/>`);
        body.push(`<path class="cursor" d="M0 ${TOP}V${BOTTOM}" hidden=""/>`);
        return { across, svg: picture({ caption, x: across.ticks, y: up.ticks,
            gridX, gridY, xTitle, yTitle, body: within(view, body.join("")) }) };
    };
    const piece = figure(caption, how,
        (view) => drawOn(logarithmic, isLogY, view).svg,
        '<p class="reading">logarithmic: '
        + (logarithmic ? scale("x", sizes ? "sizes" : xTitle, true) : "")
        + (hasY ? scale("y", nameY, isLogY) : "")
        + '<br><label>cursor <input type="range" min="0" '
        + `max="${places.length - 1}"></label> <output aria-live="off">`
        + "</output></p>\n" + legendOf(lines, looks)
        + (all.length > MOST_LINES ? "<p>Only the "
            + `first ${MOST_LINES} lines are drawn; the table has all.</p>`
            : ""));
    const nameOf = sizes ? sizeNames(x === "cache_bytes")
        : (value) => `${x} ${count(value)}`;
    return { ...piece, lines, places, drawOn, nameOf, valueOf };
}

// Let the slider and the pointer move the cursor of a chart, boxes hide its
// lines, and others choose its scales; returns how to draw a view, which says
// where the cursor is in it.
function addCursor(figure, { lines, places, drawOn, nameOf, valueOf })
{
    const boxes = [...figure.querySelectorAll(".legend input")];
    const scales = [...figure.querySelectorAll(".scale")];
    const plot = figure.querySelector(".plot");
    const slider = figure.querySelector("input[type=range]");
    const isOn = (i) => boxes[i]?.checked ?? true;
    let across, view = WHOLE;
    const read = () => {
        const place = places[slider.value];
        const readings = lines.flatMap(({ name, points }, i) => {
            const point = points.findLast(([value]) => value <= place);
            return point === undefined || !isOn(i) ? []
                : [(name && `${name}: `) + valueOf(point[1])];
        });
        const words = `${nameOf(place)}: `;
        slider.setAttribute("aria-valuetext", words + readings.join(", "));
        figure.querySelector("output").textContent = words
            + (lines.length > 1 ? "\n" : "") + readings.join("\n");
        const cursor = plot.querySelector(".cursor");
        cursor.setAttribute("transform", `translate(${across.place(place)} 0)`);
        cursor.removeAttribute("hidden");
    };
    const placeAt = (value) =>
        Math.max(places.findLastIndex((place) => place <= value), 0);
    const redraw = () => {
        const isLogarithmic = (axis) => scales.some((box) =>
            box.dataset.axis === axis && box.checked);
        const drawn = drawOn(isLogarithmic("x"), isLogarithmic("y"), view);
        across = drawn.across;
        plot.innerHTML = drawn.svg;
        slider.max = placeAt(across.to);
        slider.min = Math.min(slider.max,
            places.findIndex((place) => place >= across.from));
        for (const line of plot.querySelectorAll("[data-line]"))
            line.classList.toggle("off", !isOn(line.dataset.line));
        read();
    };
    const point = (event) => {
        const box = plot.getBoundingClientRect();
        slider.value = placeAt(across.valueAt(
            (event.clientX - box.left) * WIDTH / box.width));
        read();
    };
    slider.addEventListener("input", read);
    plot.addEventListener("pointermove", point);
    plot.addEventListener("pointerdown", point);
    for (const box of [...boxes, ...scales])
        box.addEventListener("change", redraw);
    slider.value = Math.floor(places.length / 2);
    redraw();
    return {
        show: (part) => {
            view = part;
            redraw();
        },
        middle: () => (across.place(places[slider.value]) - LEFT)
            / (RIGHT - LEFT),
    };
}

// Let buttons, and a mouse that is drawn over a picture, choose its view.
function addZoom(figure, { show, middle })
{
    const plot = figure.querySelector(".plot");
    let view = WHOLE, start;
    const change = (from, to) => {
        const width = Math.min(Math.max(to - from, LEAST_VIEW), 1);
        from = Math.min(Math.max(from, 0), 1 - width);
        view = width < 1 ? [from, from + width] : WHOLE;
        show(view);
    };
    const partAt = (event) => {
        const box = plot.getBoundingClientRect();
        const x = (event.clientX - box.left) * WIDTH / box.width;
        return Math.min(Math.max((x - LEFT) / (RIGHT - LEFT), 0), 1);
    };
    for (const button of figure.querySelectorAll("[data-zoom]"))
        button.addEventListener("click", () => {
            const [from, to] = view, width = to - from;
            change(...zooms[button.dataset.zoom][1](from, to, width,
                from + width * middle()));
        });
    plot.addEventListener("pointerdown", (event) => {
        if (event.pointerType !== "mouse" || event.button !== 0)
            return;
        start = partAt(event);
        plot.setPointerCapture(event.pointerId);
        plot.querySelector("svg").insertAdjacentHTML("beforeend",
            `<rect class="drawn" y="${TOP}" height="${BOTTOM - TOP}"/>`);
    });
    plot.addEventListener("pointermove", (event) => {
        const [from, to] = [start, partAt(event)].sort((a, b) => a - b);
        const drawn = plot.querySelector(".drawn");
        drawn?.setAttribute("x", LEFT + from * (RIGHT - LEFT));
        drawn?.setAttribute("width", (to - from) * (RIGHT - LEFT));
    });
    plot.addEventListener("pointerup", (event) => {
        const [from, to] = [start, partAt(event)].sort((a, b) => a - b);
        const [begin, width] = [view[0], view[1] - view[0]];
        plot.querySelector(".drawn")?.remove();
        if (start !== undefined && to - from > 0.02)
            change(begin + width * from, begin + width * to);
        start = undefined;
    });
    plot.addEventListener("pointercancel", () => {
        start = undefined;
        plot.querySelector(".drawn")?.remove();
    });
}
