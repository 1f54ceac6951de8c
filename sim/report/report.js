// report.js - the pictures and words of a page, of the tables that stand in it
//
// Each section of the page has its table as JSON, an object for each row, and
// names one of the drawings at the end of this file.  A drawing is a list of
// pieces of HTML; those with `places` are charts of lines and get a cursor.
// picture() draws the axes of all of them.
"use strict";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 372, 64, 680, 12, 312];
const MOST_TICKS = 6; // of an axis, not counting its begin
const MOST_LINES = 24; // report.css has a style for each
const MOST_PARTS = 8; // of a bar; report.css has a colour for each
const MOST_BARS = 66;
const MOST_PARAGRAPHS = 12; // about curves

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

const short = (value, digits) => String(Number(value.toPrecision(digits)));

const escaped = (text) => String(text ?? "").replace(
    /[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

// "32 KiB", or "1.5 Ki" where sizes count blocks.
function size(value, inBytes)
{
    const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let unit = 0;
    for (; value >= 1024 && unit + 1 < units.length; unit++)
        value /= 1024;
    return short(value, 4) + (unit > 0 || inBytes ? " " : "") + units[unit]
        + (inBytes ? "B" : "");
}

// Rows in a row that are alike but for sizes and results.
function groups(rows)
{
    const names = ["trace", "block_bytes", "policy", "machine", "tenant"];
    const found = [];
    for (const row of rows) {
        const first = found.at(-1)?.[0];
        if (first !== undefined
            && names.every((name) => row[name] === first[name]))
            found.at(-1).push(row);
        else
            found.push([row]);
    }
    return found;
}

const numbersOf = (rows, name) => [
    ...new Set(rows.map((row) => number(row[name]))
        .filter((value) => value !== undefined))].sort((a, b) => a - b);

const largest = (values) => values.reduce((a, b) => Math.max(a, b), 0);

// ---------------------------------------------------------------- pictures --

// An axis of whole steps, 1, 2 or 5 times a power of ten and for sizes powers
// of two, which begins with 0, or logarithmic with a power of two.
function axis({ from = 0, to, begin, end, logarithmic = false, sizes = false,
    name = (value) => short(value, 9) })
{
    const numbers = [];
    if (logarithmic) {
        const low = Math.floor(Math.log2(from));
        const octaves = Math.max(Math.ceil(Math.log2(to)) - low, 1);
        const step = Math.ceil(octaves / MOST_TICKS);
        [from, to] = [2 ** low, 2 ** (low + octaves)];
        for (let i = 0; i <= octaves; i += step)
            numbers.push(from * 2 ** i);
    } else {
        to = to || 1;
        const base = sizes ? 2 : 10;
        let step = base ** Math.floor(
            Math.log(to / MOST_TICKS) / Math.log(base));
        for (let i = 0; to / step > MOST_TICKS; i++)
            step *= base === 10 && i % 3 === 1 ? 2.5 : 2;
        const steps = Math.ceil(to / step - 1e-9);
        to = steps * step;
        for (let i = 0; i <= steps; i++)
            numbers.push(i * step);
    }
    const share = (value) => logarithmic
        ? Math.log(value / from) / Math.log(to / from) : value / to;
    const place = (value) => begin + share(value) * (end - begin);
    const valueAt = (place) => {
        const part = (place - begin) / (end - begin);
        return logarithmic ? from * (to / from) ** part : to * part;
    };
    const ticks = numbers.map((value) => [place(value), name(value)]);
    return { place, valueAt, ticks };
}

const axisX = (of) => axis({ begin: LEFT, end: RIGHT, ...of });
const axisY = (to) => axis({ to, begin: BOTTOM, end: TOP });

const text = (style, x, y, words) =>
    `<text class="${style}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">`
    + `${escaped(words)}</text>`;

// A drawing between axes: ticks are pairs of a place and a name, and those of
// an axis with a grid have a line through the picture.
function picture({ caption, style = "", x = [], y = [], gridX = "", gridY = "",
    xTitle, yTitle = "", body })
{
    const across = x.map(([place, name]) =>
        gridX.replace("X", place.toFixed(1))
        + text("tick", place, BOTTOM + 8, name));
    const up = y.map(([place, name]) => gridY.replace("Y", place.toFixed(1))
        + text("beside", LEFT - 8, place + 4, name));
    return `<svg class="${style}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`
        + `<title>${escaped(caption)}</title>${across.join("")}${up.join("")}`
        + body + text("below", (LEFT + RIGHT) / 2, HEIGHT - 6, xTitle)
        + `<g transform="translate(14 ${(TOP + BOTTOM) / 2}) rotate(-90)">`
        + `${text("below", 0, 0, yTitle)}</g></svg>\n`;
}

const gridX = `<path class="grid" d="MX ${TOP}V${BOTTOM + 4}"/>`;
const gridY = `<path class="grid" d="M${LEFT - 4} YH${RIGHT}"/>`;

const figure = (caption, content) => `<figure><figcaption>${escaped(caption)}`
    + `</figcaption>\n${content}</figure>\n`;

// The caption, and of which rows of a table with several groups.
function captionOf(caption, group, rows)
{
    const [{ trace, block_bytes: bytes }] = group;
    if (group.length === rows.length)
        return caption;
    return `${caption}: ${trace ?? ""}`
        + (bytes == null ? "" : `, blocks of ${bytes} bytes`);
}

function rectangle(style, [left, right], [low, high], title, more = "")
{
    const [x, y, width, height] = [left, high, right - left, low - high].map(
        (length) => length.toFixed(2));
    return `<rect class="${style}" x="${x}" y="${y}" width="${width}" `
        + `height="${height}" ${more}><title>${escaped(title)}</title></rect>`;
}

// Bars side by side, each of parts on top of each other: { name, parts }.
// `legend` names the parts.
function bars(caption, all, xTitle, legend = [])
{
    const shown = all.slice(0, MOST_BARS);
    const width = (RIGHT - LEFT) / shown.length;
    const heights = shown.map(({ parts }) => parts.reduce((a, b) => a + b, 0));
    const y = axisY(largest(heights));
    // Names as wide as the large letters of a small screen, and the last one:
    // infinity, in a histogram.
    const letters = largest(shown.map(({ name }) => name.length));
    const every = Math.ceil(12 * (letters + 1) / width);
    let body = "";
    const x = [];
    shown.forEach(({ name, parts }, i) => {
        const left = LEFT + width * i;
        let sum = 0;
        parts.forEach((part, k) => {
            if (part > 0)
                body += rectangle(`part${k}`, [left, left + width * 0.84],
                    [y.place(sum), y.place(sum + part)],
                    `${name}: ${short(part, 6)}`);
            sum += part;
        });
        if ((shown.length - 1 - i) % every === 0)
            x.push([left + width * 0.42, name]);
    });
    const items = legend.map((name, k) =>
        `<li><span class="part${k}"></span> ${escaped(name)}</li>`);
    return figure(caption,
        picture({ caption, x, y: y.ticks, gridY, xTitle, body })
        + `<ul class="legend">${items.join("")}</ul>`);
}

// --------------------------------------------------------- charts of lines --

// What a key says of a line.
function keyName(key, value)
{
    if (key === "cache_bytes")
        return size(number(value) ?? 0, true);
    const unit = { block_bytes: " B blocks", cache_blocks: " blocks" }[key];
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
        name: differing.map((key) => keyName(key, line[0][key])).join(", "),
        rows: line,
    }));
}

