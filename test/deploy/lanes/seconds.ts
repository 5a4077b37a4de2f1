import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { type Deployed, deploy, fillCredentials, type Given, onStage } from "../support/stage.ts";
import { completed } from "../support/ticks.ts";
import { until } from "../support/until.ts";

const COMPLETIONS = 24;
/** Milliseconds between two completions: no divisor of the interval, so that they fall on any second of it. */
const APART = 3_300;

/** A source with ticks within a minute, which nobody but the schedule and its messages starts. */
export function seconds(given: Given): Promise<void> {
  return onStage(given, "seconds", async (stage) => {
    const source = { baseUrl: stage.simulator.url, startFrom: "beginning", timeZone: "UTC", interval: "10s" };
    const on = await deploy(stage, { sources: [source] });
    on.report.part("Seconds");
    await fillCredentials(on);
    await on.report.step("the history goes out", () => until("it has not", () => hasAll(on), 120_000));
    await halfComeWithinSeconds(on);
  });
}

async function hasAll(on: Deployed): Promise<boolean> {
  await on.everything.drain();
  return completed(on).length >= on.simulator.truth().length;
}

async function halfComeWithinSeconds(on: Deployed): Promise<void> {
  await on.report.step("at 10 s half of the responses are found within 8 s", async (note) => {
    on.simulator.resetCounters();
    const began = Date.now();
    const completedAt = new Map<number, number>();
    for (let i = 0; i < COMPLETIONS; i += 1) {
      for (const id of on.simulator.complete(1)) completedAt.set(id, Date.now());
      await pause(APART);
    }
    await until("not all have come", () => hasAll(on), 90_000);
    const late = completed(on).flatMap(({ detail: { meta, data } }) => {
      const at = completedAt.get(data.responseId);
      return at === undefined ? [] : [Date.parse(meta.detectedAt) - at];
    });
    late.sort((a, b) => a - b);
    const median = late[Math.floor(late.length / 2)] ?? Number.NaN;
    const ticks = on.simulator.counters().surveys ?? 0;
    const took = Math.round((Date.now() - began) / 1_000);
    note(`median ${median} ms, at most ${late.at(-1)} ms; ${ticks} ticks in ${took} s`);
    assert.ok(median <= 8_000, `median ${median} ms`);
  });
}
