import { expect, test } from "vitest";
import { readEvents } from "../support/command.ts";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { type PolledService, polledService } from "./support/polled-service.ts";

/**
 * Requests for pages, metrics and metadata after which each run is killed: while it begins, in the middle of a page,
 * while a batch is on its way, deep in the backlog. 0: as soon as it says that it polls.
 */
const moments = [0, 1, 3, 17, 44, 45, 93, 150, 201, 5, 260, 312];
const old = 900;

test("12 kills in a run of 900 responses lose nothing, and repeat no more than what was in flight", {
  timeout: 600_000,
}, async () => {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: old }] });
  const { simulator, folder } = service;
  const flags = { "start-from": "beginning" };

  for (const moment of moments) await killAfter(service, moment);
  const atLast = await service.poll(flags, { limit: 120_000 });

  const { events } = atLast;
  // All kills met the backlog, which came some way meanwhile: killing an idle command would prove nothing.
  const emittedAtLast = Number(/^done: .* (\d+) events,/m.exec(atLast.stdout)?.[1]);
  expect(emittedAtLast).toBeGreaterThan(0);
  expect(emittedAtLast).toBeLessThan(old);
  expect(compareWithTruth(events, simulator.truth(), { repeats: 10 * moments.length })).toEqual([]);
  // A repeat is the same event: only when it was detected may differ, never what it says.
  const contents = new Map<string, string>();
  for (const { detail } of events) {
    const said = JSON.stringify(detail.data);
    expect(contents.get(detail.meta.eventId) ?? said).toBe(said);
    contents.set(detail.meta.eventId, said);
  }
  expect(contents.size).toBe(old);
  expect(atLast.stdout).toMatch(/books: /);

  const quiet = await service.poll(flags);
  expect(quiet.events).toHaveLength(events.length);
  expect(readEvents(`${folder}/events.jsonl`)).toEqual(events);
});

/** Kills a run once it has made so many requests about responses; first it waits for the lease of the one before to end. */
async function killAfter(service: PolledService, moment: number): Promise<void> {
  const before = requests(service);
  const command = service.start({ "start-from": "beginning" }, { limit: 120_000 });
  let running = true;
  void command.done.finally(() => {
    running = false;
  });
  if (moment === 0) await command.printed(/^polling /m);
  while (running && requests(service) - before < moment) await new Promise((resolve) => setTimeout(resolve, 1));
  command.kill("SIGKILL");
  expect((await command.done).signal).toBe("SIGKILL");
}

function requests({ simulator }: PolledService): number {
  const { metrics = 0, metadata = 0, "responses-order": pages = 0 } = simulator.counters();
  return metrics + metadata + pages;
}