// Steps, because a cache between two rows does at least as well as the smaller.
function path(line, i, x, y)
{
    const steps = line.points.map(([from, to], k) => {
        const [across, up] = [x.place(from).toFixed(1), y.place(to).toFixed(1)];
        return k === 0 ? `M${across} ${up}` : `H${across}V${up}`;
    });
    return `<path class="line style${i}" data-line="${i}" `
        + `d="${steps.join("")}"/>\n`;
}

function legendOf(lines)
{
    const items = lines.map(({ name }, i) =>
        `<li><label><input type="checkbox" checked data-line="${i}">`
        + '<svg class="swatch" viewBox="0 0 32 8" aria-hidden="true">'
        + `<path class="line style${i}" d="M0 4H32"/></svg>`
        + `<span>${escaped(name)}</span></label></li>\n`);
    return lines.length < 2 ? "" : `<ul class="legend">${items.join("")}</ul>`;
}

let charts = 0; // on the page

// Two columns of the table as lines; a logarithmic chart has a linear picture,
// too, and a choice between both.
function chart(rows, { caption, x, y, keys, xTitle, yTitle, sizes = false,
    logarithmic = true })
{
    const all = linesOf(rows, keys);
    const lines = all.slice(0, MOST_LINES);
    for (const line of lines)
        line.points = line.rows.map((row) => [number(row[x]), number(row[y])])
            .filter(([a, b]) => a !== undefined && b !== undefined
                && (a > 0 || !logarithmic));
    const points = lines.flatMap((line) => line.points);
    const places = numbersOf(points, 0);
    if (places.length === 0 || places.at(-1) <= 0)
        return "";
    const up = axisY(largest(points.map(([, value]) => value)));
    const name = sizes
        ? (value) => size(value, x === "cache_bytes") : undefined;
    const kinds = logarithmic ? ["logarithmic", "linear"] : ["linear"];
    const axes = kinds.map((kind) => axisX({ from: places[0],
        to: places.at(-1), logarithmic: kind === "logarithmic", sizes, name }));
    const cursor = `<path class="cursor" d="M0 ${TOP}V${BOTTOM}" hidden=""/>`;
    const group = `axis${++charts}`;
    const choices = kinds.map((kind, i) => `<input type="radio" `
        + `name="${group}" id="${group}-${kind}" class="to-${kind}" `
        + `${i === 0 ? "checked" : ""}><label for="${group}-${kind}">`
        + `${kind}</label>\n`);
    const pictures = kinds.map((style, i) => picture({ caption, style,
        x: axes[i].ticks, y: up.ticks, gridX, gridY, xTitle, yTitle,
        body: lines.map((line, k) => path(line, k, axes[i], up)).join("")
            + cursor }));
    const leavesOut = `<p>Only the first ${MOST_LINES} lines are drawn; the `
        + "table below has all.</p>";
    const html = figure(caption,
        (kinds.length > 1 ? choices.join("") : "") + pictures.join("")
        + '<p class="reading"><label>cursor <input type="range" min="0" '
        + `max="${places.length - 1}"></label> <output></output></p>\n`
        + legendOf(lines) + (all.length > MOST_LINES ? leavesOut : ""));
    return { html, x, y, lines, places, axes };
}

