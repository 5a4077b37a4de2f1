import { readId } from "../events/build/fields.ts";
import type { Clock, SurveyService } from "../polling/index.ts";
import type { Reading, Stories } from "./story.ts";

/** The service of a run, of which stories note where responses are listed, and how long their details take. */
export interface WatchedService {
  of(service: SurveyService): SurveyService;
}

/** Requests are counted over all services of the run that it is called for. */
export function watchService(clock: Pick<Clock, "now">, stories: Stories): WatchedService {
  let requests = 0;
  const timed = async <T>(
    [surveyId, responseId]: [number, number],
    kind: "metrics" | "metadata",
    read: () => Promise<T>,
  ): Promise<T> => {
    requests += 1;
    const begun = clock.now();
    try {
      return await read();
    } finally {
      stories.of(surveyId, responseId)[kind] = clock.now() - begun;
    }
  };
  const counted = <T>(read: () => Promise<T>): Promise<T> => {
    requests += 1;
    return read();
  };
  return {
    of: (service) => ({
      surveys: () => counted(() => service.surveys()),
      async page(surveyId, page, order) {
        requests += 1;
        const request = requests;
        const read = await service.page(surveyId, page, order);
        if (read.kind === "page")
          noteListed(stories, surveyId, read.records, { page, order, at: clock.now(), request });
        return read;
      },
      response: (surveyId, responseId) => counted(() => service.response(surveyId, responseId)),
      metrics: (...of) => timed(of, "metrics", () => service.metrics(...of)),
      metadata: (...of) => timed(of, "metadata", () => service.metadata(...of)),
      definition: (surveyId, modified) => counted(() => service.definition(surveyId, modified)),
    }),
  };
}

function noteListed(stories: Stories, surveyId: number, records: readonly unknown[], reading: Reading): void {
  let last: unknown;
  for (const record of records) {
    const id: unknown = typeof record === "object" && record !== null ? Reflect.get(record, "responseId") : undefined;
    // The records of a response stand together, as a rule.
    if (id === last) continue;
    last = id;
    const responseId = readId(id);
    if (responseId !== undefined) stories.of(surveyId, responseId).listed = reading;
  }
}
