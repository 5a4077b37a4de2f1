import { createRandom } from "../../../../lib/local/simulator/hashing.ts";
import { type SettingsPatch, type Simulator, startSimulator, type Why } from "../../../../lib/local/simulator/index.ts";
import { createShadow } from "../../../../lib/local/simulator/shadow.ts";

const SURVEYS = [7, 8];

interface Day extends AsyncDisposable {
  simulator: Simulator;
  /** What the poller has: all that was there before it began, and what it has found. */
  ids: number[];
  /** What it has lost of what is still listed, and why. */
  lost: Map<number, Why>;
}

/** An hour of a poller with a cursor. */
export async function dayOfCursor(seed: number): Promise<Day> {
  let now = Date.UTC(2026, 2, 10, 8);
  const settings: SettingsPatch = {
    sortKey: seed % 3 === 0 ? "dateStart" : "responseId",
    openListed: seed % 2 === 0,
  };
  const surveys = SURVEYS.map((surveyId) => ({ surveyId, responses: 150, open: 10 }));
  const simulator = await startSimulator({ seed, now: () => now, settings, surveys });
  const random = createRandom(seed);
  const oneOf = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const someoneActs = (surveyId: number): void => {
    now += Math.floor(random() * 3_000);
    if (random() < 0.5) simulator.start(surveyId);
    now += Math.floor(random() * 3_000);
    const open = oneOf(simulator.openIds(surveyId));
    if (open !== undefined && random() < 0.6) simulator.finish(surveyId, open);
    now += Math.floor(random() * 3_000);
    if (random() < 0.3) simulator.complete(surveyId, random() < 0.1 ? 12 : 1);
    const listed = oneOf(simulator.peek(surveyId, 1, "desc").records);
    if (seed % 3 === 1 && listed?.completed === 1 && random() < 0.05)
      simulator.remove(surveyId, Number(listed.responseId));
  };
  let isOver = false;
  const shadow = createShadow(simulator, async () => {
    now += 400;
    if (!isOver && random() < 0.2) for (const surveyId of SURVEYS) someoneActs(surveyId);
  });
  const ids = simulator.truth().map(({ responseId }) => responseId);
  await shadow.poll();
  for (let minute = 0; minute < 60; minute += 1) {
    for (let quarter = 0; quarter < 4; quarter += 1) {
      now += 6_000;
      for (const surveyId of SURVEYS) someoneActs(surveyId);
    }
    await shadow.poll();
    // In the second in which it has looked.
    for (const surveyId of SURVEYS) if (random() < 0.3) simulator.complete(surveyId, 1, { startedAt: now });
  }
  isOver = true;
  // The last ones are found, and then nothing happens any more.
  for (let end = 0; end < 3; end += 1) {
    now += 60_000;
    if (end === 0) for (const surveyId of SURVEYS) simulator.complete(surveyId, 1, { startedAt: now });
    await shadow.poll();
  }
  const lost = new Map<number, Why>();
  for (const { responseId, fate, isDeleted, why } of shadow.followed.values()) {
    if (fate === "found") ids.push(responseId);
    else if (fate === "missed" && !isDeleted) lost.set(responseId, why);
  }
  return { simulator, ids, lost, [Symbol.asyncDispose]: () => simulator.close() };
}
