import { surveyShown } from "./enrichment.ts";
import type { Answer, OperationContext, PageHook } from "./operation-context.ts";
import { asRead, recordAt } from "./record-contents.ts";
import type { ListedRecord } from "./responses.ts";
import type { PathParameters } from "./routes.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

/** Records a page holds: the one limit that the document states. */
const recordsPerPage = 100;

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
  const answer = pageAnswer(surveyShown(survey, context), order ?? settings().defaultOrder);
  run(hooks.after);
  return answer;

  function pageAnswer(shown: Survey, direction: "asc" | "desc"): Answer {
    const current = settings();
    const list = shown.list(current);
    let from = (page - 1) * recordsPerPage;
    if (from >= list.total() && page > 1) {
      if (isStatus(current.pastEnd)) return { status: Number(current.pastEnd) };
      if (current.pastEnd === "repeatLast")
        from = Math.max(0, Math.ceil(list.total() / recordsPerPage) - 1) * recordsPerPage;
      if (current.pastEnd === "repeatFirst") from = 0;
    }
    if (from === 0 && list.total() === 0 && isStatus(current.emptyList)) return { status: Number(current.emptyList) };
    const body = recordsFrom(shown, from, direction, current);
    built(body.length);
    return { status: 200, body: asRead(body, current, nth) };
  }
}

/** The records of a page as they stand now: no request, and seen by nobody. */
export function peekPage(survey: Survey, page: number, order: "asc" | "desc", settings: Settings): ListedRecord[] {
  return recordsFrom(survey, (page - 1) * recordsPerPage, order, settings);
}

function recordsFrom(survey: Survey, from: number, order: "asc" | "desc", settings: Settings): ListedRecord[] {
  const places = survey.list(settings).read(from, recordsPerPage, order, settings.recordOrder[order]);
  return Array.from(places, ({ response, slot }) => recordAt(survey, response, slot, settings));
}

const isStatus = (setting: string): boolean => Number.isInteger(Number(setting));
