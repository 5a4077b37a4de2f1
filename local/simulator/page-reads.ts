import type { Answer, OperationContext } from "./operations.ts";
import { recordAt } from "./record-contents.ts";
import { asRead } from "./rereads.ts";
import type { PathParameters } from "./routes.ts";
import type { Survey } from "./survey.ts";

/** Called at the `nth` page read of a survey (from 1); `order` is null when the request names none. */
export type PageHook = (surveyId: number, page: number, order: "asc" | "desc" | null, nth: number) => void;

/** Hooks around page reads: what they change is seen by this read (before) or only by the next one (after). */
export interface PageHooks {
  before: Set<PageHook>;
  after: Set<PageHook>;
  reads: Map<number, number>;
}

/** Records a page holds: the one limit that the document states. */
const recordsPerPage = 100;

/** Operations 6 to 8 and the two lists of v2. */
export function readPage(survey: Survey, parameters: PathParameters, context: OperationContext): Answer {
  const { settings, hooks, log } = context;
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
    let from = (page - 1) * recordsPerPage;
    if (from >= list.total() && page > 1) {
      if (isStatus(current.pastEnd)) return { status: Number(current.pastEnd) };
      if (current.pastEnd === "repeatLast")
        from = Math.max(0, Math.ceil(list.total() / recordsPerPage) - 1) * recordsPerPage;
      if (current.pastEnd === "repeatFirst") from = 0;
    }
    const places = list.read(from, recordsPerPage, direction, current.recordOrder[direction]);
    const body = Array.from(places, ({ response, slot }) => recordAt(survey, response, slot, current));
    log.count("records", body.length);
    return { status: 200, body: asRead(body, current, nth) };
  }
}

const isStatus = (pastEnd: string): boolean => Number.isInteger(Number(pastEnd));
