import { expect, it } from "vitest";
import { pollScheduled } from "../../../lib/run/poll-scheduled.ts";
import { arrive, at, HOUR, MINUTE, noon, range, SECOND, takes, worldWith } from "../../support/survey.ts";
import { memoryGraph } from "../support/graph.ts";
import { memoryLog } from "../support/log.ts";
import { writtenBy } from "./support/embedded-metrics.ts";

/** A source after its first tick; `tick` makes another one, and gives its lines of events. */
async function polled(fields: Record<string, unknown> = {}) {
  const world = worldWith([{ responseId: 1, completed: at(-HOUR) }]);
  world.time.now = noon - MINUTE;
  const graph = memoryGraph(world, { timeZone: "UTC", ...fields });
  const tick = async () => {
    const logger = memoryLog();
    await writtenBy(() => pollScheduled({ graphs: [graph], owner: "o", remaining: () => 60_000, logger }));
    return logger.lines.filter(({ message }) => message === "event");
  };
  await tick();
  world.time.now = noon;
  return { world, tick };
}

it("an event has one line: where it was listed, what proved it, and how long each part of its way took", async () => {
  const { world, tick } = await polled();
  arrive(world, { responseId: 2, completed: at(-30 * SECOND) });
  for (const [operation, time] of Object.entries({ metrics: 40, metadata: 50, publish: 20, putEntries: 4 })) {
    takes(world, time, (call) => call.operation === operation);
  }

  const [line, ...others] = (await tick()).filter(({ level }) => level === "info");

  expect(others).toEqual([]);
  expect(line?.details).toEqual({
    source: "main",
    type: "response.completed",
    surveyId: 1,
    responseId: 2,
    eventId: world.delivered.at(-1)?.meta.eventId,
    revision: 1,
    origin: "head",
    detectedAt: expect.any(Number),
    lag: 30 * SECOND + 50,
    outcome: "published",
    batch: 1,
    listed: { page: 1, order: "desc", at: noon },
    proved: "its page",
    ms: { metrics: 40, metadata: 50, bus: 20, ledger: 4 },
  });
});

it("one that had to wait tells of its attempts, and that it was kept since it was proved", async () => {
  const { world, tick } = await polled({ advanced: { absentAfter: "2m" } });
  arrive(world, { responseId: 2, completed: at(-30 * SECOND) });
  world.model.edit(1, 2, { metrics: { absent: "404", reads: 1 } });
  expect(await tick()).toEqual([]);

  world.time.now += 3 * MINUTE;
  const [line] = await tick();

  expect(line?.details).toMatchObject({ responseId: 2, attempts: 2, proved: "kept" });
});

it("one that the bus refuses has its line, and so has one whose ledger write fails", async () => {
  const { world, tick } = await polled();
  arrive(world, { responseId: 2, completed: at(-30 * SECOND) });
  arrive(world, { responseId: 3, completed: at(-20 * SECOND) });
  world.bus.decide = ({ data }) => (data.responseId === 2 ? { kind: "refused", code: "MalformedDetail" } : undefined);
  world.before.push(({ operation, args }) => {
    const entries = operation === "putEntries" ? (args[1] as { state: string }[]) : [];
    if (entries.some(({ state }) => state === "emitted")) throw new Error("the table is gone");
  });

  const details = (await tick()).map((line) => line.details);

  expect(details).toEqual([
    expect.objectContaining({ responseId: 2, outcome: "refused", code: "MalformedDetail", batch: 2 }),
    expect.objectContaining({ responseId: 3, outcome: "published", ms: expect.not.objectContaining({ ledger: 0 }) }),
  ]);
});

it("those of a backlog tell on which page they were listed", async () => {
  const { world, tick } = await polled({ advanced: { headPages: 2 } });
  for (const responseId of range(2, 400)) arrive(world, { responseId, completed: at((responseId - 500) * 10) });

  const lines = await tick();

  const ofCatchUp = lines.filter(({ details }) => details.origin === "backlog");
  expect(ofCatchUp.length).toBeGreaterThan(300);
  for (const { details } of ofCatchUp) {
    expect(details).toMatchObject({ listed: { order: "asc" }, proved: expect.stringMatching(/page/) });
  }
});
