// report.js - the pictures and words of a page, of the tables that stand in it
//
// Each section of the page has its table as JSON, an object for each row, and
// names one of the drawings below.  A drawing is a list of pieces of HTML, some
// of them charts of lines (charts.js, in the same script).  Curves of several
// sections are on one picture, too, which comes first.

const [MOST_PARAGRAPHS, MOST_STEPS] = [12, 5]; // about curves; of a sentence
const MOST_CHANGES = 12;
const CELL_HEIGHT = 26; // of the map

// ------------------------------------------------------------- miss curves --

const hasBytes = (rows) =>
    rows.every((row) => number(row.cache_bytes) !== undefined);

const readCurve = "Lower is better. Where a line falls, a little more cache "
    + "helps much; where it is flat, more cache does not help.";

const readPolicies = "Lower is better, and no policy can be below opt. Lines "
    + "are straight between the sizes that were simulated.";

// What curves may differ in.
const curveKeys = ["trace", "block_bytes", "policy", "tenant", "program"];

const hasPolicies = ([{ policy }]) => policy != null;

// Of a sample (sim/result/csv.h): the rows that are a guide, up to which size
// there are none, and words about it.
const isGuide = (row) => row.no_guide !== 1;

const unsureOf = (rows, x) => largest(linesOf(rows, curveKeys).map(
    ({ rows: own }) => {
        const last = own.findLastIndex((row) => !isGuide(row));
        return last < 0 ? 0
            : number(own[Math.min(last + 1, own.length - 1)][x]) ?? 0;
    }));

function sampleWords(rows)
{
    const all = [...new Set(rows.map((row) => row.sampled).filter(Boolean))];
    return all.length === 0 ? "" : ` This is a sample of ${all.length > 1
        ? "each trace" : all[0]}${rows.every(isGuide) ? ""
        : "; small caches, of which it is no guide, are faint"}.`;
}

// Of requests with tokens, how many of these are in a block.
function blockTokens([{ request_tokens: tokens, references }])
{
    return tokens > 0 && references > 0
        ? ` of ${short(tokens / references, 4)} tokens on average` : "";
}

// A chart over the sizes of caches, in bytes if these are known.
function overSizes(rows, caption, y, yTitle, more = {})
{
    const x = hasBytes(rows) ? "cache_bytes" : "cache_blocks";
    return chart(rows, { caption, x, y, yTitle, sizes: true,
        straight: hasPolicies(rows), unsure: unsureOf(rows, x),
        how: (hasPolicies(rows) ? readPolicies : readCurve) + sampleWords(rows),
        xTitle: hasBytes(rows) ? "cache in bytes"
            : `cache in blocks${blockTokens(rows)}`, keys: curveKeys,
        ...more });
}

const ratios = (rows, caption) => overSizes(rows, caption, "miss_ratio",
    "share of references that miss");

// Pairs of a size and a ratio, and how to name a size.
function curveOf(group, ratio)
{
    const inBytes = hasBytes(group);
    const points = group.filter(isGuide).map((row) => [
        number(inBytes ? row.cache_bytes : row.cache_blocks),
        number(row[ratio])]);
    return {
        points: points.filter((point) => !point.includes(undefined))
            .sort(([a], [b]) => a - b),
        nameOf: sizeNames(inBytes),
    };
}

// The first size from which on at most this share misses.
const sizeWith = ({ points }, most) =>
    points.find(([, ratio]) => ratio <= most)?.[0];

// The shares 50%, 20%, 10%, 5% ... that a curve reaches after its first size,
// of several at sizes within a sixteenth the lowest, and of all the last ones,
// as on the terminal (sim/result/chart.c).
function stepsOf(curve)
{
    const found = [];
    for (let i = 0; i < 27; i++) {
        const share = [0.5, 0.2, 0.1][i % 3] * 10 ** -Math.floor(i / 3);
        const from = sizeWith(curve, share);
        if (from === undefined || from === curve.points[0][0])
            continue;
        if (found.length > 0 && from <= found.at(-1).from * 17 / 16)
            found.pop();
        found.push({ share, from });
    }
    return found.slice(-MOST_STEPS);
}

// The rows of all tables at which a curve has a knee (sim/result/knees.c), and how
// many miss there: "9 KiB (1.85% miss)".
const kneeRows = new Set();

const kneesOf = (rows) => {
    const inBytes = hasBytes(rows);
    return rows.filter((row) =>
        isGuide(row) && kneeRows.has(row.of ?? row)).map((row) =>
        sizeNames(inBytes)(inBytes ? row.cache_bytes : row.cache_blocks)
        + ` (${percent(row.miss_ratio)} miss)`);
};

const said = (of, words) => `<p class="answer"><b>${escaped(of)}:</b> `
    + `${escaped(words)}</p>\n`;

