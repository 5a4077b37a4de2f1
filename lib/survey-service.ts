import type { DetailRead, SurveyService } from "./polling/ports.ts";
import { BadRequestError, NotFoundError, type SurveyApi } from "./survey-api/index.ts";

/** The service port over the API client: what is not there is an answer, not a failure; and nothing is judged but by polling itself. */
export function toSurveyService(api: Pick<SurveyApi, "elements" | "read" | "response">): SurveyService {
  const detail = async <T>(read: Promise<T>): Promise<DetailRead<T>> => {
    try {
      return { kind: "found", body: await read };
    } catch (error) {
      if (error instanceof NotFoundError && !isAboutToken(error)) return { kind: "absent" };
      throw error;
    }
  };
  return {
    surveys: () => api.elements("get survey list", {}),
    async page(surveyId, page, order) {
      try {
        const operation = "get survey responses, page and order";
        return { kind: "page", records: await api.elements(operation, { surveyId, page, order }) };
      } catch (error) {
        if (isAboutToken(error)) throw error;
        if (error instanceof NotFoundError) return { kind: "none", status: 404 };
        // The client has made sure that the token is good: past the end some services answer so.
        if (error instanceof BadRequestError && page > 1) return { kind: "none", status: 400 };
        throw error;
      }
    },
    response: (surveyId, responseId) => detail(api.response(surveyId, responseId).then(({ records }) => records)),
    metrics: (surveyId, responseId) => detail(api.read("get metric, single response", { surveyId, responseId })),
    metadata: (surveyId, responseId) => detail(api.read("get response metadata", { surveyId, responseId })),
  };
}

/** A token request that is refused says nothing about what was asked for. */
function isAboutToken(error: unknown): boolean {
  return (error as { operation?: unknown } | null)?.operation === "get token";
}
