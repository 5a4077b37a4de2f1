import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, truthOf } from "../../support/slow.ts";
import {
  arrive,
  at,
  HOUR,
  MINUTE,
  range,
  recordsOf,
  runTick,
  SECOND,
  surveyOf,
  worldWith,
} from "../../support/survey.ts";

/** In no order of completion: the newest stands first. */
const complete = (ids: number[]) =>
  ids.map((responseId) => ({ responseId, completed: at(-responseId * SECOND), size: 3 }));

/** Past the end of its list the service gives the first page again. */
function beginsAgain(world: MemoryWorld, { operation9 = true } = {}): void {
  const { service } = world.ports;
  const pages = (): number => Math.max(1, Math.ceil(surveyOf(world).records.length / 100));
  world.ports.service = {
    surveys: () => service.surveys(),
    metrics: (surveyId, responseId) => service.metrics(surveyId, responseId),
    metadata: (surveyId, responseId) => service.metadata(surveyId, responseId),
    definition: (...asked) => service.definition(...asked),
    response: async (surveyId, responseId) =>
      operation9 ? service.response(surveyId, responseId) : { kind: "absent" },
    page: (surveyId, page, order) => service.page(surveyId, page <= pages() ? page : 1, order),
  };
}

/** Full passes follow each other, each in slices of one request. */
async function ticks(world: MemoryWorld, count: number, each?: (tick: number) => Promise<void> | void): Promise<void> {
  for (const tick of range(1, count)) {
    await runTick(world, { source: { patrol: { every: HOUR, full: 2 * HOUR } } });
    world.time.now += 10 * MINUTE;
    await each?.(tick);
  }
}

/** Events by response, revision and number of answers. */
const eventsOf = (world: MemoryWorld): string[] =>
  world.delivered.map(({ data, meta }) => `${data.responseId} ${meta.revision} ${data.answers.length}`).sort();
const onceEach = (ids: number[], size: number): string[] => ids.map((id) => `${id} 1 ${size}`).sort();

describe.each([
  { operation9: true, as: "works" },
  { operation9: false, as: "says nothing" },
])("a service that begins again behind the end of the list, while operation 9 $as", ({ operation9 }) => {
  it.each([
    { responses: 120, of: "ends with a short page" },
    { responses: 100, of: "ends with a full page" },
  ])("doubles nothing of a quiet list that $of, and its books are closed", async ({ responses }) => {
    const world = worldWith(complete(range(1, responses)));
    beginsAgain(world, { operation9 });
    await ticks(world, 200);
    expect(eventsOf(world)).toEqual(onceEach(range(1, responses), 3));
    expect(closedBooks(world)).toMatchObject({ ...truthOf(world), repaired: 0 });
  });

  it("doubles nothing of a list in no order of completion whose first page changes", async () => {
    const world = worldWith(complete(range(1, 120)));
    beginsAgain(world, { operation9 });
    const survey = surveyOf(world);
    await ticks(world, 200, (tick) => {
      if (tick < 15 || tick > 40) return;
      survey.records.splice(
        30,
        0,
        ...recordsOf({ responseId: 200 + tick, completed: at(tick * 10 * MINUTE), size: 3 }),
      );
      survey.counts.responses = Number(survey.counts.responses) + 1;
    });
    expect(eventsOf(world)).toEqual(onceEach([...range(1, 120), ...range(215, 240)], 3));
    expect(closedBooks(world)).toMatchObject({ listed: 146, repaired: 0 });
  });
});

it("one response that is the whole list has no record twice where the service begins again behind its end", async () => {
  const world = worldWith([]);
  beginsAgain(world);
  await ticks(world, 1);
  arrive(world, { responseId: 1, completed: at(0), size: 150 });
  await ticks(world, 5);
  expect(eventsOf(world)).toEqual(["1 1 150"]);
});
