import { type DetailRead, LISTED_FIELDS, type PageRead, type SurveyService } from "../polling/index.ts";
import {
  BadRequestError,
  NotFoundError,
  type Operation,
  type Priority,
  type RetryPolicy,
  type SurveyApi,
  UnreadableBodyError,
} from "../survey-api/index.ts";

/** The order in which the requests of a port wait. */
export type Priorities = Record<"pages" | "details", Priority>;

export const NEWS: Priorities = { pages: "news", details: "news" };

/** Of a backlog: its pages, and what confirms that they are joined rightly, go before details, so that there are always some to ask for. */
export const CATCH_UP: Priorities = { pages: "backlog-pages", details: "backlog" };

const PAGE = "get survey responses, page and order";
const SINGLE = "get survey response by id";
const METRICS = "get metric, single response";
const METADATA = "get response metadata";
const SURVEY = "get survey";

/** What does not come in time is asked for at the next tick, and not at once: the poll would last twice as long. */
export const DETAIL_ATTEMPTS: RetryPolicy["operations"] = {
  [METRICS]: { TIMEOUT: 1 },
  [METADATA]: { TIMEOUT: 1 },
  [SURVEY]: { TIMEOUT: 1 },
};

/** The service port over the API client. What is not there is an answer, not a failure; and nothing is judged but by polling itself. */
export function toSurveyService(
  api: Pick<SurveyApi, "elements" | "entries" | "response" | "survey">,
  { pages, details }: Priorities = NEWS,
  signal?: AbortSignal,
  // What reads definitions, and HTML: loaded by whoever needs it first.
  loadReader = () => import("../events/build/definition.ts"),
): SurveyService {
  const ofPage = { priority: pages, signal };
  const ofDetail = { priority: details, signal };
  return {
    surveys: async () => (await api.elements("get survey list", {}, { signal })).map(listed),
    page: (surveyId, page, order) => pageRead(page, api.elements(PAGE, { surveyId, page, order }, ofPage)),
    response: (surveyId, responseId) =>
      detail(SINGLE, async () => (await api.response(surveyId, responseId, ofPage)).records),
    metrics: (surveyId, responseId) =>
      detail(METRICS, async () => {
        const metrics = await api.entries(METRICS, { surveyId, responseId }, ofDetail);
        return Object.keys(metrics).length === 0 ? undefined : metrics;
      }),
    metadata: (surveyId, responseId) =>
      detail(METADATA, async () => {
        const elements = await api.elements(METADATA, { surveyId, responseId }, ofDetail);
        return elements.find((element) => typeof element === "object" && element !== null);
      }),
    async definition(surveyId) {
      const survey = await api.survey(surveyId, ofDetail);
      const { readDefinition } = await loadReader();
      const definition = readDefinition(survey);
      if (definition !== undefined) return definition;
      throw new UnreadableBodyError("the survey has no questionsById that can be read", {
        operation: SURVEY,
        retryable: true,
        hint: "Ask the service's operator what has become of it.",
      });
    },
  };
}

/**
 * The meaning of a read of a page. Behind the end of a list services answer with an empty page, 204, 404 or 400: all of these are `none`. A
 * 400 for page 1 is a bad request. An error about something else, such as the token or the list of surveys, says nothing about the page.
 */
async function pageRead(page: number, read: Promise<unknown[]>): Promise<PageRead> {
  try {
    const records = await read;
    return records.length === 0 ? { kind: "none" } : { kind: "page", records };
  } catch (error) {
    const isNone = error instanceof NotFoundError || (error instanceof BadRequestError && page > 1);
    if (isNone && error.operation === PAGE) return { kind: "none" };
    throw error;
  }
}

/**
 * The meaning of one read of a response's details: absent where there is nothing, or where the service says so. Only an error about what
 * was asked for is an answer. A token request, or a look whether the token is good, says nothing about it.
 */
async function detail<T>(operation: Operation, read: () => Promise<T | undefined>): Promise<DetailRead<T>> {
  try {
    const body = await read();
    return body === undefined ? { kind: "absent" } : { kind: "found", body };
  } catch (error) {
    if (error instanceof NotFoundError && error.operation === operation) return { kind: "absent" };
    throw error;
  }
}

/** Of a survey in the list what polling reads: the texts of ten thousand of them would be most of the function's memory. */
function listed(survey: unknown): unknown {
  if (typeof survey !== "object" || survey === null) return survey;
  const fields = survey as Record<string, unknown>;
  return Object.fromEntries(LISTED_FIELDS.filter((name) => name in fields).map((name) => [name, fields[name]]));
}
