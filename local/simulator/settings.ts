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
  /** How a 429 says when to come back. */
  retryAfter: "seconds" | "date" | "none";
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
  /** Which responses carry a crk. */
  crk: "none" | "some" | "all";
}

/** What decides which records are listed and in which order. */
export interface ListSettings {
  /** `hash` is an arbitrary but stable order. Dates sort as the strings shown. */
  sortKey: "responseId" | "dateStart" | "dateCompleted" | "hash";
  /** contiguous: a response's records stand together; interleaved: mixed with its neighbours'; scattered: by question first. */
  layout: "contiguous" | "interleaved" | "scattered";
  openListed: boolean;
  /** What dateCompleted of an open response shows. */
  openDateCompleted: null | "" | "0000-00-00 00:00:00" | "dateStart";
  /** IANA zone (or UTC) of every date-time string. */
  zone: string;
}

/** One value for each thing that the API document leaves open. */
export interface Settings extends ContentSettings, ListSettings {
  /** Order of one response's questions in asc and in desc lists (contiguous layout). */
  recordOrder: { asc: "ascending" | "descending"; desc: "ascending" | "descending" };
  /** How a record that has not changed reads each time: with a field that tells when, or its fields in another order. */
  rereads: "same" | "readAt" | "fieldOrder";
  /** Order of a list asked for without one. */
  defaultOrder: "asc" | "desc";
  /** Whether operations 9, 10 and 13 answer for an open response. */
  openById: boolean;
  pastEnd: "empty" | "404" | "400" | "500" | "repeatLast" | "repeatFirst";
  tokenBody: "raw" | "jsonString" | "token" | "access_token" | "accessToken" | "array";
  singleResponseBody: "records" | "arrayWithAnswers" | "objectWithAnswers" | "wrapped" | "answersByQuestion";
  reportsBody: "array" | "wrapped";
  /** Bodies of the v2 family: as in v3, or in an object under `data`. */
  v2Body: "same" | "wrapped";
  errorBody: "json" | "text" | "empty" | "html";
  /** Operation 11: present, 404, `[]`, `[{}]`, or only some surveys have metrics (404 for the others). */
  metrics: "present" | "absent" | "empty" | "emptyObject" | "perSurvey";
  metadata: "present" | "absent" | "empty";
  /** Whether the key of a metric in its map is its metricId or its position. */
  metricKey: "metricId" | "position";
  counts: { responses: CountRule; correct: CountRule; unpaidResponses: CountRule };
  /** How far a `lagging` count is behind. */
  countLagMs: number;
  tokenLifetimeMs: number;
  newTokenRevokesOlder: boolean;
  rateLimit: RateLimit | null;
  /** Compresses bodies for clients that accept gzip. */
  compress: boolean;
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