function whose({ trace, block_bytes: bytes, tenant })
{
    return base(trace) + (bytes == null ? "" : `, blocks of ${bytes} bytes`)
        + (tenant == null ? "" : `, tenant ${tenant}`);
}

// The share of references that no cache saves, of a histogram of the same
// references; undefined where there is none.
function firstUses({ trace, block_bytes: bytes, references })
{
    const rows = histograms.filter((row) =>
        row.trace === trace && row.block_bytes === bytes);
    const first = rows.filter((row) => row.distance_from === "inf");
    return references > 0 && total(rows, "references") === references
        ? total(first, "references") / references : undefined;
}

// Of requests with tokens: from where on most of what the largest cache saves is
// saved.
function savings(group)
{
    const { points, nameOf } = curveOf(group, "hit_tokens");
    const [last, most] = points.at(-1) ?? [0, 0];
    const enough = points.find(([, tokens]) => tokens >= 0.9 * most);
    return most > 0 ? ` Of the tokens that hit at ${nameOf(last)}, 90% hit from `
        + `${nameOf(enough[0])}.` : "";
}

// What a curve says, in four sentences at most.
function answer(group, ratio, what)
{
    const curve = curveOf(group, ratio);
    const of = group[0].sampled ? `A sample of ${group[0].sampled}: ` : "";
    if (curve.points.length === 0)
        return `${of}too few for any of these caches.`;
    const [first, most] = curve.points[0] ?? [0, 1];
    const [last, least] = curve.points.at(-1) ?? [0, 1];
    const never = ratio === "miss_ratio" && group[0].tenant == null
        ? firstUses(group[0]) : undefined;
    const steps = stepsOf(curve).map(({ share, from }, i) =>
        `${percent(share)}${i ? "" : ` of ${what} miss`} from `
            + curve.nameOf(from));
    const knees = ratio === "miss_ratio" ? kneesOf(group) : [];
    const isFloor = never > 0 && least <= never * 1.000001;
    const words = [of, steps.length > 0 ? `At most ${steps.join(", ")}`
        : `${percent(most)} of ${what} miss at ${curve.nameOf(first)}`,
    isFloor && steps.length > 0 ? "."
        : `; ${percent(least)} at ${curve.nameOf(last)}.`];
    if (knees.length > 0)
        words.push(` Misses stop falling steeply at ${listed(knees)}.`);
    if (never > 0)
        words.push(` ${percent(never)} are first uses, which no cache avoids`,
            isFloor ? `; ${curve.nameOf(last)} avoid all other misses.` : ".");
    words.push(savings(group));
    return words.join("");
}

function curveWords(rows, ratio = "miss_ratio", what = "references")
{
    if (hasPolicies(rows))
        return ratio === "miss_ratio" ? policyWords(rows) : [];
    const all = groups(rows);
    const words = all.slice(0, MOST_PARAGRAPHS).map((group) =>
        said(whose(group[0]), answer(group, ratio, what)));
    if (all.length > MOST_PARAGRAPHS)
        words.push(`<p>These are the first ${MOST_PARAGRAPHS} of `
            + `${all.length} curves; the table below has all.</p>\n`);
    return words;
}

// From which sizes on each of the curves that a key tells apart has few misses:
// the last shares that the first of them reaches.
function comparison(rows, key, most)
{
    const curves = linesOf(rows, [key]).map(({ rows: line }) =>
        ({ name: keyName(key, line[0][key]), ...curveOf(line, "miss_ratio") }))
        .filter(({ points }) => points.length > 0);
    const words = stepsOf(curves[0] ?? { points: [] }).slice(-most)
        .map(({ share }) => {
            const from = curves.map((curve) => sizeWith(curve, share));
            const sizes = [...new Set(from)].filter((at) => at !== undefined)
                .map((at) => `with ${listed(curves.filter((_, i) =>
                    from[i] === at).map(({ name }) => name))} from `
                    + curves[0].nameOf(at));
            return `At most ${percent(share)} miss ${sizes.join(", ")}.`;
        });
    return said(whose(rows[0]), `${words.join(" ")} These sizes are the first `
        + "of those that were simulated.");
}

// Which sizes some ratios of misses take with each policy.
const policyWords = (rows) =>
    linesOf(rows, ["trace", "block_bytes", "tenant"]).map(
        (place) => comparison(place.rows, "policy", 3));

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
    return [bars(caption, "A bar is the share of references to what was used "
        + "that many other blocks ago. The last bar has first uses.", names,
        "other blocks since the last use, by powers of two")];
}

