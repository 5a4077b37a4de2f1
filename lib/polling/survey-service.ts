import { errorCode } from "../errors.ts";
import type { DetailRead, SurveyService } from "./ports.ts";

/** The part of the survey API client that polling uses; it throws errors with the codes NOT_FOUND and BAD_REQUEST. */
export interface SurveyReads {
  surveys(): Promise<unknown[]>;
  responsePage(surveyId: number, page: number, order: "asc" | "desc"): Promise<unknown[]>;
  response(surveyId: number, responseId: number): Promise<unknown>;
  metrics(surveyId: number, responseId: number): Promise<unknown>;
  metadata(surveyId: number, responseId: number): Promise<unknown>;
}

/** The code of an error about what was asked for; a token request that is refused says nothing about that. */
function refusal(error: unknown): string | undefined {
  const isAboutToken = (error as { operation?: unknown } | null)?.operation === "get token";
  return isAboutToken ? undefined : errorCode(error);
}

/** The service port over the API client: what is not there is an answer, not a failure. */
export function toSurveyService(api: SurveyReads): SurveyService {
  const detail = async (read: Promise<unknown>): Promise<DetailRead> => {
    try {
      return { kind: "found", body: await read };
    } catch (error) {
      if (refusal(error) === "NOT_FOUND") return { kind: "absent" };
      throw error;
    }
  };
  return {
    surveys: () => api.surveys(),
    async page(surveyId, page, order) {
      try {
        return { kind: "page", records: await api.responsePage(surveyId, page, order) };
      } catch (error) {
        const code = refusal(error);
        if (code === "NOT_FOUND") return { kind: "none", status: 404 };
        // The client has made sure that the token is good: past the end some services answer so.
        if (code === "BAD_REQUEST" && page > 1) return { kind: "none", status: 400 };
        throw error;
      }
    },
    response: (surveyId, responseId) => detail(api.response(surveyId, responseId)),
    metrics: (surveyId, responseId) => detail(api.metrics(surveyId, responseId)),
    metadata: (surveyId, responseId) => detail(api.metadata(surveyId, responseId)),
  };
}
