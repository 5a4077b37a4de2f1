import { mix, randomStream } from "../../test/simulation/engine/random.ts";
import type { SimSurvey } from "../../test/simulation/service/survey-model.ts";
import type { Change } from "./run.ts";
import { complete, createResponse, listOpen, RECORDS } from "./service.ts";
import { DAY, MINUTE, SECOND } from "./source.ts";

/** Distance between two ids, unless said otherwise. */
export const ID_STEP = 10;

export interface HistoryOptions {
  survey: SimSurvey;
  responses: number;
  /** Epoch milliseconds between which they begin, evenly but for chance. */
  from: number;
  to: number;
  /** Share of the responses that are listed as open and never completed. */
  abandoned?: number;
  /** Share of the responses that are listed as open for an hour to twelve before they complete. */
  slow?: number;
  /** Distance between two ids: others find room between them. */
  idStep?: number;
  /** Records of a response, least and most. */
  records?: [least: number, most: number];
  /** Called with each completion. */
  completing?: (responseId: number, at: number) => void;
}

/** The life of one survey: most responses are listed once they complete, two to ten minutes after they were begun. */
export function history(options: HistoryOptions): Change[] {
  const { survey, responses, from, to, abandoned = 0, slow = 0, idStep = ID_STEP, completing } = options;
  const random = randomStream(survey.id, "history");
  const [least, most] = options.records ?? [RECORDS, RECORDS];
  const changes: Change[] = [];
  for (let i = 0; i < responses; i += 1) {
    const startedAt = Math.floor(from + ((to - from) * (i + random.next())) / responses);
    const response = (): ReturnType<typeof createResponse> =>
      createResponse(survey, id, startedAt, least + (mix(id, 3) % (most - least + 1)));
    const id = (i + 1) * idStep;
    const kind = random.next();
    const lasts = random.between(2 * 60, 10 * 60) * SECOND;
    const long = random.between(60, 12 * 60) * MINUTE;
    if (kind < abandoned) {
      changes.push({ time: startedAt, apply: (service) => listOpen(service, response(), startedAt) });
      continue;
    }
    const isSlow = kind < abandoned + slow;
    const at = startedAt + (isSlow ? long : lasts);
    if (isSlow) changes.push({ time: startedAt, apply: (service) => listOpen(service, response(), startedAt) });
    changes.push({
      time: at,
      apply: (service) => complete(service, service.responses.get(id) ?? response(), at, true),
    });
    completing?.(id, at);
  }
  return changes.toSorted((a, b) => a.time - b.time);
}

/** When the virtual clock of every measurement is at its first tick, and the days of history before it. */
export const START = Date.UTC(2026, 2, 10, 12);
export const BEFORE = 26 * DAY;
