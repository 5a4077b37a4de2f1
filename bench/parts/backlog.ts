import { BEFORE, history, START } from "../polling/history.ts";
import { advance, createRun, requestsBetween } from "../polling/run.ts";
import { complete, createResponse, createSurvey } from "../polling/service.ts";
import { DAY, defaultSource, MINUTE } from "../polling/source.ts";
import { atMost, type Findings } from "../support/row.ts";

// What 401 responses cost that come at once on top of 200,000 settled ones, on a virtual clock.

const SETTLED = 200_000;
const NEWS = 401;

export async function run(): Promise<Findings> {
  const survey = createSurvey(1);
  const changes = history({ survey, responses: SETTLED, from: START - BEFORE, to: START - DAY });
  const run = createRun(
    defaultSource({ startFrom: "beginning" }),
    { surveys: new Map([[1, survey]]), responses: new Map() },
    START,
    changes,
  );
  await advance(run, START + 10 * DAY, () => run.delivered.size === SETTLED);
  await advance(run, run.now + DAY);
  const from = run.now;
  run.coming.push({
    time: from,
    apply: (service) => {
      for (let i = 1; i <= NEWS; i += 1) {
        complete(service, createResponse(survey, 10 * (SETTLED + i), from - 5 * MINUTE), from, true);
      }
    },
  });
  await advance(run, from + DAY, () => run.delivered.size === SETTLED + NEWS);
  // The last tick counts up to the last of them: the background work that news earn comes behind it.
  const last = [...run.delivered.values()].flat().filter(({ time }) => time >= from);
  const lastTick = Math.max(...last.map(({ time }) => time));
  const inLastTick = Math.max(...last.filter(({ time }) => time === lastTick).map(({ requests }) => requests));
  const requests = requestsBetween(run, from, lastTick) + inLastTick;
  return { rows: [atMost("requests for 401 new responses on top of 200,000", requests, 1_000, 0)] };
}