// A cell for each number of sets and ways, the darker the more it misses; the
// fewer of both are side by side, for numbers to have room.
function map(rows, caption)
{
    const names = ["ways", "sets"];
    if (numbersOf(rows, "ways").length > numbersOf(rows, "sets").length)
        names.reverse();
    const [across, down] = names.map(
        (name) => numbersOf(rows, name).slice(0, MOST_BARS));
    if (across.length === 0 || down.length === 0)
        return [];
    const most = largest(rows.map((row) => amount(row, "miss_ratio")));
    const bottom = TOP + CELL_HEIGHT * down.length;
    const draw = (view) => {
        const seen = partOf(across, view);
        const width = (RIGHT - LEFT) / seen.length;
        let body = "";
        for (const row of rows) {
            const i = seen.indexOf(row[names[0]]);
            const k = down.indexOf(row[names[1]]);
            const ratio = number(row.miss_ratio);
            if (i < 0 || k < 0 || ratio === undefined)
                continue;
            const shade = most > 0 ? ratio / most : 0;
            const x = LEFT + width * i, y = TOP + CELL_HEIGHT * k;
            body += rectangle("cell", [x, x + width], [y + CELL_HEIGHT, y],
                `${row.sets} set${number(row.sets) === 1 ? "" : "s"} of ${row.ways} way`
                + `${number(row.ways) === 1 ? "" : "s"}: ${percent(ratio)} miss`,
                `fill-opacity="${shade.toFixed(3)}"`);
            if (width >= 56)
                body += text(`within${shade > 0.65 ? " light" : ""}`,
                    x + width / 2, y + CELL_HEIGHT - 6,
                    percent(Number(ratio.toPrecision(2))));
        }
        const every = Math.ceil(seen.length / 8);
        const x = seen.map((value, i) =>
            [LEFT + width * (i + 0.5), size(value, false)])
            .filter((_, i) => i % every === 0);
        const y = down.map((value, k) =>
            [TOP + CELL_HEIGHT * (k + 0.65), size(value, false)]);
        return picture({ caption, x, y, body, bottom,
            xTitle: `${names[0]} across, ${names[1]} down` });
    };
    return [comparison(rows, "ways", 1), figure(caption, "Each cell is a "
        + `cache, whose ${names[0]} are below it and whose ${names[1]} to its `
        + "left. Its number is the share of references that miss; the more "
        + "colour, the more misses.", draw)];
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
    return caches.length === 0 ? [] : [bars(caption, "A bar is the share that "
        + "misses: cold are first uses, capacity what a cache without sets "
        + "misses, too, and conflict the rest, which more ways avoid.", caches,
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

// The lines of sources around those with many misses, by file and line.
const sources = new Map();

const HOT_SHARE = 0.01; // as page.c has it

// A line of a program, with those around it and its misses of each size.
function hotLine({ name, row: { file, line }, misses }, sizes, references)
{
    const lines = sources.get(`${file}:${line}`);
    const at = sizes.map((bytes, i) => `${percent(misses[i]
        / (references || 1))} at ${size(bytes, true)}`);
    const source = lines === undefined ? [] : lines.length === 0
        ? ["<p>The source, ", escaped(file), ", is not here.</p>\n"]
        : ['<pre tabindex="0">', ...lines.map(([number, words]) => {
            const digits = String(lines.at(-1)[0]).length;
            const all = `${String(number).padStart(digits)}  ${escaped(words)}`;
            return number === line ? `<b>${all}</b>\n` : `${all}\n`;
        }), "</pre>\n"];
    return `<h3>${escaped(name)}</h3>\n<p>Of all references, its misses are `
        + `${escaped(listed(at))}.</p>\n${source.join("")}`;
}

// What tiers of each split hit: of tokens where these are known.
function tiers(rows, caption)
{
    const sizeOf = (row) => sizeNames(row.cache_bytes != null)(
        row.cache_bytes ?? row.cache_blocks);
    const all = linesOf(rows, ["window", "tenant", "split"]);
    const sizes = all[0].rows.map((_, i) => [...new Set(all.map(
        ({ rows: own }) => own[i] === undefined ? "" : sizeOf(own[i])))]);
    const splits = all.map(({ rows: own }) => ({
        name: own.filter((_, i) => sizes[i]?.length > 1).map(sizeOf)
            .join(" + "),
        parts: own.map((row) => row.request_tokens > 0
            ? amount(row, "hit_tokens") / row.request_tokens
            : amount(row, "hit_ratio")) }));
    const what = rows[0].request_tokens > 0 ? "tokens" : "references";
    return [bars(caption, `A bar is the share of ${what} that hit, and its `
        + "colours say in which tier.", splits,
    "sizes of the tiers that have several",
    sizes.map((some, i) => `tier ${i + 1}${some.length > 1 ? ""
        : `, ${some[0]}`}`))];
}

// Which lines of a program's sources, or which of its data, own the misses at
// each size; those with the most have a part of their own.
function owners(rows, caption)
{
    const sizes = numbersOf(rows, "cache_bytes").slice(0, MOST_BARS);
    const at = (some, bytes) => some.filter((row) => row.cache_bytes === bytes);
    const references = total(at(rows, sizes[0]), "references");
    const all = linesOf(rows, ["file", "line", "function", "data"]).map(
        ({ rows: own }) => ({ name: ownerName(own[0]), row: own[0],
            misses: sizes.map((bytes) => total(at(own, bytes), "misses")) }))
        .filter(({ misses }) => largest(misses) > 0)
        .sort((a, b) => largest(b.misses) - largest(a.misses));
    const shown = all.slice(0, MOST_PARTS - 1);
    const others = all.slice(MOST_PARTS - 1);
    if (all.length === 0)
        return [];
    const words = [], stacks = [];
    const sums = sizes.map((_, i) =>
        all.reduce((sum, { misses }) => sum + misses[i], 0));
    const every = Math.ceil(sizes.length / 4);
    sizes.forEach((bytes, i) => {
        const parts = shown.map(({ misses }) => misses[i]);
        const rest = others.reduce((sum, { misses }) => sum + misses[i], 0);
        const most = largest(parts);
        const name = size(bytes, true);
        stacks.push({ name,
            parts: [...parts, rest].map((part) => part / (references || 1)) });
        if (i % every === 0 && most > 0)
            words.push(`In a cache of ${name}, ${short(100 * most / sums[i], 3)}% `
                + `of the misses are of ${shown[parts.indexOf(most)].name}. `);
    });
    const hottest = all.filter(({ row, misses }) => row.line != null
        && misses.some((own, i) => own >= HOT_SHARE * sums[i]))
        .slice(0, MOST_PARTS - 1).map((owner) => hotLine(owner, sizes,
            references));
    const legend = shown.map(({ name }) => name);
    if (others.length > 0)
        legend.push("data" in rows[0] ? "other data" : "other lines");
    return [`<p>${escaped(words.join(""))}</p>\n`,
        bars(caption, "A bar is the share of all references that miss a cache "
            + "of that size, and its colours say whose they are.", stacks,
        "cache in bytes", legend), ...hottest];
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
    const draw = (view) => {
        const x = axisX({ to: end, view });
        const y = axisY({ to: largest(all.filter(({ from, to }) =>
            from < x.to && to > x.from).map(({ blocks }) => blocks)) });
        const body = all.map((phase) => rectangle(
            `part${Math.floor(phase.first) % MOST_PARTS} phase`,
            [x.place(phase.from), x.place(phase.to)],
            [BOTTOM, y.place(phase.blocks)],
            `phase ${phase.number}: references ${count(phase.from)} to `
            + `${count(phase.to)}, ${count(phase.blocks)} blocks`
            + (phase.first === phase.number ? ""
                : `, as phase ${phase.first}`)));
        return picture({ caption, body: within(view, body.join("")),
            x: x.ticks, y: y.ticks, gridX, gridY, xTitle: "references",
            yTitle: "blocks" });
    };
    const longest = all.reduce((a, b) => b.to - b.from > a.to - a.from ? b : a);
    const different = all.filter(
        (phase) => phase.first === phase.number).length;
    const part = 100 * (longest.to - longest.from) / end;
    return [`<p>${all.length} phase${all.length === 1 ? "" : "s"} of `
        + `${different} kind${different === 1 ? "" : "s"}. Phase `
        + `${longest.number} takes longest, ${short(part, 3)}% of the `
        + `references, and uses ${count(longest.blocks)} blocks.</p>\n`,
    figure(caption, "A bar is a phase, and as high as it uses many blocks. "
        + "Phases of one colour behave alike.", draw)];
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
    // Of the program and not of what reaches a cache: L3 may miss nearly all of
    // that, and yet little.
    const words = rows.filter((row) => amount(row, "demand_references") > 0)
        .map((row) => {
            const misses = amount(row, "demand_misses");
            return `${thousands > 0 ? short(misses / thousands, 3)
                : percent(misses / (references || 1))} miss ${row.cache}`;
        });
    const stacks = (by, parts) => rows.map((row) => ({
        name: String(row.cache ?? ""), parts: parts(row).map((n) => n / by) }));
    const { machine: name, trace } = rows[0];
    const all = thousands > 0 ? "1000 instructions" : "all references";
    return [
        said(`${name ?? ""}, ${base(trace)}`, words.length > 0
            ? `Of ${all}, ${listed(words)}.` : "Nothing is asked of it."),
        bars(captions[0], "A bar is how many misses the program has in that "
            + `cache, of ${all}.`, stacks(thousands || references || 1,
            (row) => [amount(row, "demand_misses")]),
            thousands > 0 ? "misses per 1000 instructions"
                : "misses per reference of the program", ["demand misses"],
            thousands === 0),
        bars(captions[1], "A bar is the blocks that cross between that cache "
            + "and the next, by why they do.",
            stacks(thousands || 1, (row) => [amount(row, "demand_misses"),
                amount(row, "misses") - amount(row, "demand_misses"),
                amount(row, "prefetches"), amount(row, "writebacks")]),
            thousands > 0 ? "blocks per 1000 instructions" : "blocks",
            ["demand misses", "other misses", "prefetches", "write-backs"],
            false),
    ];
}

// Popularity, sizes and rate, in sentences and in pictures.
function profile(rows)
{
    const of = (property) => rows.filter((row) => row.property === property)
        .map((row) => ({ ...row, [property]: Number(row.at),
            name: String(row.at) }));
    const value = (property, at) => number(of(property).find(
        ({ name }) => name === at)?.value);
    const ranks = of("rank"), rates = of("second");
    const shares = (property) => listed(of(property)
        .filter((row) => amount(row, "value") > 0)
        .map((row) => `${percent(amount(row, "share"))} ${row.name}`));
    const once = of("blocks").find(({ name }) => name === "used once");
    const exponent = value("zipf", "exponent");
    const half = ranks.find((row) => amount(row, "share") >= 0.5);
    const words = [once === undefined ? ""
        : `${percent(amount(once, "share"))} of the blocks are used once.`,
    half === undefined ? "" : `Half of the references are to the ${count(half.rank)}`
        + " most popular ones.",
    exponent === undefined ? "" : "Popularity falls as Zipf's law has it with "
        + `the exponent ${short(exponent, 3)}, which explains `
        + `${percent(value("zipf", "r squared"))} of it.`,
    shares("kind") && `References: ${shares("kind")}.`,
    shares("op") && `Operations: ${shares("op")}.`,
    value("size", "0.5") === undefined ? "" : `Half of the sizes are at most ${
        size(value("size", "0.5"), true)}, and 90% at most ${
        size(value("size", "0.9"), true)}.`];
    return [
        said(whose(rows[0]), words.filter(Boolean).join(" ")),
        chart(ranks, { x: "rank", y: "value", keys: ["trace"], straight: true,
            caption: "Uses of blocks by their rank",
            how: "From the most popular block on the left to those that are used "
                + "least; with Zipf's law the line is straight.",
            xTitle: "rank of the block", yTitle: "uses", nameY: "uses" }),
        chart(rates, { x: "second", y: "value", keys: ["trace"], straight: true,
            caption: "References over time", logarithmic: false,
            how: "How many references there are each second, from the first one "
                + "on.", xTitle: "seconds", yTitle: "references per second",
            nameY: "references" })]
        .filter((piece) => piece !== "");
}

// A cell for each place and part of the trace, the darker the more references.
function heatmap(rows, caption)
{
    const all = rows.filter((row) => amount(row, "references") > 0
        && amount(row, "to") > number(row.from) && number(row.place) >= 0);
    const places = 1 + largest(all.map((row) => amount(row, "place")));
    const most = largest(all.map((row) => amount(row, "references")));
    const end = largest(all.map((row) => amount(row, "to")));
    const height = (BOTTOM - TOP) / places;
    const inHex = String(rows[0].low).startsWith("0x");
    const low = (row) => inHex ? size(number(Number(row.low)) ?? 0, true, 3)
        : rounded(number(row.low) ?? 0);
    const every = Math.ceil(places / 8);
    const draw = (view) => {
        const x = axisX({ to: end, view });
        const y = [];
        const body = all.map((row) => {
            const bottom = BOTTOM - height * row.place;
            if (row.place % every === 0)
                y[row.place] = [bottom - 4, low(row)];
            const shade = Math.log(1 + row.references) / Math.log(1 + most);
            return rectangle("heat", [x.place(row.from), x.place(row.to)],
                [bottom, bottom - height], `${row.low} to ${row.high}, references `
                + `${count(row.from)} to ${count(row.to)}: `
                + count(row.references), `fill-opacity="${shade.toFixed(3)}"`);
        });
        return picture({ caption, body: within(view, body.join("")),
            x: x.ticks, y: y.filter(Boolean), xTitle: `references across, ${inHex
                ? "addresses that are used" : "objects in the order of their "
                    + "first use"} up` });
    };
    return all.length === 0 ? [] : [figure(caption, "From the left to the right "
        + "of the trace; a cell has the more colour, the more references go to "
        + "the addresses or objects at its height.", draw)];
}

// ------------------------------------------------- the drawing of a section --

const drawEach = (rows, draw, caption) => groups(rows).flatMap(
    (group) => draw(group, captionOf(caption, group, rows)));

// By the name that the section of a table has in `data-drawing` (page.c).
const drawings = {
    curve: (rows) => [...curveWords(rows),
        ratios(rows, "Misses of a fully associative LRU cache over its size")],
    policies: (rows) => [...curveWords(rows), ratios(rows,
        "Misses by replacement policy over the size of the cache")],
    objects: (rows) => [...curveWords(rows, "miss_ratio", "requests"),
        ...curveWords(rows, "byte_miss_ratio", "bytes"),
        overSizes(rows, "Requests that miss a cache of objects over its size",
            "miss_ratio", "share of requests that miss"),
        overSizes(rows, "Bytes that miss a cache of objects over its size",
            "byte_miss_ratio", "share of bytes that miss"),
        ..."flash_hits" in rows[0] ? [
            overSizes(rows, "Requests that the cache after the memory hits",
                "flash_hits", "requests", { how: "A policy with tier= has a "
                    + "memory before the cache, whose hits are not here." })]
            : []],
    requests: (rows) => [
        "<p>A block hits if all before it in its request do.</p>\n",
        ...curveWords(rows, "miss_ratio", "blocks of requests"),
        ratios(rows, "Blocks of requests that miss a cache over its size"),
        overSizes(rows, "Requests that miss any of their blocks",
            "missed_requests", "requests"),
        ...blockTokens(rows) === "" ? [] : [
            overSizes(rows, "Tokens that hit over the size of the cache",
                "hit_tokens", "tokens that hit", { nameY: "tokens",
                    how: "Higher is better: a server computes anew the tokens "
                        + "that do not hit." })]],
    tiers: (rows) => linesOf(rows, ["trace", "block_bytes"]).flatMap(
        ({ rows: group }) => tiers(group,
            captionOf("Hits of tiers, by their sizes", group, rows))),
    tenants: (rows) => [...curveWords(rows),
        ratios(rows, "Misses of each tenant in a cache of its own"),
        overSizes(rows, "Misses of each tenant in a cache of all tenants",
            "shared_misses", "misses")],
    // Of objects it is not known what programs miss together.
    shared: (rows) => [
        ...rows[0].shared_misses == null ? [] : [
            overSizes(rows, "Misses of programs that use the cache together",
                "shared_misses", "misses")],
        overSizes(rows, "Misses of programs that have parts of the cache",
            "partition_misses", "misses")],
    windows: (rows) => [chart(rows.filter(isGuide), { x: "window", y: "miss_ratio",
        caption: `Miss ratio ${"byte_miss_ratio" in rows[0] ? "of requests " : ""}`
            + "of a few sizes over time",
        how: "A line is a cache of one size, from the beginning of the trace to "
            + "its end. Where lines rise, the program does something else."
            + sampleWords(rows.filter(isGuide)),
        xTitle: "window of the trace", yTitle: "share of references that miss",
        keys: [...curveKeys, hasBytes(rows) ? "cache_bytes" : "cache_blocks"],
        logarithmic: false })],
    profile,
    heatmap: (rows) => drawEach(rows, heatmap,
        "Which places are used when"),
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
            how: "A line is a cache, and its height the share that it misses "
                + "of what the program asks of it; lower is better.",
            keys: ["trace", "cache", ...varied.slice(1, 2)] })];
    },
};

