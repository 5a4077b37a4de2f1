import { sortKeyOf } from "../../test/simulation/service/listing.ts";
import type { SimResponse, SimSurvey } from "../../test/simulation/service/survey-model.ts";
import { ID_STEP } from "./history.ts";
import { createResponse, RECORDS, UTC } from "./service.ts";
import { MINUTE, SECOND } from "./source.ts";

const PAGE = 100;
/** Ids that no history uses. */
const FREE_IDS = 5_000_000;

/**
 * A response that is in no list yet, and whose place is in the middle of this desc page; where the key is its id or
 * its start it has been under way since the time that this place stands for, else for ten minutes.
 */
export function placedOn(survey: SimSurvey, page: number, now: number): SimResponse {
  const { sortKey } = survey.traits;
  const newest = Math.max(...survey.listed.map(({ id }) => id).filter((id) => id < FREE_IDS));
  const begun = Math.floor((now - 10 * MINUTE) / SECOND) * SECOND;
  if (page === 1 && sortKey !== "hash") return createResponse(survey, newest + ID_STEP / 2, begun);
  const fromEnd = ((page - 1) * PAGE + PAGE / 2) / RECORDS;
  const neighbour = survey.listed.at(-fromEnd);
  if (neighbour === undefined) throw new RangeError(`the list has no page ${page}`);
  if (sortKey !== "hash") return createResponse(survey, neighbour.id + ID_STEP / 2, neighbour.startedAt + SECOND);
  const above = survey.listed.at(-Math.max(1, fromEnd - 5));
  const below = survey.listed.at(-fromEnd - 5);
  const most = page === 1 ? Number.POSITIVE_INFINITY : (above?.sortKey ?? 0);
  for (let id = FREE_IDS; ; id += 1) {
    const response = createResponse(survey, id, begun);
    const place = sortKeyOf(response, UTC);
    if (place < most && place > (below?.sortKey ?? 0)) return response;
  }
}
