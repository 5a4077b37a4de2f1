import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, View } from "vega";
import { compile } from "vega-lite";

// npm run plots: draws what the bench has written to docs/performance, each figure as an SVG beside its numbers.

const FIGURES = join(import.meta.dirname, "../../docs/performance");
const FONT = "system-ui, sans-serif";

/** @param {import("../support/row.ts").Plot} plot */
function specification({ title, kind, x, y, points }) {
  const values = points.map((point) => ({ ...point, x: kind === "bars" ? String(point.x) : point.x }));
  const color = {
    field: "series",
    type: "nominal",
    title: null,
    sort: null,
    legend: { orient: "bottom", columns: 2, labelLimit: 0 },
  };
  const common = {
    data: { values },
    title: { text: title, anchor: "start" },
    background: "white",
    // A group of bars needs room for its label.
    width: Math.max(560, kind === "bars" ? 90 * new Set(values.map((value) => value.x)).size : 0),
    height: 280,
  };
  if (kind === "bars") {
    return {
      ...common,
      layer: [{ mark: "bar" }, { mark: { type: "text", dy: -6 }, encoding: { text: { field: "y", format: ",.0f" } } }],
      encoding: {
        x: { field: "x", type: "nominal", title: x, sort: null, axis: { labelAngle: 0 } },
        xOffset: { field: "series", sort: null },
        y: { field: "y", type: "quantitative", title: y },
        color,
      },
    };
  }
  // Sizes that grow tenfold are drawn at equal distances.
  const isWide = Math.max(...points.map((point) => Number(point.x))) > 1_000;
  return {
    ...common,
    mark: { type: "line", point: points.length < 20 },
    encoding: {
      x: {
        field: "x",
        type: "quantitative",
        title: x,
        scale: isWide ? { type: "log" } : {},
        axis: { tickCount: 6, format: ",d" },
      },
      y: { field: "y", type: "quantitative", title: y, scale: { zero: true } },
      color,
    },
  };
}

for (const file of readdirSync(FIGURES).filter((name) => name.endsWith(".json"))) {
  const plot = JSON.parse(readFileSync(join(FIGURES, file), "utf8"));
  const { spec } = compile(specification(plot), { config: { font: FONT } });
  const svg = await new View(parse(spec), { renderer: "none" }).toSVG();
  writeFileSync(join(FIGURES, file.replace(".json", ".svg")), svg);
  process.stdout.write(`docs/performance/${file.replace(".json", ".svg")}\n`);
}
