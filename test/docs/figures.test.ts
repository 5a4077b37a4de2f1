import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const readme = readFileSync("README.md", "utf8");
const cost = readFileSync("docs/cost.md", "utf8");
const performance = readFileSync("docs/performance.md", "utf8");
const benches = readFileSync("bench/peers/README.md", "utf8");

/** The cells of the row of a table that begins with these words, without the first; emphasis is left out. */
function row(text: string, first: string): string[] {
  const line = text.split("\n").find((one) => one.replaceAll("*", "").startsWith(`| ${first} `));
  if (line === undefined) throw new Error(`there is no row "${first}"`);
  const cells = line.replaceAll("*", "").split("|");
  return cells.slice(2, -1).map((cell) => cell.trim());
}

/** What stands between the markers of a part that `npm run cost` writes. */
function measured(part: string): string {
  const found = new RegExp(`<!-- measured: ${part} -->([\\s\\S]*)<!-- end: ${part} -->`).exec(cost)?.[1];
  if (found === undefined) throw new Error(`docs/cost.md has no part "${part}"`);
  return found;
}

const dollars = (cells: readonly string[]): string[] =>
  cells.filter((cell) => /^\d/.test(cell)).map((cell) => `$${cell}`);
const filled = (cells: readonly string[]): string[] => cells.filter(Boolean);

describe("the prices of the front page are those of docs/cost.md", () => {
  it.each([
    ["the whole stack at rest, one source", "minimal", "together"],
    ["of that, its metrics and alarms", "minimal", "of this monitoring"],
    ['the same with `"monitoring": "full"`', "full", "together"],
  ])("%s", (shown, part, written) => {
    expect(row(readme, shown)).toEqual(dollars(row(measured(part), written)));
  });

  it("of polling alone", () => {
    const [, many, most] = dollars(row(measured("usage"), "together"));
    expect(filled(row(readme, "polling alone: 100 surveys, 10,000 responses a day"))).toEqual([many]);
    expect(filled(row(readme, "polling alone: 10,000 surveys, a million responses a day"))).toEqual([most]);
  });
});

interface Plot {
  points: { series: string; x: string; y: number }[];
}

const { points } = JSON.parse(readFileSync("docs/performance/peers.json", "utf8")) as Plot;
const PEERS = [
  { peer: "dlt", name: "dlt", row: "dlt" },
  { peer: "airbyte", name: "Airbyte CDK", row: "airbyte-cdk" },
  { peer: "singer", name: "Singer SDK", row: "singer-sdk" },
  { peer: "camel", name: "Apache Camel", row: "Apache Camel" },
  { peer: "benthos", name: "Benthos", row: "Benthos" },
];

/** What the bench wrote: responses a second of a peer and of the poller beside it. */
function speeds(peer: string, latency: number): { peer: number; poller: number; times: string } {
  const of = (series: string): number => {
    const point = points.find((one) => one.series === series && one.x === `${peer}, ${latency} ms`);
    if (point === undefined) throw new Error(`docs/performance/peers.json has no ${series} of ${peer}`);
    return point.y;
  };
  const both = { peer: of("peer"), poller: of("poller beside it") };
  return { ...both, times: (both.poller / both.peer).toFixed(1) };
}

describe.each(PEERS)("the speed of $name is that of docs/performance/peers.json", ({ peer, name, row: shown }) => {
  const [slow, fast] = [speeds(peer, 50), speeds(peer, 5)];

  it("on the front page", () => {
    expect(row(readme, name)).toEqual([String(Math.round(slow.peer)), String(Math.round(slow.poller)), slow.times]);
  });

  it("in docs/performance.md", () => {
    expect(row(performance, shown)).toEqual([slow.times, fast.times]);
  });

  it("in bench/peers/README.md", () => {
    const line = benches.split("\n").findLast((one) => one.startsWith(`| ${peer} `)) ?? "";
    const cells = line.split("|").map((cell) => cell.replace(/[*,\s]/g, ""));
    expect([cells[2], cells[4], cells[5]]).toEqual([
      String(Math.round(slow.peer)),
      String(Math.round(slow.poller)),
      slow.times,
    ]);
  });
});
