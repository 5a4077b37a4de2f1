/** Every operation of the API document (4.1 and 4.2), by the name used in faults, counters and the request log. */
const shapes = {
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

/** The placeholders of a path. Page and order take any text, since a malformed one is a bad request of a known operation. */
const values = {
  survey: "\\d{1,15}",
  response: "\\d{1,15}",
  report: "\\d{1,15}",
  page: "[^/?]+",
  order: "[^/?]+",
  crk: "[^/?]+",
};

export type Operation = keyof typeof shapes;

export interface Route {
  operation: Operation;
  /** Undecoded. */
  parameters: PathParameters;
}

export type PathParameters = Partial<Record<keyof typeof values, string>>;

const patterns = Object.entries(shapes).map(([operation, shape]): [Operation, RegExp] => [
  operation as Operation,
  new RegExp(`^${shape.replace(/\{(\w+)\}/g, (_, name: keyof typeof values) => `(?<${name}>${values[name]})`)}$`),
]);

/**
 * The operation of a request, or undefined where the document has none. Slashes at the end are part of the shape, and
 * no operation has a query.
 */
export function findRoute(method: string, path: string): Route | undefined {
  for (const [operation, pattern] of patterns) {
    if (method !== (operation === "token" ? "POST" : "GET")) continue;
    const found = pattern.exec(path);
    if (found !== null) return { operation, parameters: { ...found.groups } };
  }
  return undefined;
}
