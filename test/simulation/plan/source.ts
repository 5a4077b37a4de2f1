import type { PollingSource } from "../../../lib/polling/index.ts";
import type { Chooser } from "./chooser.ts";

const MINUTE = 60_000;

/** The configuration of a history's source: durations keep the proportions of the defaults, on a smaller scale. */
export function planSource(chooser: Chooser): PollingSource {
  const { random } = chooser;
  const interval = MINUTE * Number(chooser.option("interval", { 1: 6, 5: 2, 30: 1 }));
  const startFrom = chooser.option("start", { now: 6, beginning: 2, date: 1 });
  const every = interval * random.between(3, 8);
  return {
    name: "main",
    surveys: { all: "all" as const, exclude: { exclude: [9] }, include: { include: [8, 10, 12] } }[
      chooser.option("surveys", { all: 12, exclude: 1, include: 1 })
    ],
    // The day on which histories begin: see START.
    startFrom: startFrom === "date" ? "2026-03-28" : startFrom,
    interval,
    ...(chooser.flag("time-zone", 0.04) ? { timeZone: "Europe/Warsaw" } : {}),
    enrich: {
      metrics: chooser.option("enrich-metrics", { on: 15, off: 1 }) === "on",
      metadata: chooser.option("enrich-metadata", { on: 15, off: 1 }) === "on",
    },
    questions: "full",
    thresholds: {},
    privacy: {
      ip: chooser.option("privacy-ip", { keep: 12, truncate: 1, drop: 1 }),
      referrer: chooser.option("privacy-referrer", { keep: 12, drop: 1 }),
      comments: chooser.option("privacy-comments", { keep: 12, drop: 1 }),
    },
    enrichmentPatience: interval * random.between(2, 7),
    absentAfter: MINUTE,
    backgroundRequests: random.pick([1, 1, 1, 10]),
    concurrency: random.pick([1, 4, 16, 16, 64]),
    headPages: random.pick([1, 2, 3, 20, 20]),
    retention: { quarantine: interval * random.between(10, 200) },
    events: new Set([
      "response.completed",
      "response.updated",
      "response.deleted",
      "books.closed",
      ...(chooser.flag("survey-changed", 0.5) ? (["survey.changed"] as const) : []),
      ...(chooser.flag("survey-counted", 0.3) ? (["survey.counted"] as const) : []),
    ]),
    rescan: { every, full: interval * random.between(8, 26) * random.pick([1, 1, 3]) },
  };
}
