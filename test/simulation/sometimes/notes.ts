import type { Delivery } from "../oracle/deliveries.ts";
import type { Duty } from "../oracle/rest.ts";
import type { OddRecord } from "../service/odd-records.ts";
import { isTie, tiesResponses } from "../service/rereads.ts";
import type { CutPage, SimResponse, SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { RareState } from "./registry.ts";

/** One read of a page; `page` is undefined behind the end of the list. */
interface PageRead {
  survey: SimSurvey;
  number: number;
  page: CutPage | undefined;
}

const UNDATED: ReadonlySet<OddRecord> = new Set(["date-null", "date-empty", "date-zeros", "date-future"]);

const ends: Record<SimSurvey["traits"]["pastEnd"], RareState> = {
  empty: "end: an empty page",
  "no-content": "end: 204",
  "not-found": "end: 404",
  "bad-request": "end: 400",
  repeat: "end: a page comes again",
  fault: "end: a page fails",
};

/** Notes the rare states that a page shows. */
export function notePage({ sometimes }: World, { survey, number, page }: PageRead): void {
  if (number > 1 && (page === undefined || page.isAgain)) sometimes(ends[survey.traits.pastEnd]);
  const [first, last] = [page?.records[0], page?.records.at(-1)];
  if (page === undefined || first === undefined || last === undefined) return;
  const { before, behind, records } = page;
  const { ties, sortKey, layout } = survey.traits;
  const isWhole = records.every(({ responseId }) => responseId === first.responseId);
  if (isWhole && before?.responseId === first.responseId && behind?.responseId === first.responseId)
    sometimes("a response fills a page and goes on");
  if (behind === undefined || behind.responseId === last.responseId || layout !== "contiguous") return;
  if (tiesResponses(ties) && isTie(last, behind, sortKey)) sometimes("ties across an edge");
}

/** Notes the rare states that what has become of each response shows, at the end of a history. */
export function noteResponses(
  world: World,
  { deliveriesOf, dutyNow }: { deliveriesOf(id: number): readonly Delivery[]; dutyNow(response: SimResponse): Duty },
): void {
  for (const response of world.responses.values()) {
    if (response.completedAt === undefined || dutyNow(response) !== "must") continue;
    noteResponse(world, response, deliveriesOf(response.id)[0]?.at);
  }
}

function noteResponse({ sometimes }: World, response: SimResponse, emittedAt: number | undefined): void {
  const { completedAt = 0, removedAt, noticed, versions, odd } = response;
  if (removedAt !== undefined && (emittedAt ?? Infinity) > removedAt) sometimes("deleted before it was emitted");
  if (emittedAt === undefined) return;
  if (removedAt !== undefined && removedAt < emittedAt) sometimes("emitted when it was gone");
  if (noticed?.atHead === false && noticed.listedOpenSince === undefined) sometimes("late completion below the head");
  if (odd !== undefined && UNDATED.has(odd)) sometimes("no credible date, and emitted");
  if (versions.some(({ from }) => from > completedAt && from < emittedAt)) sometimes("changed before it was emitted");
  const [first, last] = [versions.find(({ state }) => state === "completed"), versions.at(-1)];
  if (first !== undefined && last !== undefined && last.from > emittedAt && last.records.length > first.records.length)
    sometimes("grown after its event");
}