// Let the slider and the pointer move the cursor of a chart, and boxes hide its
// lines.
function addCursor(figure, { x, y, lines, places, axes })
{
    const boxes = [...figure.querySelectorAll(".legend input")];
    const pictures = [...figure.querySelectorAll("svg[role=img]")];
    const slider = figure.querySelector(".reading input");
    const read = () => {
        const place = places[slider.value];
        const words = [`${x} ${place}`];
        lines.forEach(({ name, points }, i) => {
            const point = points.findLast(([value]) => value <= place);
            if (point !== undefined && (boxes[i]?.checked ?? true))
                words.push(`${name && name + ": "}${y} ${point[1]}`);
        });
        figure.querySelector("output").textContent = words.join("\n");
        pictures.forEach((picture, i) => {
            const cursor = picture.querySelector(".cursor");
            cursor.setAttribute("transform",
                `translate(${axes[i].place(place)} 0)`);
            cursor.removeAttribute("hidden");
        });
    };
    slider.addEventListener("input", read);
    pictures.forEach((picture, i) =>
        picture.addEventListener("pointermove", (event) => {
            const box = picture.getBoundingClientRect();
            const value = axes[i].valueAt(
                (event.clientX - box.left) * WIDTH / box.width);
            slider.value = Math.max(
                places.findLastIndex((place) => place <= value), 0);
            read();
        }));
    boxes.forEach((box, i) => box.addEventListener("change", () => {
        for (const line of figure.querySelectorAll(
            `svg[role=img] [data-line="${i}"]`))
            line.classList.toggle("off", !box.checked);
        read();
    }));
    slider.value = Math.floor(places.length / 2);
    read();
}

// ------------------------------------------------------------- miss curves --

const hasBytes = (rows) => number(rows[0].cache_bytes) !== undefined;

// A chart over the sizes of caches, in bytes if these are known.
const overSizes = (rows, caption, y, yTitle, key) => chart(rows, {
    caption, y, yTitle, sizes: true,
    x: hasBytes(rows) ? "cache_bytes" : "cache_blocks",
    xTitle: hasBytes(rows) ? "cache in bytes" : "cache in blocks",
    keys: ["trace", "block_bytes", ...(key === undefined ? [] : [key])],
});

const ratios = (rows, caption, key) =>
    overSizes(rows, caption, "miss_ratio", "miss ratio", key);

