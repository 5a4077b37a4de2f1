import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createRandom } from "../../lib/local/simulator/hashing.ts";
import { readEvents } from "../support/command.ts";
import { busyLife } from "./support/busy-life.ts";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { expectBooks } from "./support/expect-books.ts";
import { expectSameContents } from "./support/expect-same-contents.ts";
import { type PolledService, polledService } from "./support/polled-service.ts";
import { type KillMoment, scripted } from "./support/script.ts";
import { type Chance, chanceOf, seed } from "./support/seeded.ts";

/** A page that is on its way when the signal comes from outside; the others are exact to the request. */
type Moment = KillMoment | { of: "page"; nth: number };

const KILLS = 24;
const surveys = [
  { surveyId: 1, responses: 420, open: 12 },
  { surveyId: 2, responses: 150, open: 6 },
  { surveyId: 3, responses: 40 },
  { surveyId: 4 },
];
const flags = { "start-from": "beginning", interval: "20ms" };

test(`${KILLS} kills over one history, while responses arrive and late ones complete, lose nothing`, {
  timeout: 600_000,
}, async () => {
  const chance = chanceOf(createRandom(seed));
  const service = await polledService({
    seed,
    surveys,
    settings: { sortKey: "dateCompleted", openListed: true, openDateCompleted: "dateStart" },
  });
  const { simulator, folder } = service;
  for (const identical of [true, false]) simulator.complete(1, 30, { repeat: { copies: 1, identical } });
  const life = busyLife(simulator, chance);
  const file = `${folder}/events.jsonl`;
  const replay = `replay with WIRE_SEED=${seed}`;

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const moment = draw(chance);
    await killAt(service, moment, `${replay}, kill ${kill} of ${KILLS} at ${JSON.stringify(moment)}`);
  }
  // The last kill may have come when all was published: these make sure that there is more to do after it.
  const before = readFileSync(file, "utf8").split("\n").length - 1;
  expect(before, replay).toBeGreaterThan(100);
  life.end();
  for (const surveyId of simulator.surveyIds()) simulator.complete(surveyId);
  const atLast = await service.poll({ ...flags, ticks: "2" }, { limit: 120_000 });

  const { events } = atLast;
  expect(events.length, replay).toBeGreaterThan(before);
  const truth = simulator.truth();
  expect(truth.length, replay).toBeGreaterThan(700);
  expect(compareWithTruth(events, truth, { repeats: 10 * KILLS }), replay).toEqual([]);
  expectSameContents(events, replay);

  await expectBooks(service, flags, replay);
  expect(readEvents(file), replay).toEqual(events);
});

function draw(chance: Chance): Moment {
  const phase = chance.pick(["arrived", "answered"] as const);
  return chance.pick<() => Moment>([
    () => ({ of: "page", nth: chance.whole(1, 20) }),
    () => ({ of: "service", nth: chance.whole(1, 150), phase: "answered" }),
    () => ({ of: "table-write", nth: chance.whole(1, 40), phase }),
    () => ({ of: "bus", nth: chance.whole(1, 12), phase }),
  ])();
}

/** Lets a command run until the moment has come, however many ticks it takes, and no line further. */
async function killAt(service: PolledService, moment: Moment, what: string): Promise<void> {
  const env = moment.of === "page" ? {} : scripted({ kill: moment });
  const command = service.start({ ...flags, ticks: undefined }, { limit: 60_000, env });
  let reads = 0;
  const stop = service.simulator.onPageRead(() => {
    reads += 1;
    if (moment.of === "page" && reads === moment.nth) command.kill("SIGKILL");
  });
  try {
    const { code, stderr } = await command.done;
    expect({ code, stderr }, what).toEqual({ code: null, stderr: "" });
  } catch (error) {
    throw new Error(what, { cause: error });
  } finally {
    stop();
  }
}
