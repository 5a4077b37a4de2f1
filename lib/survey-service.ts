import { LISTED_FIELDS } from "./polling/due.ts";
import type { DetailRead, SurveyService } from "./polling/ports.ts";
import { BadRequestError, NotFoundError, type Operation, type Priority, type SurveyApi } from "./survey-api/index.ts";

/** What the requests of a port wait behind. */
export interface Priorities {
  pages: Priority;
  details: Priority;
}

/** Of a catch-up: its pages, and what confirms that they are joined rightly, go before details, so that there are always some to ask for. */
export const CATCH_UP: Priorities = { pages: "catch-up-pages", details: "catch-up" };

/** The service port over the API client: what is not there is an answer, not a failure; and nothing is judged but by polling itself. */
export function toSurveyService(
  api: Pick<SurveyApi, "elements" | "read" | "response">,
  { pages, details }: Priorities = { pages: "news", details: "news" },
): SurveyService {
  /** Only an error about what was asked for is an answer: a token request, or a look whether the token is good, says nothing about it. */
  const detail = async <T>(operation: Operation, read: Promise<T>): Promise<DetailRead<T>> => {
    try {
      return { kind: "found", body: await read };
    } catch (error) {
      if (error instanceof NotFoundError && error.operation === operation) return { kind: "absent" };
      throw error;
    }
  };
  const readDetail = (
    operation: "get metric, single response" | "get response metadata",
    surveyId: number,
    responseId: number,
  ) => detail(operation, api.read(operation, { surveyId, responseId }, { priority: details }));

  return {
    surveys: () => api.elements("get survey list", {}, { each: listed }),
    async page(surveyId, page, order) {
      const operation = "get survey responses, page and order";
      try {
        return { kind: "page", records: await api.elements(operation, { surveyId, page, order }, { priority: pages }) };
      } catch (error) {
        if (error instanceof NotFoundError && error.operation === operation) return { kind: "none", status: 404 };
        // The client has made sure that the token is good: past the end some services answer so.
        const isPastEnd = error instanceof BadRequestError && error.operation === operation && page > 1;
        if (isPastEnd) return { kind: "none", status: 400 };
        throw error;
      }
    },
    response: (surveyId, responseId) =>
      detail(
        "get survey response by id",
        api.response(surveyId, responseId, { priority: pages }).then(({ records }) => records),
      ),
    metrics: (surveyId, responseId) => readDetail("get metric, single response", surveyId, responseId),
    metadata: (surveyId, responseId) => readDetail("get response metadata", surveyId, responseId),
  };
}

/** Of a survey in the list what polling reads: the texts of ten thousand of them would be most of the function's memory. */
function listed(survey: unknown): unknown {
  if (typeof survey !== "object" || survey === null) return survey;
  const fields = survey as Record<string, unknown>;
  return Object.fromEntries(LISTED_FIELDS.filter((name) => name in fields).map((name) => [name, fields[name]]));
}
