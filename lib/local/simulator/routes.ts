/** Every operation of the API document (4.1 and 4.2), by the name used in faults, counters and the request log. */
export type Operation =
  | "token"
  | "surveys"
  | "survey"
  | "questions"
  | "reports"
  | "responses"
  | "responses-page"
  | "responses-order"
  | "response"
  | "response-by-crk"
  | "metrics"
  | "report-metrics"
  | "metadata"
  | "v2-surveys"
  | "v2-survey"
  | "v2-questions"
  | "v2-responses"
  | "v2-responses-page"
  | "v2-response"
  | "v2-response-by-crk"
  | "v2-metadata";

/** The placeholders of a path, undecoded. */
export interface PathParameters {
  survey?: string;
  page?: string;
  order?: string;
  response?: string;
  report?: string;
  crk?: string;
}

export interface Route {
  operation: Operation;
  parameters: PathParameters;
}

/**
 * The operation of a request, or undefined where the document has none. Slashes at the end are part of the shape, and
 * no operation has a query. Page and order take any text, since a malformed one is a bad request of a known operation.
 */
export function findRoute(method: string, path: string): Route | undefined {
  for (const [operation, pattern] of patterns) {
    if (method !== (operation === "token" ? "POST" : "GET")) continue;
    const found = pattern.exec(path);
    if (found !== null) return { operation, parameters: { ...found.groups } };
  }
  return undefined;
}

const shapes: Record<Operation, string> = {
  token: "/oauth/token/",
  surveys: "/api/v3/surveys/",
  survey: "/api/v3/surveys/{survey}/",
  questions: "/api/v3/surveys/{survey}/questions/",
  reports: "/api/v3/surveys/{survey}/reports/",
  responses: "/api/v3/surveys/{survey}/responses/",
  "responses-page": "/api/v3/surveys/{survey}/responses/page/{page}/",
  "responses-order": "/api/v3/surveys/{survey}/responses/page/{page}/order/{order}/",
  response: "/api/v3/surveys/{survey}/responses/{response}/",
  "response-by-crk": "/api/v3/surveys/{survey}/responses/crk/{crk}/",
  metrics: "/api/v3/surveys/{survey}/responses/{response}/metrics/",
  "report-metrics": "/api/v3/surveys/{survey}/reports/{report}/metrics/",
  metadata: "/api/v3/surveys/{survey}/responses/{response}/metadata/",
  "v2-surveys": "/api/v2/surveys/",
  "v2-survey": "/api/v2/surveys/{survey}/",
  "v2-questions": "/api/v2/surveys/{survey}/questions/",
  "v2-responses": "/api/v2/surveys/{survey}/responses",
  "v2-responses-page": "/api/v2/surveys/{survey}/page/{page}/responses",
  "v2-response": "/api/v2/surveys/{survey}/responses/{response}",
  "v2-response-by-crk": "/api/v2/surveys/{survey}/crk/{crk}",
  "v2-metadata": "/api/v2/surveys/{survey}/responses/{response}/metadata/",
};

const values: Record<string, string> = {
  survey: "\\d{1,15}",
  response: "\\d{1,15}",
  report: "\\d{1,15}",
  page: "[^/?]+",
  order: "[^/?]+",
  crk: "[^/?]+",
};

const patterns = Object.entries(shapes).map(([operation, shape]): [Operation, RegExp] => [
  operation as Operation,
  new RegExp(`^${shape.replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${values[name]})`)}$`),
]);
