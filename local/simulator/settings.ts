import { checkZone, type Zone } from "./dates.ts";

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
  /** Which responses have a crk. */
  crk: "none" | "some" | "all";
}

/** The settings that decide which records are listed and in which order. */
export interface ListSettings {
  /** `reversed`: the ids from the highest on; `hash`: an arbitrary but stable order. Dates sort as the strings shown. */
  sortKey: "responseId" | "reversed" | "dateStart" | "dateCompleted" | "hash";
  /** contiguous: a response's records stand together; interleaved: mixed with its neighbours'; scattered: by question first. */
  layout: "contiguous" | "interleaved" | "scattered";
  openListed: boolean;
  /** The dateCompleted that an open response shows. */
  openDateCompleted: null | "" | "0000-00-00 00:00:00" | "dateStart";
  /** Of every date-time string. */
  zone: Zone;
}

/** One value for each thing that the API document leaves open. */
export interface Settings extends ContentSettings, ListSettings, EnrichmentSettings {
  /** Order of one response's questions in asc and in desc lists (contiguous layout). */
  recordOrder: { asc: "ascending" | "descending"; desc: "ascending" | "descending" };
  /** How a record that has not changed reads each time: with a field that tells when, or its fields in another order. */
  rereads: "same" | "readAt" | "fieldOrder";
  /** Order of a list asked for without one. */
  defaultOrder: "asc" | "desc";
  /** Records of a page that is not the last one: 100, or (`short`) 40 to 100, another number for each page. */
  pageSize: "full" | "short";
  /** The answer of a page behind the last one. */
  pastEnd: "empty" | "204" | "404" | "400" | "500" | "repeatLast" | "repeatFirst";
  /** The answer of page 1 of a survey with nothing listed. */
  emptyList: "array" | "204" | "404";
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
  counts: { responses: CountRule; correct: CountRule; unpaidResponses: CountRule };
  /** How far a `lagging` count is behind. */
  countLagMs: number;
  tokenLifetimeMs: number;
  newTokenRevokesOlder: boolean;
  rateLimit: RateLimit | null;
}

/** New values for some settings; `counts` and `recordOrder` may be given in part. */
export type SettingsPatch = Partial<Omit<Settings, "counts" | "recordOrder">> & {
  counts?: Partial<Settings["counts"]>;
  recordOrder?: Partial<Settings["recordOrder"]>;
};

/** The most records that one response may have. */
export const maxRecords = 4096;

export function recordRange(settings: ContentSettings): readonly [number, number] {
  const { recordsPerResponse } = settings;
  return typeof recordsPerResponse === "number" ? [recordsPerResponse, recordsPerResponse] : recordsPerResponse;
}

/** The answers of operations 11 (metrics) and 13 (metadata), where a response has no override of its own. */
interface EnrichmentSettings {
  /** `list`: the metrics stand in an array, as PHP writes a map whose keys are 0, 1 and so on. */
  metricContainer: "map" | "list";
  /**
   * Share of the reads of operation 13 (and its v2 form) that hold the metadata of another completed response of the survey, as a cache
   * answers by mistake. It is drawn at each read. Where there is no other response, nothing is mixed up.
   */
  metadataMixups: number;
  /** `several`: the metadata of another response stands before the right one. `anonymous`: no `responseId` in it. */
  metadataList: "one" | "several" | "anonymous";
}

/** The most plausible service that fits the document. */
export const defaultSettings: Settings = {
  recordsPerResponse: [2, 8],
  commentBytes: null,
  repeatedQuestions: 0,
  crk: "some",
  sortKey: "responseId",
  layout: "contiguous",
  openListed: false,
  openDateCompleted: null,
  zone: "UTC",
  recordOrder: { asc: "ascending", desc: "ascending" },
  rereads: "same",
  defaultOrder: "asc",
  pageSize: "full",
  pastEnd: "empty",
  emptyList: "array",
  recordSurveyId: "present",
  tokenBody: "token",
  answersFrom: 1,
  singleResponseBody: "records",
  metricContainer: "map",
  metadataMixups: 0,
  metadataList: "one",
  counts: { responses: "completed", correct: "completed", unpaidResponses: "zero" },
  countLagMs: 60_000,
  tokenLifetimeMs: 30 * 86_400_000,
  newTokenRevokesOlder: false,
  rateLimit: null,
};

/** Throws a RangeError for unknown settings and for impossible ones. */
export function withSettings(settings: Settings, patch: SettingsPatch): Settings {
  const next: Settings = {
    ...settings,
    ...patch,
    counts: { ...settings.counts, ...patch.counts },
    recordOrder: { ...settings.recordOrder, ...patch.recordOrder },
  };
  for (const name of Object.keys(next))
    if (!(name in defaultSettings)) throw new RangeError(`there is no setting ${name}`);
  checkSettings(next);
  return next;
}

/** The values of the settings that are a choice. */
const choices = {
  crk: ["none", "some", "all"],
  sortKey: ["responseId", "reversed", "dateStart", "dateCompleted", "hash"],
  layout: ["contiguous", "interleaved", "scattered"],
  openDateCompleted: [null, "", "0000-00-00 00:00:00", "dateStart"],
  rereads: ["same", "readAt", "fieldOrder"],
  defaultOrder: ["asc", "desc"],
  pageSize: ["full", "short"],
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
  metricContainer: ["map", "list"],
  metadataList: ["one", "several", "anonymous"],
} as const satisfies { [Name in keyof Settings]?: readonly Settings[Name][] };

/** Throws a RangeError for settings that are impossible. */
function checkSettings(settings: Settings): void {
  for (const [name, value] of Object.entries(settings)) {
    const allowed: readonly unknown[] | undefined = Object.entries(choices).find(([choice]) => choice === name)?.[1];
    if (allowed !== undefined && !allowed.includes(value))
      throw new RangeError(`${name} must be one of ${allowed.map((choice) => JSON.stringify(choice)).join(", ")}`);
  }
  const { metadataMixups: share } = settings;
  if (typeof share !== "number" || !(share >= 0 && share <= 1))
    throw new RangeError("metadataMixups must be a number from 0 to 1");
  checkZone(settings.zone);
  checkRecords(settings);
}

function checkRecords(settings: Settings): void {
  const [least, most] = recordRange(settings);
  if (!(least >= 1 && most <= maxRecords && least <= most))
    throw new RangeError(`recordsPerResponse must lie within 1 and ${maxRecords}`);
}