// Curves of several sections together, with a row for each.
function together(all)
{
    const differ = (name) => new Set(all.map(name)).size === all.length;
    const more = differ(({ rows: [row] }) => base(row.trace)) ? () => ""
        : differ(({ source }) => base(source))
            ? ({ source }) => `, ${base(source)}`
            : ({ section }) => `, ${section.id}`;
    const rows = all.flatMap((table) => table.rows.map((row) => ({ ...row,
        trace: base(row.trace) + more(table), path: row.trace, of: row })));
    const names = ["trace", "references", "at most 10% miss from",
        "at most 1% from", "stops falling steeply at", "first uses"];
    const summary = linesOf(rows, ["trace", "block_bytes"]).map((line) => {
        const [first] = line.rows, curve = curveOf(line.rows, "miss_ratio");
        const never = firstUses({ ...first, trace: first.path });
        const cells = [count(amount(first, "references")),
            ...[0.1, 0.01].map((share) => sizeWith(curve, share)).map((from) =>
                from === undefined ? "never" : curve.nameOf(from)),
            kneesOf(line.rows).join(", "),
            never === undefined ? "" : percent(never)];
        return `<tr><th scope="row">${escaped(line.name || first.trace)}</th>`
            + cells.map((text, i) => `<td class="text" data-of="${names[i + 1]}">`
                + `${escaped(text)}</td>`).join("") + "</tr>\n";
    });
    const head = names.map((name) => `<th scope="col">${name}</th>`);
    return { ...ratios(rows, "Misses of all traces over the size of a cache"),
        before: '<h2>All traces</h2>\n<table class="summary"><thead><tr>'
            + `${head.join("")}</tr></thead>\n<tbody>${summary.join("")}`
            + "</tbody></table>\n", rows };
}

