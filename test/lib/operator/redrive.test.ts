import { expect, it } from "vitest";
import { redrive } from "../../../lib/operator/redrive.ts";
import { refused } from "../../support/refused.ts";
import { at, worldWith } from "../../support/survey.ts";
import { memoryLog } from "../support/log.ts";
import { operate } from "../support/operation.ts";

const left = { unreadable: 0, withoutRecords: 0, beforeStart: 0, failed: 0 };

it("says what was put back by survey, in its answer and in the log, and polls nothing", async () => {
  const world = await refused([{ responseId: 1, completed: at(0) }]);
  const log = memoryLog();
  world.calls.length = 0;

  const output = await operate(world, redrive, { surveyIds: [1, 2] }, log);

  expect(output).toEqual({
    surveys: [
      { surveyId: 1, outcome: "done", putBack: 1, left },
      { surveyId: 2, outcome: "done", putBack: 0, left },
    ],
  });
  expect(log.lines).toMatchObject([
    { level: "info", message: "redrive", details: { source: "main", surveyId: 1, putBack: 1 } },
    { level: "info", message: "redrive", details: { source: "main", surveyId: 2, putBack: 0 } },
  ]);
  expect(world.calls.filter(({ port }) => port === "service")).toEqual([]);
});

it("puts back those of one reason, and leaves the others as they are", async () => {
  const world = await refused([{ responseId: 1, completed: at(0) }]);
  const other = { id: 2, state: "refused" as const, reason: "TooLarge" };
  await world.ports.state.putEntries(1, [other]);

  expect(await operate(world, redrive, { surveyIds: [1], reason: "MalformedDetail" })).toMatchObject({
    surveys: [{ putBack: 1, left }],
  });

  expect(world.entry(1, 1)?.state).toBe("waiting");
  expect(world.entry(1, 2)).toEqual(other);
});

it("takes the code of the bus for the reason where an event was not replaced", async () => {
  const world = worldWith([]);
  const entry = { id: 1, state: "emitted" as const, eventId: "e", count: 2, refusedRevision: "TooLarge" };
  await world.ports.state.putEntries(1, [entry]);

  const answer = await operate(world, redrive, { surveyIds: [1], reason: "TooLarge" });

  expect(answer.surveys).toMatchObject([{ putBack: 1 }]);
  expect(world.entry(1, 1)).toMatchObject({ count: 0 });
});

it("warns of a survey that failed", async () => {
  const world = await refused([{ responseId: 1, completed: at(0) }]);
  world.before.push(({ operation }) => {
    if (operation === "forRedrive") throw Object.assign(new Error("x"), { code: "TABLE_BUSY" });
  });
  const log = memoryLog();
  expect((await operate(world, redrive, { surveyIds: [1] }, log)).surveys).toMatchObject([{ outcome: "failed" }]);
  expect(log.lines).toMatchObject([{ level: "warn", details: { failure: { code: "TABLE_BUSY" } } }]);
});
