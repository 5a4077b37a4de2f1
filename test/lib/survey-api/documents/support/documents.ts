import type { BodyReader } from "../../../../../lib/survey-api/bodies/documents.ts";
import * as shown from "../../../../../lib/survey-api/bodies/documents.ts";
import metadata from "../fixtures/metadata.json" with { type: "json" };
import questions from "../fixtures/questions.json" with { type: "json" };
import records from "../fixtures/records.json" with { type: "json" };
import reportMetrics from "../fixtures/report-metrics.json" with { type: "json" };
import responseMetrics from "../fixtures/response-metrics.json" with { type: "json" };
import survey from "../fixtures/survey.json" with { type: "json" };
import surveyList from "../fixtures/survey-list.json" with { type: "json" };
import type { Json } from "./json.ts";

export interface Document {
  /** The resource and its section of the API document. */
  name: string;
  /** A body as documented. */
  body: Json;
  /** Reads the whole body. */
  read: BodyReader<unknown>;
}

/** A body of every resource of section 2, written after the document. */
export const documents: Document[] = [
  { name: "2.1 survey list", body: surveyList, read: shown.surveyList.read },
  { name: "2.2 full survey", body: survey, read: shown.survey.read },
  { name: "2.3 questions", body: questions, read: shown.questions.read },
  { name: "2.4 records", body: records, read: shown.records.read },
  { name: "2.5 metadata", body: metadata, read: shown.metadata.read },
  { name: "2.6 metrics of a response", body: responseMetrics, read: shown.metrics.read },
  { name: "2.7 metrics of a report", body: reportMetrics, read: shown.reportMetrics.read },
];

/** The one of a section, such as `2.4`. */
export function documentOf(section: string): Document {
  const found = documents.find(({ name }) => name.startsWith(section));
  if (found === undefined) throw new Error(`no section ${section}`);
  return found;
}

const nullSeen = new Set(
  (
    "headerPageTitleShow headerPageNumberShow logoPlacement layoutHideProgressBar footerVisible headerShowTitle " +
    "logoVisibility logoVisibilityEmbedded logoURL randomQuestion crk promoCode matrixScore"
  ).split(" "),
);

/** Whether the document says "null seen" of the field; `answerOneClick` is so in the survey list only. */
export const isNullSeen = (document: Document, field: string): boolean =>
  nullSeen.has(field) || (field === "answerOneClick" && document.name.startsWith("2.1"));

const orNull = ["firstLevelThreshold", "secondLevelThreshold", "description", "score", "referrer"];
const languages = ["languageId", "languageName", "languageSymbol"];

/** Whether the document says "or null" of the field at this path. */
export function isNullable(document: Document, path: readonly (string | number)[]): boolean {
  const field = String(path.at(-1));
  if (languages.includes(field)) return !document.name.startsWith("2.1");
  if (field === "description") return path.includes("pagesById");
  if (field === "score") return document.name.startsWith("2.4");
  return orNull.includes(field);
}
