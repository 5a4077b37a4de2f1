import type { EnrichmentSettings } from "./enrichment-settings.ts";
import type { WireSettings } from "./wire-settings.ts";

/** One way in which a record may deviate from section 2.4 of the API document. */
export type IrregularKind =
  | "answerText"
  | "answerNull"
  | "commentNull"
  | "commentMissing"
  | "scoreText"
  | "dateNumber"
  | "idString"
  | "idText"
  | "completedString"
  | "completedNull"
  | "completedMaybe";

/** Which responses a count of the survey list counts; a function of the true numbers for anything else. */
export type CountRule =
  | "completed"
  | "started"
  | "everCompleted"
  | "lagging"
  | "frozen"
  | "zero"
  | ((survey: { surveyId: number; completed: number; open: number; everCompleted: number }) => number);

export interface RateLimit {
  /** Requests a second that are granted lastingly. */
  perSecond: number;
  /** Requests granted at once after a rest. */
  burst: number;
  /** How a 429 says when to come back. A number is the header itself, in seconds, whatever the true wait is. */
  retryAfter: "seconds" | "date" | "none" | number;
  /** Whether the v2 family answers 429 too, which its list of codes leaves out. */
  v2?: boolean;
}

/**
 * The contents of a response. They are fixed when it is created: a change applies to responses created afterwards, so
 * that a run keeps one truth.
 */
export interface ContentSettings {
  /** Records (answered questions) of one response, or the least and the most. */
  recordsPerResponse: number | readonly [number, number];
  /** Bytes of each comment; null: about a third of the records have a short one. */
  commentBytes: number | null;
  /** Share of the responses in which one question has two records, half of these identical. */
  repeatedQuestions: number;
  /** Share of the responses that deviate, each in one of the kinds. */
  irregular: { probability: number; kinds: readonly IrregularKind[] };
  /** Which responses have a crk. */
  crk: "none" | "some" | "all";
}

/** The settings that decide which records are listed and in which order. */
export interface ListSettings {
  /** `hash` is an arbitrary but stable order. Dates sort as the strings shown. */
  sortKey: "responseId" | "dateStart" | "dateCompleted" | "hash";
  /** contiguous: a response's records stand together; interleaved: mixed with its neighbours'; scattered: by question first. */
  layout: "contiguous" | "interleaved" | "scattered";
  openListed: boolean;
  /** The dateCompleted that an open response shows. */
  openDateCompleted: null | "" | "0000-00-00 00:00:00" | "dateStart";
  /** IANA zone (or UTC) of every date-time string. */
  zone: string;
}

/** One value for each thing that the API document leaves open. */
export interface Settings extends ContentSettings, ListSettings, EnrichmentSettings, WireSettings {
  /** Order of one response's questions in asc and in desc lists (contiguous layout). */
  recordOrder: { asc: "ascending" | "descending"; desc: "ascending" | "descending" };
  /** How a record that has not changed reads each time: with a field that tells when, or its fields in another order. */
  rereads: "same" | "readAt" | "fieldOrder";
  /** Order of a list asked for without one. */
  defaultOrder: "asc" | "desc";
  /** Whether operations 9, 10 and 13 answer for an open response. */
  openById: boolean;
  /** The answer of a page behind the last one. */
  pastEnd: "empty" | "204" | "404" | "400" | "500" | "repeatLast" | "repeatFirst";
  /** The answer of page 1 of a survey with nothing listed. */
  emptyList: "array" | "204" | "404";
  /**
   * Share of the page reads (operations 6 to 8 and their v2 forms), drawn at each read, that hold the same page of another
   * survey. Where there is no other survey, nothing is mixed up.
   */
  pageMixups: number;
  /** Whether records say which survey they are of. */
  recordSurveyId: "present" | "missing";
  /** `nested`, `response`: the token in an object of its own; `scheme`: "Bearer" before it; `form`: no JSON at all. */
  tokenBody:
    | "raw"
    | "jsonString"
    | "token"
    | "access_token"
    | "accessToken"
    | "array"
    | "nested"
    | "response"
    | "scheme"
    | "form";
  /** By what number an answer names the first choice of its question. */
  answersFrom: 0 | 1;
  /** `firstRecord`: only one of them. */
  singleResponseBody:
    | "records"
    | "firstRecord"
    | "arrayWithAnswers"
    | "objectWithAnswers"
    | "wrapped"
    | "answersByQuestion";
  reportsBody: "array" | "wrapped";
  /** Bodies of the v2 family: as in v3, or in an object under `data`. */
  v2Body: "same" | "wrapped";
  errorBody: "json" | "text" | "empty" | "html";
  counts: { responses: CountRule; correct: CountRule; unpaidResponses: CountRule };
  /** How far a `lagging` count is behind. */
  countLagMs: number;
  tokenLifetimeMs: number;
  newTokenRevokesOlder: boolean;
  /** How many data requests are served with one token; from then on it is a wrong one (400). null: any number. */
  tokenRequests: number | null;
  rateLimit: RateLimit | null;
}

/** New values for some settings; `counts`, `recordOrder` and `irregular` may be given in part. */
export type SettingsPatch = Partial<Omit<Settings, "counts" | "recordOrder" | "irregular">> & {
  counts?: Partial<Settings["counts"]>;
  recordOrder?: Partial<Settings["recordOrder"]>;
  irregular?: Partial<Settings["irregular"]>;
};

/** The most records that one response may have. */
export const maxRecords = 4096;

export function recordRange(settings: ContentSettings): readonly [number, number] {
  const { recordsPerResponse } = settings;
  return typeof recordsPerResponse === "number" ? [recordsPerResponse, recordsPerResponse] : recordsPerResponse;
}
