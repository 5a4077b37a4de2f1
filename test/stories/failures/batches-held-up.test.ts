import { expect, it } from "vitest";
import { openTo } from "../../../lib/polling/index.ts";
import { Failure } from "../../support/failing.ts";
import {
  at,
  deliveredIds,
  HOUR,
  letTimePass,
  MINUTE,
  type ResponseSpec,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const never = 10_000 * HOUR;
const source = { headPages: 2, fullPoll: { every: never }, patrol: { every: never, full: never } };

it("a ledger write of a waiting response that fails does not let a catch-up end before its events are out", async () => {
  // No count can be read, so none tells that something is missing.
  const counts = { responses: null, correct: null, unpaidResponses: null };
  const world = worldWith(
    range(1, 50).map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 10 })),
    { counts },
  );
  const arrive = (_: unknown, spec: ResponseSpec): void => void surveyOf(world).records.push(...recordsOf(spec));
  await runTick(world, { source });
  world.time.now += MINUTE;
  // 51 waits for its metrics.
  arrive(world, { responseId: 51, completed: at(51 * SECOND), size: 10 });
  const broken = ({ operation, args }: { operation: string; args: readonly unknown[] }): void => {
    if (operation === "metrics" && args[1] === 51) throw new Failure("no answer");
  };
  world.before.push(broken);
  await runTick(world, { source });
  expect(world.entry(1, 51)?.state).toBe("waiting");
  world.before.length = 0;

  // A backlog comes, and 51 is due. The details of 60 are slow to come.
  for (const responseId of range(52, 200)) arrive(world, { responseId, completed: at(responseId * SECOND), size: 10 });
  world.time.now += MINUTE;
  const hang = async ({ operation, args }: { operation: string; args: readonly unknown[] }): Promise<void> => {
    const until = world.time.now + (args[1] === 60 ? 10 : args[1] === 51 ? 5 : 0) * SECOND;
    if (operation === "metrics") while (world.time.now < until) await new Promise((resolve) => setImmediate(resolve));
  };
  world.before.push(hang);
  // The write of 51 to the ledger fails once, after the bus has taken it.
  let failures = 0;
  world.before.push(({ operation, args }) => {
    const entries = args[1] as { id: unknown; state: string }[];
    if (operation !== "putEntries" || !entries.some(({ id, state }) => id === 51 && state === "emitted")) return;
    if (failures++ === 0) throw new Error("throttled");
  });
  await letTimePass(world, runTick(world, { source, deadline: world.time.now + 2 * MINUTE }));
  expect(failures).toBeGreaterThan(0);
  // R7, R18: 60 is not out, so the mark must say that there is something left to read.
  expect.soft(world.mark(1).phase.kind === "catch-up" || openTo(world.mark(1)) !== undefined).toBe(true);
  world.before.length = 0;
  for (let i = 0; i < 30; i += 1) {
    world.time.now += MINUTE;
    await runTick(world, { source });
  }
  const missing = range(1, 200).filter((id) => !deliveredIds(world).includes(id));
  expect(missing).toEqual([]);
});
