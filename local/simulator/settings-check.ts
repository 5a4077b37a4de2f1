import { validateHeaderValue } from "node:http";
import { checkZone } from "./dates.ts";
import { maxRecords, recordRange, type Settings } from "./settings.ts";

/** The values of the settings that are a choice. */
const choices = {
  crk: ["none", "some", "all"],
  sortKey: ["responseId", "dateStart", "dateCompleted", "hash"],
  layout: ["contiguous", "interleaved", "scattered"],
  openDateCompleted: [null, "", "0000-00-00 00:00:00", "dateStart"],
  rereads: ["same", "readAt", "fieldOrder"],
  defaultOrder: ["asc", "desc"],
  pastEnd: ["empty", "204", "404", "400", "500", "repeatLast", "repeatFirst"],
  emptyList: ["array", "204", "404"],
  recordSurveyId: ["present", "missing"],
  tokenBody: [
    "raw",
    "jsonString",
    "token",
    "access_token",
    "accessToken",
    "array",
    "nested",
    "response",
    "scheme",
    "form",
  ],
  answersFrom: [0, 1],
  singleResponseBody: [
    "records",
    "firstRecord",
    "arrayWithAnswers",
    "objectWithAnswers",
    "wrapped",
    "answersByQuestion",
  ],
  reportsBody: ["array", "wrapped"],
  v2Body: ["same", "wrapped"],
  errorBody: ["json", "text", "empty", "html"],
  metrics: ["present", "absent", "empty", "emptyObject", "perSurvey", "errorBody", "noContent"],
  metadata: ["present", "absent", "empty", "errorBody", "noContent"],
  metricKey: ["metricId", "position"],
  metricContainer: ["map", "list"],
  metadataList: ["one", "several", "anonymous"],
  compress: [false, true, "gzip", "br", "deflate", "zstd"],
  bodyPrefix: ["none", "bom", "twoBoms", "lineThenBom"],
} as const satisfies { [Name in keyof Settings]?: readonly Settings[Name][] };

const shares = ["metadataMixups", "pageMixups"] as const satisfies (keyof Settings)[];

/** Throws a RangeError for settings that are impossible. */
export function checkSettings(settings: Settings): void {
  for (const [name, value] of Object.entries(settings)) {
    const allowed: readonly unknown[] | undefined = Object.entries(choices).find(([choice]) => choice === name)?.[1];
    if (allowed !== undefined && !allowed.includes(value))
      throw new RangeError(`${name} must be one of ${allowed.map((choice) => JSON.stringify(choice)).join(", ")}`);
  }
  for (const name of shares) {
    const share = settings[name];
    if (typeof share !== "number" || !(share >= 0 && share <= 1))
      throw new RangeError(`${name} must be a number from 0 to 1`);
  }
  checkZone(settings.zone);
  checkRecords(settings);
  checkTokenRequests(settings.tokenRequests);
  checkContentEncoding(settings.contentEncoding);
}

function checkRecords(settings: Settings): void {
  const [least, most] = recordRange(settings);
  if (!(least >= 1 && most <= maxRecords && least <= most))
    throw new RangeError(`recordsPerResponse must lie within 1 and ${maxRecords}`);
}

function checkTokenRequests(requests: Settings["tokenRequests"]): void {
  if (requests !== null && !(Number.isInteger(requests) && requests >= 0))
    throw new RangeError("tokenRequests must be null or a whole number");
}

// Said now: a header that cannot be sent would fail each answer.
function checkContentEncoding(encoding: Settings["contentEncoding"]): void {
  if (!(encoding === null || (typeof encoding === "string" && isHeaderValue(encoding))))
    throw new RangeError("contentEncoding must be null or the value of a header");
}

function isHeaderValue(value: string): boolean {
  try {
    validateHeaderValue("Content-Encoding", value);
    return true;
  } catch {
    return false;
  }
}