// ------------------------------------------------------------ what changed --

// Drawings whose rows two reports have in common, and what they are rows of.
const compared = { curve: "caches", policies: "caches", objects: "caches",
    requests: "caches", tenants: "caches", caches: "caches", machine: "caches",
    lines: "functions", data: "data" };

// The share of the references that misses, by what the rows are of.  Of a
// machine it is of those of the program; lines of a function are one, because
// they move.
function sharesOf(rows, inBytes)
{
    const [first] = rows;
    const sizes = (row) => (inBytes ? row.cache_bytes : row.cache_blocks) ?? "";
    const all = "cache" in first
        ? largest(rows.map((row) => amount(row, "references")))
        : total(rows.filter((row) => sizes(row) === sizes(first)),
            "references");
    const misses = "cache" in first ? "demand_misses" : "misses";
    const hasBlocks = numbersOf(rows, "block_bytes").length > 1;
    const found = new Map();
    for (const row of rows) {
        const what = [row.policy, row.tenant, row.cache,
            ...Object.keys(row).filter((key) => key.includes("."))
                .map((key) => `${key} ${row[key]}`),
            "file" in row ? ownerName({ ...row, line: null }) : null,
            hasBlocks ? keyName("block_bytes", row.block_bytes) : null,
            row.ways && keyName("sets", row.sets)
                + ` of ${keyName("ways", row.ways)}`,
            "cache" in row || row.ways ? null : sizeNames(inBytes)(sizes(row))]
            .filter((part) => part != null).join(", ");
        const share = "miss_ratio" in row && !("cache" in row)
            ? number(row.miss_ratio) ?? 0 : amount(row, misses) / (all || 1);
        const before = "file" in row ? found.get(what)?.share ?? 0 : 0;
        found.set(what, { share: before + share, isRound:
            "file" in row || Number.isInteger(Math.log2(sizes(row) || 1)) });
    }
    return found;
}

