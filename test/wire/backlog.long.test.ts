import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { expectSameContents } from "./support/expect-same-contents.ts";
import { polledService } from "./support/polled-service.ts";

const RESPONSES = 2_000;
const CONCURRENCY = 16;
/** Pages that the first command reads before it is killed, the second one, and so on: its own time is over long before. */
const KILLED_AFTER = [75, 60, 45, 65];
const flags = { "start-from": "beginning", interval: "1s", ticks: undefined };

test("a backlog that is caught up in slices, killed in the midst of them, costs what was on its way and loses nothing", {
  timeout: 300_000,
}, async () => {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: RESPONSES }] });
  const { simulator, folder } = service;
  const file = `${folder}/events.jsonl`;
  for (const pages of KILLED_AFTER) {
    const command = service.start(flags, { limit: 120_000 });
    let reads = 0;
    const stop = simulator.onPageRead(() => {
      reads += 1;
      if (reads === pages) command.kill("SIGKILL");
    }, "before");
    expect(await command.done).toMatchObject({ signal: "SIGKILL", stderr: "" });
    stop();
  }
  const before = readFileSync(file, "utf8").split("\n").length - 1;
  // Its place is saved once a minute: what was read since then is read again.
  expect(before).toBeGreaterThan(RESPONSES / 10);
  expect(before).toBeLessThan(RESPONSES);

  const { events } = await service.poll({ ...flags, ticks: "30" }, { limit: 240_000 });

  expect(compareWithTruth(events, simulator.truth(), { repeats: 40 * KILLED_AFTER.length })).toEqual([]);
  expectSameContents(events, "a backlog in slices");
  // What was between its page and the ledger, and one page more.
  const again = (simulator.counters().metrics ?? 0) - RESPONSES;
  expect(again).toBeLessThanOrEqual(KILLED_AFTER.length * (3 * CONCURRENCY + 2 * 20));
});
