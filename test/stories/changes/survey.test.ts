import { describe, expect, it } from "vitest";
import { type SurveyChanged, surveyChanged } from "../../../lib/events/index.ts";
import type { PollingSource, SealedEvent } from "../../../lib/polling/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  addSurvey,
  at,
  HOUR,
  MINUTE,
  noon,
  range,
  runTick,
  SECOND,
  sourceDefaults,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

const source: Partial<PollingSource> = { events: new Set([...sourceDefaults.events, "survey.changed"]) };
const facts = { name: "After a visit", modified: "2026-03-01 10:00:00", languageId: 23 };
const edited = { ...facts, modified: "2026-03-10 11:30:00" };

/** What subscribers were told of surveys, in that order. */
const changesOf = (world: MemoryWorld): SurveyChanged[] =>
  world.told.flatMap(({ type, detail }) => (type === "survey.changed" ? [surveyChanged.parse(detail)] : []));

async function ticks(world: MemoryWorld, count: number, wanted = source): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) {
    world.time.now += MINUTE;
    await runTick(world, { source: wanted });
  }
}

/** A survey that was polled, and is idle; the list can leave it out. */
async function worldOfOne(wanted = source): Promise<MemoryWorld & { hide: (isHidden: boolean) => void }> {
  const world = worldWith(range(1, 5).map((responseId) => ({ responseId, completed: at(-HOUR) })));
  surveyOf(world).facts = facts;
  addSurvey(world, 2, []);
  await ticks(world, 2, wanted);
  const { service } = world.ports;
  const { surveys } = service;
  let isHidden = false;
  service.surveys = async () =>
    (await surveys()).filter((survey) => !isHidden || (survey as { surveyId: number }).surveyId !== 1);
  world.calls.length = 0;
  const hide = (hidden: boolean): void => {
    isHidden = hidden;
  };
  return { ...world, hide };
}

const requestsFor = (world: MemoryWorld): number =>
  world.calls.filter(({ port, operation, args }) => port === "service" && operation !== "surveys" && args[0] === 1)
    .length;

// R20
describe("a survey that the list shows otherwise", () => {
  it("is told once two lists say the same, with no request for it", async () => {
    const world = await worldOfOne();
    surveyOf(world).facts = edited;
    await ticks(world, 1);
    expect(changesOf(world)).toEqual([]);
    await ticks(world, 1);
    const [{ meta, data } = {} as SurveyChanged] = changesOf(world);
    expect(meta).toMatchObject({ sequence: 1, sourceName: "main" });
    expect(data).toEqual({ surveyId: 1, before: facts, after: edited });
    await ticks(world, 5);
    expect(changesOf(world)).toHaveLength(1);
    expect(requestsFor(world)).toBe(0);
  });

  it("is not told where the next list shows it as before", async () => {
    const world = await worldOfOne();
    surveyOf(world).facts = edited;
    await ticks(world, 1);
    surveyOf(world).facts = facts;
    await ticks(world, 3);
    expect(changesOf(world)).toEqual([]);
  });

  it("is told as gone, and as there again, in a chain in which each begins where the one before has ended", async () => {
    const world = await worldOfOne();
    world.hide(true);
    await ticks(world, 3);
    world.hide(false);
    surveyOf(world).facts = edited;
    await ticks(world, 3);
    expect(changesOf(world).map(({ meta, data }) => [meta.sequence, data.before, data.after])).toEqual([
      [1, facts, null],
      [2, null, edited],
    ]);
  });

  it("is told as new where it was created after the first tick, and not where it was there before", async () => {
    const world = await worldOfOne();
    addSurvey(world, 3, [], { created: (world.time.now + SECOND) / SECOND, facts });
    addSurvey(world, 4, [], { created: noon / SECOND - 7 * 24 * 3_600, facts });
    await ticks(world, 3);
    expect(changesOf(world).map(({ data }) => data)).toEqual([{ surveyId: 3, before: null, after: facts }]);
  });

  it("is told by a later tick where the bus did not take it: under the same id, with the same contents", async () => {
    const world = await worldOfOne();
    const fault = { on: true };
    world.after.push(({ operation, args }) => {
      const isChange = operation === "publish" && (args[0] as SealedEvent[])[0]?.type === "survey.changed";
      if (fault.on && isChange) throw new Error("no answer");
    });
    surveyOf(world).facts = edited;
    await ticks(world, 2);
    const first = changesOf(world)[0];
    surveyOf(world).facts = { ...edited, name: "After the visit" };
    fault.on = false;
    await ticks(world, 3);
    const told = changesOf(world);
    for (const change of told.filter(({ meta }) => meta.sequence === 1)) expect(change).toEqual(first);
    expect(told.at(-1)?.meta.sequence).toBe(2);
    expect(told.at(-1)?.data).toMatchObject({ before: edited, after: { name: "After the visit" } });
  });
});
