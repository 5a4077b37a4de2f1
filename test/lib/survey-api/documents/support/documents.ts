import type { Documented } from "../../../../../lib/survey-api/bodies/documents.ts";
import { typed } from "../../../../../lib/survey-api/bodies/read-body.ts";
import metadata from "../fixtures/metadata.json" with { type: "json" };
import questions from "../fixtures/questions.json" with { type: "json" };
import records from "../fixtures/records.json" with { type: "json" };
import reportMetrics from "../fixtures/report-metrics.json" with { type: "json" };
import responseMetrics from "../fixtures/response-metrics.json" with { type: "json" };
import survey from "../fixtures/survey.json" with { type: "json" };
import surveyList from "../fixtures/survey-list.json" with { type: "json" };
import type { Json } from "./json.ts";

/** A place of a body that is not as documented. */
export interface Place {
  path: string;
  expected: string;
}

function readWith(strict: boolean, operation: Documented, body: unknown): unknown {
  return typed(operation, {}, strict)(body, { operation, status: 200, attempts: 1 });
}

/** The value of a body with the places that are not as documented, or the error that names the places that had to be readable and are not. */
export function reading(
  operation: Documented,
  body: unknown,
): { value: unknown; irregular: Place[] } | { unreadable: Place[]; message: string } {
  let value: unknown;
  try {
    value = readWith(false, operation, body);
  } catch (error) {
    return { unreadable: placesIn(error), message: (error as Error).message };
  }
  try {
    readWith(true, operation, body);
    return { value, irregular: [] };
  } catch (error) {
    return { value, irregular: placesIn(error) };
  }
}

function placesIn(error: unknown): Place[] {
  return [...String(error).matchAll(/([^\s(]+) should be ([\w ]+)/g)].map(([, path = "", expected = ""]) => ({
    path: path === "it" ? "" : path,
    expected,
  }));
}

const thresholds = ["[0].31.firstLevelThreshold", "[0].31.secondLevelThreshold"];

/** A body of every resource of section 2, written after the document. Of some fields that says "or null". */
const shown: [name: string, operation: Documented, body: Json, orNull?: string[]][] = [
  ["2.1 survey list", "get survey list", surveyList],
  ["2.2 full survey", "get survey", survey, ["[0].languageId", "[0].pagesById.701.description"]],
  ["2.3 questions", "get survey questions", questions],
  ["2.4 records", "get survey responses", records, ["[0].score", "[1].score"]],
  [
    "2.5 metadata",
    "get response metadata",
    metadata,
    ["[0].referrer", "[0].languageId", "[0].languageName", "[0].languageSymbol"],
  ],
  ["2.6 metrics of a response", "get metric, single response", responseMetrics, thresholds],
  ["2.7 metrics of a report", "get metric, report", reportMetrics, thresholds],
];

/** The same, each with what reads a whole body. */
export const documents = shown.map(([name, operation, body, orNull = []]) => ({
  ...{ name, body, orNull },
  read: (given: unknown) => reading(operation, given),
}));