const overTime = (rows, caption, key) => chart(rows, { caption, x: "window",
    y: "miss_ratio", xTitle: "window of the trace", yTitle: "miss ratio",
    keys: ["trace", "block_bytes", key], logarithmic: false });

const objectRatios = (rows) => [
    ratios(rows, "Requests that miss a cache of objects over its size",
        "policy"),
    overSizes(rows, "Bytes that miss a cache of objects over its size",
        "byte_miss_ratio", "byte miss ratio", "policy"),
];

// Pairs of a size and a ratio, and how to name a size.
function curveOf(group, ratio)
{
    const inBytes = hasBytes(group);
    const points = group.map((row) => [
        number(inBytes ? row.cache_bytes : row.cache_blocks),
        number(row[ratio])]);
    return {
        points: points.filter((point) => !point.includes(undefined))
            .sort(([a], [b]) => a - b),
        name: (value) => size(value, inBytes) + (inBytes ? "" : " blocks"),
    };
}

// The first size from which on at most this share misses.
const sizeWith = ({ points }, most) =>
    points.find(([, ratio]) => ratio <= most)?.[0];

// The size that differs most from half of it, which the curve reaches down to.
function knee({ points, name })
{
    let fall = 0, half = 0, words = "";
    for (const [value, ratio] of points) {
        while (half < points.length && points[half][0] <= value / 2)
            half++;
        if (half === 0 || points[half - 1][1] - ratio <= fall)
            continue;
        const before = points[half - 1][1];
        fall = before - ratio;
        words = `The curve falls most at ${name(value)}: from `
            + `${short(before, 4)} at half of that to ${short(ratio, 4)}. `;
    }
    return words;
}

function whose({ trace, block_bytes: bytes, tenant })
{
    return escaped((trace ?? "")
        + (bytes == null ? "" : `, blocks of ${bytes} bytes`)
        + (tenant == null ? "" : `, tenant ${tenant}`));
}

function curveWords(rows, ratio = "miss_ratio", of = "")
{
    const all = groups(rows);
    const words = all.slice(0, MOST_PARAGRAPHS).map((group) => {
        const curve = curveOf(group, ratio);
        const shares = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001].map((share) => {
            const from = sizeWith(curve, share);
            return from === undefined ? ""
                : `At most ${100 * share}% miss from ${curve.name(from)} on. `;
        });
        return `<p>${whose(group[0])}${of}: ${knee(curve)}${shares.join("")}`
            + "The largest cache of the table misses "
            + `${short(curve.points.at(-1)?.[1] ?? 1, 4)}.</p>\n`;
    });
    if (all.length > MOST_PARAGRAPHS)
        words.push(`<p>These are the first ${MOST_PARAGRAPHS} of `
            + `${all.length} curves; the table below has all.</p>\n`);
    return words;
}

// Which sizes some ratios of misses take with each policy.
function policyWords(rows)
{
    const names = ["trace", "block_bytes"];
    const traces = [];
    for (const group of groups(rows)) {
        const other = traces.at(-1)?.[0][0];
        if (names.every((name) => other?.[name] === group[0][name]))
            traces.at(-1).push(group);
        else
            traces.push([group]);
    }
    return traces.map((policies) => {
        const shares = [0.5, 0.2, 0.1, 0.05, 0.01].map((share) => {
            const sizes = policies.flatMap((group) => {
                const curve = curveOf(group, "miss_ratio");
                const from = sizeWith(curve, share);
                return from === undefined ? [] : [
                    ` with ${escaped(group[0].policy)} from `
                    + curve.name(from)];
            });
            return sizes.length === 0 ? ""
                : `At most ${100 * share}% miss${sizes.join(",")} on. `;
        });
        return `<p>${whose(policies[0][0])}: ${shares.join("")}</p>\n`;
    });
}

// ---------------------------------------------------------- bars and cells --

// The share of references in each octave of distances: 0, [1, 2), [2, 4), ...,
// and of those without a distance.
function histogram(rows, caption)
{
    const octaves = [], names = [];
    let infinite = 0;
    for (const row of rows) {
        const from = number(row.distance_from), share = amount(row, "share");
        if (from === undefined)
            infinite += share;
        else {
            const octave = from < 1 ? 0 : 1 + Math.floor(Math.log2(from));
            octaves[octave] = (octaves[octave] ?? 0) + share;
        }
    }
    for (let i = 0; i < octaves.length; i++)
        names[i] = { name: size(i === 0 ? 0 : 2 ** (i - 1), false),
            parts: [octaves[i] ?? 0] };
    names.push({ name: "\u221e", parts: [0, infinite] });
    return [bars(caption, names,
        "distance, from one power of two to the next")];
}