// A sentence and a table of the rows that changed most, of those of powers of
// two, if there are any.
function changes(drawing, base, next, names)
{
    const inBytes = hasBytes([...base.rows, ...next.rows]);
    const [before, after] = [base, next].map(
        ({ rows }) => sharesOf(rows, inBytes));
    const isOwned = "file" in base.rows[0];
    const keys = [...new Set([...before.keys(), ...after.keys()])].filter(
        (key) => isOwned || before.has(key) && after.has(key));
    const round = keys.filter((key) =>
        (before.get(key) ?? after.get(key)).isRound);
    const all = (round.length > 0 ? round : keys).map((key) => ({ key,
        was: before.get(key)?.share ?? 0, is: after.get(key)?.share ?? 0 }));
    const change = ({ was, is }) => Math.abs(is - was);
    const changed = all.filter(({ was, is }) => percent(was) !== percent(is))
        .sort((a, b) => change(b) - change(a));
    const fewer = changed.filter(({ was, is }) => is < was).length;
    const shown = new Set(changed.slice(0, MOST_CHANGES));
    const [most] = changed;
    const cell = (words) => `<td>${escaped(words)}</td>`;
    const rows = all.filter((row) => shown.has(row)).map((row) =>
        `<tr><th scope="row">${escaped(row.key)}</th>${cell(percent(row.was))}`
        + cell(percent(row.is)) + cell(row.was === 0 ? "new"
            : `${row.is > row.was ? "+" : "\u2212"}`
                + percent(change(row) / row.was)) + "</tr>\n");
    const head = [compared[drawing], ...names, "change"].map((name) =>
        `<th scope="col">${escaped(name)}</th>`);
    return said(base.section.querySelector("h2")?.textContent ?? drawing,
        all.length === 0 ? "The two have no rows in common."
            : most === undefined ? `All ${all.length} ${compared[drawing]} miss `
                + "as often as before."
                : `Of ${all.length} ${compared[drawing]}, ${fewer} miss less `
                    + `than before and ${changed.length - fewer} more. Most `
                    + `changed ${most.key}: from ${percent(most.was)} to `
                    + `${percent(most.is)} of the references.`)
        + (rows.length === 0 ? "" : '<table class="summary changes"><thead><tr>'
            + `${head.join("")}</tr></thead>\n<tbody>${rows.join("")}</tbody>`
            + "</table>\n");
}

