import type { Simulator } from "../../local/simulator/index.ts";

/** A free response id on a page of the list, or on one behind it; with it, when such a response has begun. */
export interface Place {
  page: number;
  responseId: number;
  /** Epoch milliseconds. */
  startedAt: number;
}

/** @throws Error when there is no such page, or no free id on any */
export function freeIdOnPage(simulator: Simulator, surveyId: number, from: number): Place {
  const all = simulator.surveyIds();
  const isTaken = (id: number): boolean =>
    all.some((survey) => simulator.truthOf(survey, id) !== undefined || simulator.openIds(survey).includes(id));
  for (let page = from; ; page += 1) {
    const records = simulator.peek(surveyId, page, "desc");
    if (records.length === 0) throw new Error(`no id is free on page ${from} of survey ${surveyId} or behind it`);
    // Its first and last responses may stand on two pages.
    for (const { responseId, dateStart } of records.slice(20, -20)) {
      const id = Number(responseId) - 1;
      if (isTaken(id)) continue;
      return { page, responseId: id, startedAt: Date.parse(`${dateStart}Z`) };
    }
  }
}