// A cell for each number of sets and ways, the darker the more it misses.
function map(rows, caption)
{
    const sets = numbersOf(rows, "sets").slice(0, MOST_BARS);
    const ways = numbersOf(rows, "ways").slice(0, MOST_BARS);
    if (sets.length === 0 || ways.length === 0)
        return [];
    const most = largest(rows.map((row) => amount(row, "miss_ratio")));
    const width = (RIGHT - LEFT) / sets.length;
    const height = (BOTTOM - TOP) / ways.length;
    let body = "";
    for (const row of rows) {
        const i = sets.indexOf(row.sets), k = ways.indexOf(row.ways);
        const ratio = number(row.miss_ratio);
        if (i < 0 || k < 0 || ratio === undefined)
            continue;
        const shade = most > 0 ? ratio / most : 0;
        const x = LEFT + width * i, y = BOTTOM - height * k;
        body += rectangle("cell", [x, x + width], [y, y - height],
            `${row.sets} sets of ${row.ways} ways: miss ratio ${ratio}`,
            `fill-opacity="${shade.toFixed(3)}"`);
        if (width >= 30)
            body += text(`within${shade > 0.65 ? " light" : ""}`, x + width / 2,
                y - height / 2 + 4,
                (100 * ratio).toFixed(ratio < 0.09995 ? 2 : 1));
    }
    const every = Math.ceil(sets.length / 8);
    const x = sets.map((value, i) =>
        [LEFT + width * (i + 0.5), size(value, false)])
        .filter((_, i) => i % every === 0);
    const y = ways.map((value, i) => [BOTTOM - height * (i + 0.5), value]);
    return [figure(caption, picture({ caption, x, y, yTitle: "ways", body,
        xTitle: "sets; the numbers are miss ratios in percent" }))];
}

// The misses of caches with one number of ways, 4 or else the least, by kind.
// Where sets do better than LRU over all blocks, capacity misses are as many
// less.
function threeCs(rows, caption)
{
    const ways = numbersOf(rows, "ways");
    const chosen = ways.includes(4) ? 4 : ways[0];
    const caches = rows.filter((row) => row.ways === chosen).map((row) => {
        const conflict = number(row.conflict_misses) ?? 0;
        const misses = [amount(row, "cold_misses"),
            amount(row, "capacity_misses") + Math.min(conflict, 0), conflict];
        const bytes = number(row.cache_bytes);
        return {
            name: size(bytes ?? amount(row, "sets") * chosen,
                bytes !== undefined),
            parts: misses.map((count) =>
                Math.max(count, 0) / (amount(row, "references") || 1)),
        };
    });
    return caches.length === 0 ? [] : [bars(caption, caches,
        `capacity of caches of ${chosen} way${chosen === 1 ? "" : "s"}`,
        ["cold", "capacity", "conflict"])];
}

