/** The operations of the API document that are called here, with their numbers in its section 4.1. */
export const operationNumbers = {
  "get token": 1,
  "get survey list": 2,
  "get survey responses": 8,
  "get survey response": 9,
  "get metrics": 11,
  "get metadata": 13,
} as const;

export type Operation = keyof typeof operationNumbers;
export type Order = "asc" | "desc";

/** Paths exactly as documented: the trailing slash is part of them. */
export const paths = {
  token: "/oauth/token/",
  surveys: "/api/v3/surveys/",
  responses: (surveyId: number, page: number, order: Order) =>
    `/api/v3/surveys/${surveyId}/responses/page/${page}/order/${order}/`,
  response: (surveyId: number, responseId: number) => `/api/v3/surveys/${surveyId}/responses/${responseId}/`,
  metrics: (surveyId: number, responseId: number) => `/api/v3/surveys/${surveyId}/responses/${responseId}/metrics/`,
  metadata: (surveyId: number, responseId: number) => `/api/v3/surveys/${surveyId}/responses/${responseId}/metadata/`,
};
