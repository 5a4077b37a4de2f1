import type { Abandoned } from "./abandoned.ts";
import type { Cadence } from "./cadences.ts";
import type { FlipCost } from "./flips.ts";
import type { Lateness } from "./lateness.ts";
import type { Key } from "./lateness-classes.ts";
import { DAY, HOUR, MINUTE, SECOND } from "./source.ts";
import { mean, median, worst } from "./statistics.ts";

// The tables of docs/lateness.md.

function duration(milliseconds: number): string {
  const [unit, name] = ([
    [DAY, "d"],
    [HOUR, "h"],
    [MINUTE, "min"],
  ].find(([least]) => milliseconds >= 2 * Number(least)) ?? [SECOND, "s"]) as [number, string];
  const value = milliseconds / unit;
  return `${value < 100 ? Number(value.toFixed(1)) : Math.round(value)} ${name}`;
}

const number = (value: number): string => Math.round(value).toLocaleString("en-US");
const tenths = (value: number): string => value.toFixed(1);

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function verdict({ bound, turns, delays, lost }: Lateness): string {
  if (lost > 0) return `**no: ${lost} of ${lost + delays.length} never found**`;
  const most = worst(delays);
  if (most <= bound) return "yes";
  return most <= bound + turns ? "yes, with its turns" : `**no: by ${duration(most - bound - turns)}**`;
}

export function latenessTable(key: Key, results: Lateness[]): string {
  const head = ["completes", "bound", "turns", "trials", "median", "worst", "kept", "requests"];
  const rows = table(
    head,
    results.map((result) => {
      const { kind, bound, turns, delays, costs, lost } = result;
      const times = [bound, turns, median(delays), worst(delays)].map(duration);
      const [promised, added, middle, most] = times;
      const trials = String(delays.length + lost);
      const bounded = `${kind.promise(key)}: ${promised}`;
      return [kind.name, bounded, added ?? "", trials, middle ?? "", most ?? "", verdict(result), tenths(mean(costs))];
    }),
  );
  return `### Sorted by \`${key}\`\n\n${rows}`;
}

export function abandonedTables({ listed, open, mean, worst, byOperation, heads, ages }: Abandoned): string {
  const kinds = Object.entries(byOperation).map(([name, count]) => [`of these: ${name}`, number(count)]);
  return [
    table(
      ["an idle day", ""],
      [
        ["responses listed", number(listed)],
        ["of these open", number(open)],
        ["requests of a tick, mean", mean.toFixed(2)],
        ["requests of a tick, worst", String(worst)],
        ["requests of the day", number(Object.values(byOperation).reduce((sum, count) => sum + count, 0))],
        ...kinds,
      ],
    ),
    table(
      [
        "hours after the first tick",
        "open ones known",
        "still asked about",
        "of these begun over 7 days ago",
        "due",
        "longest overdue",
      ],
      ages.map(({ hours, known, asked, old, due, overdue }) => [
        String(hours),
        ...[known, asked, old, due].map(number),
        duration(overdue),
      ]),
    ),
    table(
      ["new responses", "records of each", "pages with news", "pages read"],
      heads.map(({ news, records, pagesWithNews, pagesRead }) => [news, records, pagesWithNews, pagesRead].map(String)),
    ),
  ].join("\n\n");
}

export function flipTable(costs: FlipCost[]): string {
  const head = [
    "what changes",
    "median",
    "worst",
    "never out",
    "short at first",
    "short for good",
    "requests, 1st day",
    "4th day",
  ];
  return table(
    head,
    costs.map(({ name, with: after, without }) => {
      const both = (show: (outcome: FlipCost["with"]) => string): string => `${show(without)} → ${show(after)}`;
      return [
        name,
        both((one) => duration(one.median)),
        both((one) => duration(one.worst)),
        String(after.lost),
        String(after.short),
        String(after.stillShort),
        both((one) => number(one.firstDay)),
        both((one) => number(one.fourthDay)),
      ];
    }),
  );
}

export function cadenceTable(results: Cadence[]): string {
  const head = [
    "surveys",
    "pages of each",
    "`backgroundRequests`",
    "wanted",
    "granted",
    "head read every, median",
    "worst",
  ];
  return table(
    head,
    results.map(({ surveys, pages, backgroundRequests, wanted, granted, median, worst, ofRate }) => [
      number(surveys),
      String(pages),
      String(backgroundRequests),
      number(wanted),
      number(granted),
      ofRate ? `about ${duration(median)}, from the rate` : duration(median),
      ofRate ? "" : duration(worst),
    ]),
  );
}