// What changed between two sources that have tables of one kind.
function compare(tables)
{
    const sources = [...new Set(tables.map(({ source }) => source))];
    const kind = ({ drawing, rows }) => `${drawing} ${hasPolicies(rows)}`;
    const pairs = [...new Set(tables.map(kind))].map((one) =>
        tables.filter((table) => kind(table) === one))
        .filter(([a, b, c]) => a.drawing in compared && b !== undefined
            && c === undefined && a.source !== b.source);
    if (sources.length !== 2 || pairs.length === 0)
        return "";
    const bases = sources.map(base);
    const names = bases[0] === bases[1] ? sources : bases;
    return `<h2>What changed</h2>\n<p>From ${escaped(names[0])} to `
        + `${escaped(names[1])}: how many of the references miss.</p>\n`
        + pairs.map(([a, b]) => changes(a.drawing, a, b, names)).join("");
}

// ------------------------------------------------------------------- files --

function save(name, content)
{
    Object.assign(document.createElement("a"),
        { href: URL.createObjectURL(content), download: name }).click();
}

function saveTable(name, rows)
{
    const field = (value) => /[",\n\r]/.test(value ?? "")
        ? `"${String(value).replaceAll('"', '""')}"` : value ?? "";
    const lines = [Object.keys(rows[0]), ...rows.map(Object.values)];
    save(`${name}.csv`, new Blob([lines.map((line) =>
        `${line.map(field).join(",")}\n`).join("")], { type: "text/csv" }));
}

// A picture for light paper, twice as large as its units.
function savePicture(name, svg)
{
    const copy = svg.cloneNode(true);
    const style = document.createElementNS(svg.namespaceURI, "style");
    const { width, height } = svg.viewBox.baseVal;
    const items = [...svg.closest("figure").querySelectorAll(".legend li")]
        .filter((item) => item.querySelector("input")?.checked ?? true);
    const tall = height + 20 * items.length;
    copy.setAttribute("viewBox", `0 0 ${width} ${tall}`);
    copy.insertAdjacentHTML("beforeend", items.map((item, i) =>
        `<g transform="translate(${LEFT} ${height + 20 * i})">`
        + (item.querySelector("path")?.outerHTML ?? "<path class="
            + `"${item.firstElementChild.className}" d="M0 0H32V9H0Z"/>`)
        + `${text("", 40, 8, item.textContent.trim())}</g>`).join(""));
    style.textContent = document.querySelector("style").textContent
        .replace(/@media[^{]*(dark|max-w)[^{]*\{([^{}]*\{[^}]*\})*\s*\}/g, "");
    copy.prepend(style);
    copy.querySelector(".cursor")?.remove();
    copy.style.width = `${2 * width}px`;
    copy.setAttribute("width", 2 * width);
    copy.setAttribute("height", 2 * tall);
    const image = new Image();
    image.addEventListener("load", () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [2 * width, 2 * tall];
        const paper = canvas.getContext("2d");
        paper.fillStyle = "white";
        paper.fillRect(0, 0, canvas.width, canvas.height);
        paper.drawImage(image, 0, 0);
        canvas.toBlob((blob) => save(`${name}.png`, blob));
    });
    image.setAttribute("src", `data:image/svg+xml,${encodeURIComponent(
        new XMLSerializer().serializeToString(copy))}`);
}

// -------------------------------------------------------------------- page --

function addPiece(place, piece, rows)
{
    place.insertAdjacentHTML("beforebegin", piece.html ?? piece);
    const figure = place.previousElementSibling;
    const show = (view) => {
        figure.querySelector(".plot").innerHTML = piece.draw(view);
    };
    if (piece.draw !== undefined)
        addZoom(figure, piece.places === undefined
            ? { show, middle: () => 0.5 } : addCursor(figure, piece));
    for (const button of figure?.querySelectorAll("[data-save]") ?? []) {
        const name = figure.querySelector("figcaption").textContent
            .toLowerCase().replace(/[^a-z0-9.]+/g, "-");
        button.addEventListener("click", () => button.dataset.save === "CSV"
            ? saveTable(name, rows)
            : savePicture(name, figure.querySelector("svg[role=img]")));
    }
}

const tables = [...document.querySelectorAll("section[data-drawing]")].map(
    (section) => ({ section, ...section.dataset,
        rows: JSON.parse(section.querySelector("script").textContent) }))
    .filter(({ rows }) => rows.length > 0);
const histograms = tables.filter(({ drawing }) => drawing === "histogram")
    .flatMap(({ rows }) => rows);

for (const { section, rows, knees } of tables) {
    const source = section.querySelector(".source");
    for (const [file, line, lines] of JSON.parse(source?.textContent ?? "[]"))
        sources.set(`${file}:${line}`, lines);
    for (const row of knees?.split(" ").filter(Boolean) ?? [])
        kneeRows.add(rows[row]);
}
const curves = tables.filter(({ drawing }) => drawing === "curve");
const contents = document.querySelector("nav");
// Of one trace the answer comes before all else; where it has requests, theirs.
const first = curves.length > 1 ? undefined
    : tables.find(({ drawing }) => drawing === "requests") ?? tables[0];
for (const table of tables) {
    const { section, drawing, rows } = table;
    const end = section.querySelector("details");
    for (const piece of drawings[drawing](rows))
        addPiece(table === first && piece.startsWith?.('<p class="answer"')
            ? contents : end, piece, rows);
    // On a telephone it would scroll sideways.
    end.open &&= !(globalThis.innerWidth < 600);
}
addPiece(contents, compare(tables));
if (curves.length > 1) {
    const { before, rows, ...piece } = together(curves);
    addPiece(contents, before, rows);
    addPiece(contents, piece, rows);
}
