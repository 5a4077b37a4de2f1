import { hash32 } from "./hashing.ts";
import type { Answer, OperationContext, PageHook } from "./operation-context.ts";
import { asRead, recordAt } from "./record-contents.ts";
import type { ListedRecord } from "./responses.ts";
import type { PathParameters } from "./routes.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

/** Most records of a page: the one limit that the document states. */
const recordsPerPage = 100;

/** Records that a page holds if it is not the last one. */
function sizeOf({ seed }: Survey, page: number, { pageSize }: Settings): number {
  return pageSize === "full" ? recordsPerPage : 40 + (hash32(seed, page, 93) % 61);
}

/** The number of records before a page, and the last page that has any. */
function placeOf(survey: Survey, page: number, settings: Settings): { from: number; last: number } {
  const total = survey.list(settings).total();
  if (settings.pageSize === "full")
    return { from: (page - 1) * recordsPerPage, last: Math.max(1, Math.ceil(total / recordsPerPage)) };
  let from = 0;
  let end = 0;
  let last = 1;
  for (let number = 1; number < page || end < total; number += 1) {
    end += sizeOf(survey, number, settings);
    if (number < page) from = end;
    if (end < total) last = number + 1;
  }
  return { from, last };
}

/** Operations 6 to 8 and the two lists of v2. */
export function readPage(survey: Survey, parameters: PathParameters, context: OperationContext): Answer {
  const { settings, hooks, built } = context;
  const page = Number(parameters.page ?? 1);
  if (!/^\d{1,9}$/.test(parameters.page ?? "1") || page < 1) return { status: 400 };
  const order = parameters.order ?? null;
  if (order !== null && order !== "asc" && order !== "desc") return { status: 400 };

  const nth = (hooks.reads.get(survey.surveyId) ?? 0) + 1;
  hooks.reads.set(survey.surveyId, nth);
  const run = (list: ReadonlySet<PageHook>) => {
    for (const hook of list) hook(survey.surveyId, page, order, nth);
  };
  run(hooks.before);
  const answer = pageAnswer(order ?? settings().defaultOrder);
  run(hooks.after);
  return answer;

  function pageAnswer(direction: "asc" | "desc"): Answer {
    const current = settings();
    const list = survey.list(current);
    const { from, last } = placeOf(survey, page, current);
    let given = page;
    if (from >= list.total() && page > 1) {
      if (isStatus(current.pastEnd)) return { status: Number(current.pastEnd) };
      if (current.pastEnd === "repeatLast") given = last;
      if (current.pastEnd === "repeatFirst") given = 1;
    }
    if (given === 1 && list.total() === 0 && isStatus(current.emptyList)) return { status: Number(current.emptyList) };
    const body = peekPage(survey, given, direction, current).records;
    built(body.length);
    return { status: 200, body: asRead(body, current, nth) };
  }
}

/** A page as it stands now, and the records before and behind it. */
export interface PeekedPage {
  records: ListedRecord[];
  before: ListedRecord | undefined;
  behind: ListedRecord | undefined;
}

/** No request, and seen by nobody. */
export function peekPage(survey: Survey, page: number, order: "asc" | "desc", settings: Settings): PeekedPage {
  const { from } = placeOf(survey, page, settings);
  const count = sizeOf(survey, page, settings);
  const first = Math.max(0, from - 1);
  const places = survey.list(settings).read(first, from - first + count + 1, order, settings.recordOrder[order]);
  const read = Array.from(places, ({ response, slot }) => recordAt(survey, response, slot, settings));
  const before = from === first ? undefined : read.shift();
  return { records: read.slice(0, count), before, behind: read[count] };
}

const isStatus = (setting: string): boolean => Number.isInteger(Number(setting));