// "matrix.c:12 multiply", or the function or data alone.
function ownerName({ file, line, function: code, data })
{
    const place = String(file ?? "").replace(/^.*\//, "")
        + (line == null ? "" : `:${line}`);
    return [place, data ?? code ?? ""].filter((part) => part !== "").join(" ")
        || "unknown";
}

// Which lines of a program's sources, or which of its data, own the misses at
// each size; those with the most have a part of their own.
function owners(rows, caption)
{
    const sizes = numbersOf(rows, "cache_bytes").slice(0, MOST_BARS);
    const found = new Map();
    let references = 0;
    for (const row of rows) {
        const key = JSON.stringify(
            [row.file, row.line, row.function, row.data]);
        const owner = found.get(key)
            ?? { name: ownerName(row), most: 0, misses: sizes.map(() => 0) };
        const misses = amount(row, "misses");
        const i = sizes.indexOf(row.cache_bytes);
        found.set(key, owner);
        owner.most = Math.max(owner.most, misses);
        if (i >= 0)
            owner.misses[i] += misses;
        if (i === 0)
            references += amount(row, "references");
    }
    const all = [...found.values()].filter(({ most }) => most > 0)
        .sort((a, b) => b.most - a.most);
    const shown = all.slice(0, MOST_PARTS - 1);
    const others = all.slice(MOST_PARTS - 1);
    if (all.length === 0)
        return [];
    const words = [], stacks = [];
    const every = Math.ceil(sizes.length / 4);
    sizes.forEach((bytes, i) => {
        const parts = shown.map(({ misses }) => misses[i]);
        const rest = others.reduce((sum, { misses }) => sum + misses[i], 0);
        const sum = parts.reduce((a, b) => a + b, rest), most = largest(parts);
        const name = size(bytes, true);
        stacks.push({ name,
            parts: [...parts, rest].map((part) => part / (references || 1)) });
        if (i % every === 0 && most > 0)
            words.push(`In a cache of ${name}, ${short(100 * most / sum, 3)}% `
                + `of the misses are of ${shown[parts.indexOf(most)].name}. `);
    });
    const legend = shown.map(({ name }) => name);
    if (others.length > 0)
        legend.push("data" in rows[0] ? "other data" : "other lines");
    return [`<p>${escaped(words.join(""))}</p>\n`,
        bars(caption, stacks, "cache in bytes", legend)];
}

// When each phase is and how many blocks it uses; the colour is that of the
// first phase with the same miss curve.
function phases(rows, caption)
{
    const all = rows.map((row) => ({
        number: number(row.phase), from: number(row.from), to: number(row.to),
        blocks: number(row.working_set_blocks),
        first: number(row.recurs) ?? number(row.phase),
    })).filter(({ number: phase, from, to, blocks, first }) =>
        phase >= 0 && from >= 0 && to > from && blocks >= 0 && first >= 0);
    if (all.length === 0)
        return [];
    const end = largest(all.map(({ to }) => to));
    const x = axisX({ to: end });
    const y = axisY(largest(all.map(({ blocks }) => blocks)));
    const body = all.map((phase) => rectangle(
        `part${Math.floor(phase.first) % MOST_PARTS} phase`,
        [x.place(phase.from), x.place(phase.to)],
        [BOTTOM, y.place(phase.blocks)],
        `phase ${phase.number}: references ${phase.from} to ${phase.to}, `
        + `${phase.blocks} blocks`
        + (phase.first === phase.number ? "" : `, as phase ${phase.first}`)));
    const longest = all.reduce((a, b) => b.to - b.from > a.to - a.from ? b : a);
    const different = all.filter(
        (phase) => phase.first === phase.number).length;
    const part = 100 * (longest.to - longest.from) / end;
    return [`<p>${all.length} phase${all.length === 1 ? "" : "s"}, of which `
        + `${different} differ${different === 1 ? "s" : ""}. Phase `
        + `${longest.number} takes longest, ${short(part, 3)}% of the `
        + `references, and uses ${longest.blocks} blocks.</p>\n`,
    figure(caption, picture({ caption, body: body.join(""), x: x.ticks,
        y: y.ticks, gridX, gridY,
        xTitle: "references; the height counts blocks" }))];
}

// The misses of each cache of a machine, and what crosses below it.
function machine(rows, captions)
{
    const measured = rows.filter((row) => amount(row, "misses") > 0
        && amount(row, "mpki") > 0);
    // The row with the most misses has the ratio with the most digits.
    const exact = measured.reduce((a, b) =>
        amount(b, "misses") > amount(a, "misses") ? b : a, measured[0] ?? {});
    const thousands = measured.length > 0 ? exact.misses / exact.mpki : 0;
    const references = largest(rows.map((row) => amount(row, "references")));
    const words = rows.filter((row) => amount(row, "demand_references") > 0)
        .map((row) => {
            const percent = short(100 * amount(row, "demand_miss_ratio"), 3);
            const mpki = amount(row, "demand_mpki");
            return `${row.cache} misses ${percent}% of what the program asks `
                + `of it${mpki > 0
                    ? `, ${short(mpki, 3)} per 1000 instructions` : ""}`;
        });
    const stacks = (by, parts) => rows.map((row) => ({
        name: String(row.cache ?? ""), parts: parts(row).map((n) => n / by) }));
    const { machine: name, trace } = rows[0];
    return [
        `<p>${escaped(`${name ?? ""}, ${trace ?? ""}: ${words.join("; ")}`)}.`
        + "</p>\n",
        bars(captions[0],
            stacks(thousands || references || 1,
                (row) => [amount(row, "demand_misses")]),
            thousands > 0 ? "misses per 1000 instructions"
                : "misses per reference of the program", ["demand misses"]),
        bars(captions[1],
            stacks(thousands || 1, (row) => [amount(row, "demand_misses"),
                amount(row, "misses") - amount(row, "demand_misses"),
                amount(row, "prefetches"), amount(row, "writebacks")]),
            thousands > 0 ? "blocks per 1000 instructions" : "blocks",
            ["demand misses", "other misses", "prefetches", "write-backs"]),
    ];
}

// ------------------------------------------------- the drawing of a section --

const drawEach = (rows, draw, caption) => groups(rows).flatMap(
    (group) => draw(group, captionOf(caption, group, rows)));

// By the name that the section of a table has in `data-drawing` (page.c).
const drawings = {
    curve: (rows) => [...curveWords(rows),
        ratios(rows, "Misses of a fully associative LRU cache over its size")],
    policies: (rows) => [...policyWords(rows), ratios(rows,
        "Misses by replacement policy over the size of the cache", "policy")],
    objects: (rows) => [...curveWords(rows, "miss_ratio", ", requests"),
        ...curveWords(rows, "byte_miss_ratio", ", bytes"),
        ...objectRatios(rows)],
    objectPolicies: (rows) => [...policyWords(rows), ...objectRatios(rows)],
    requests: (rows) => [
        "<p>Here a block hits if all before it in its request do. The other "
        + "curves of this page count the blocks of requests, each for itself."
        + "</p>\n",
        ...curveWords(rows, "miss_ratio", ", blocks of requests"),
        ratios(rows, "Blocks of requests that miss an LRU cache over its size"),
        overSizes(rows, "Requests that miss any of their blocks",
            "missed_requests", "requests")],
    tenants: (rows) => [...curveWords(rows),
        ratios(rows, "Misses of each tenant in a cache of its own", "tenant"),
        overSizes(rows, "Misses of each tenant in a cache of all tenants",
            "shared_misses", "misses", "tenant")],
    // Of objects it is not known what programs miss together.
    shared: (rows) => [
        ...rows[0].shared_misses == null ? [] : [
            overSizes(rows, "Misses of programs that use the cache together",
                "shared_misses", "misses", "program")],
        overSizes(rows, "Misses of programs that have parts of the cache",
            "partition_misses", "misses", "program")],
    windows: (rows) => [overTime(rows, "Miss ratio of a few sizes over time",
        "cache_blocks")],
    objectWindows: (rows) => [overTime(rows,
        "Miss ratio of requests over time, of a few sizes", "cache_bytes")],
    phases: (rows) => drawEach(rows, phases,
        "Phases of the trace and their working sets; a colour recurs"),
    histogram: (rows) => drawEach(rows, histogram,
        "Share of references by reuse distance"),
    caches: (rows) => [
        ...drawEach(rows, map, "Misses of set-associative caches"),
        ..."conflict_misses" in rows[0] ? drawEach(rows, threeCs,
            "Cold, capacity and conflict misses") : []],
    lines: (rows) => drawEach(rows, owners,
        "Misses by line of source, as a share of the references"),
    data: (rows) => drawEach(rows, owners,
        "Misses by array and variable, as a share of the references"),
    // CACHE.COLUMN is a value that --vary gave: a line for each cache over the
    // first of them.
    machine: (rows) => {
        const varied = Object.keys(rows[0])
            .filter((name) => name.includes("."));
        if (varied.length === 0)
            return groups(rows).flatMap((group) => machine(group,
                ["Misses of each cache", "Traffic below each cache"].map(
                    (caption) => captionOf(caption, group, rows))));
        return [chart(rows, { x: varied[0], xTitle: varied[0],
            caption: "Miss ratio of each cache of the machine, varied",
            y: "demand_miss_ratio", yTitle: "demand miss ratio",
            keys: ["trace", "cache", ...varied.slice(1, 2)] })];
    },
};

for (const section of document.querySelectorAll("section[data-drawing]")) {
    const rows = JSON.parse(section.querySelector("script").textContent);
    const table = section.querySelector("details");
    if (rows.length === 0)
        continue;
    for (const piece of drawings[section.dataset.drawing](rows)) {
        table.insertAdjacentHTML("beforebegin", piece.html ?? piece);
        if (piece.places !== undefined)
            addCursor(table.previousElementSibling, piece);
    }
}
