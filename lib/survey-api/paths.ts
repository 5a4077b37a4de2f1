export type Order = "asc" | "desc";

type OfSurvey = { surveyId: number };
/** `page` counts from 1. */
type OfPage = OfSurvey & { page: number };
type OfResponse = OfSurvey & { responseId: number };
type OfCrk = OfSurvey & { crk: string };

const v3 = ({ surveyId }: OfSurvey): string => `/api/v3/surveys/${integer("surveyId", surveyId)}`;
const v2 = ({ surveyId }: OfSurvey): string => `/api/v2/surveys/${integer("surveyId", surveyId)}`;
const pageOf = ({ page }: OfPage): string => String(integer("page", page));
const responseOf = ({ responseId }: OfResponse): string => String(integer("responseId", responseId));

/**
 * The path of every operation of the API document, by its name there: in the order of section 4.1, then of 4.2. A slash at the end, or its
 * absence, is part of the path. "Get report" is listed in the document without a path, and so not here.
 */
export const operations = {
  "get token": () => "/oauth/token/",
  "get survey list": () => "/api/v3/surveys/",
  "get survey": (of: OfSurvey) => `${v3(of)}/`,
  "get survey questions": (of: OfSurvey) => `${v3(of)}/questions/`,
  "get reports list": (of: OfSurvey) => `${v3(of)}/reports/`,
  "get survey responses": (of: OfSurvey) => `${v3(of)}/responses/`,
  "get survey responses, page": (of: OfPage) => `${v3(of)}/responses/page/${pageOf(of)}/`,
  "get survey responses, page and order": (of: OfPage & { order: Order }) =>
    `${v3(of)}/responses/page/${pageOf(of)}/order/${orderOf(of.order)}/`,
  "get survey response by id": (of: OfResponse) => `${v3(of)}/responses/${responseOf(of)}/`,
  "get survey response by crk": (of: OfCrk) => `${v3(of)}/responses/crk/${segment(of.crk)}/`,
  "get metric, single response": (of: OfResponse) => `${v3(of)}/responses/${responseOf(of)}/metrics/`,
  "get metric, report": (of: OfSurvey & { reportId: number }) =>
    `${v3(of)}/reports/${integer("reportId", of.reportId)}/metrics/`,
  "get response metadata": (of: OfResponse) => `${v3(of)}/responses/${responseOf(of)}/metadata/`,
  "v2 survey list": () => "/api/v2/surveys/",
  "v2 survey": (of: OfSurvey) => `${v2(of)}/`,
  "v2 questions": (of: OfSurvey) => `${v2(of)}/questions/`,
  "v2 responses": (of: OfSurvey) => `${v2(of)}/responses`,
  "v2 responses, page": (of: OfPage) => `${v2(of)}/page/${pageOf(of)}/responses`,
  "v2 response by id": (of: OfResponse) => `${v2(of)}/responses/${responseOf(of)}`,
  "v2 response by crk": (of: OfCrk) => `${v2(of)}/crk/${segment(of.crk)}`,
  "v2 response metadata": (of: OfResponse) => `${v2(of)}/responses/${responseOf(of)}/metadata/`,
  /** Anything that the document does not show. */
  request: (of: { path: string }) => asWritten(of.path),
} as const;

export type Operation = keyof typeof operations;
/** Every operation that is a GET with a token: all but the token request. */
export type DataOperation = Exclude<Operation, "get token">;
/** The parameters of the path of an operation. */
export type ParametersOf<O extends Operation> = Parameters<(typeof operations)[O]>[0] extends infer P
  ? P extends object
    ? P
    : Record<never, never>
  : never;

/** The path of an operation. Throws a RangeError for parameters that no such path can hold. */
export function pathOf<O extends Operation>(operation: O, parameters: ParametersOf<O>): string {
  return (operations[operation] as (of: ParametersOf<O>) => string)(parameters);
}

function integer(name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number, 0 or more`);
  return value;
}

function orderOf(order: Order): Order {
  if (order !== "asc" && order !== "desc") throw new RangeError('order must be "asc" or "desc"');
  return order;
}

/** A path segment of any text; none may be empty, or stand for the folder itself or the one above it. */
function segment(crk: string): string {
  if (typeof crk !== "string" || ["", ".", ".."].includes(crk) || !crk.isWellFormed()) {
    throw new RangeError('crk must be a well-formed text, not empty and not "." or ".."');
  }
  return encodeURIComponent(crk);
}

/** A path, with its query, that a URL parser takes as it is written, and for nothing outside of the service. */
function asWritten(path: string): string {
  const url =
    path.startsWith("/") && URL.canParse(path, "http://service") ? new URL(path, "http://service") : undefined;
  if (url?.host !== "service" || url.pathname + url.search !== path) {
    throw new RangeError('path must begin with "/" and be written as in a URL, such as /api/v4/surveys/?page=2');
  }
  return path;
}
