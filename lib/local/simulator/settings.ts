import { checkZone, type Zone } from "./dates.ts";

/** Which responses a count of the survey list counts; a function of the true numbers for anything else. */
export type CountRule =
  | "completed"
  | "started"
  | "lagging"
  | "frozen"
  | "zero"
  | ((survey: { surveyId: number; completed: number; open: number; everCompleted: number }) => number);

export interface RateLimit {
  /** Requests a second that are granted lastingly. */
  perSecond: number;
  /** Requests granted at once after a rest. */
  burst: number;
  /** Whether a 429 says when to come back. */
  retryAfter: "seconds" | "none";
}

/** The values of the settings that are a choice. The first of each is that of the most plausible service. */
const choices = {
  /** `reversed`: the ids from the highest on; `hash`: an arbitrary but stable order. Dates sort as the strings shown. */
  sortKey: ["responseId", "reversed", "dateStart", "dateCompleted", "hash"],
  /** contiguous: a response's records stand together; interleaved: mixed with its neighbours'; scattered: by question first. */
  layout: ["contiguous", "interleaved", "scattered"],
  /** Order of one response's questions in a desc list (contiguous layout); in an asc list they ascend. */
  descQuestions: ["ascending", "descending"],
  openListed: [false, true],
  /** The dateCompleted that an open response shows. */
  openDateCompleted: [null, "", "0000-00-00 00:00:00", "dateStart"],
  /** How a record that has not changed reads each time: with a field that tells when, or its fields in another order. */
  rereads: ["same", "readAt", "fieldOrder"],
  /** Order of a list asked for without one. */
  defaultOrder: ["asc", "desc"],
  /** Records of a page that is not the last one: 100, or (`short`) 40 to 100, another number for each page. */
  pageSize: ["full", "short"],
  /** The answer of a page behind the last one. */
  pastEnd: ["empty", "204", "404", "400", "500", "repeatLast", "repeatFirst"],
  /** The answer of page 1 of a survey with nothing listed. */
  emptyList: ["array", "204", "404"],
  /** Whether records say which survey they are of. */
  recordSurveyId: ["present", "missing"],
  /** `form`: no JSON at all. */
  tokenBody: ["token", "access_token", "raw", "form"],
  /** By what number an answer names the first choice of its question. */
  answersFrom: [1, 0],
  /** `firstRecord`: only one of them. */
  singleResponseBody: ["records", "firstRecord", "objectWithAnswers"],
  /** `list`: the metrics stand in an array, as PHP writes a map whose keys are 0, 1 and so on. */
  metricContainer: ["map", "list"],
  /**
   * `other`: the metadata of another completed response in place of the right ones, as a cache answers by mistake; `several`: before
   * them. `anonymous`: no `responseId` in them.
   */
  metadataList: ["one", "other", "several", "anonymous"],
  newTokenRevokesOlder: [false, true],
} as const;

type Choices = { [Name in keyof typeof choices]: (typeof choices)[Name][number] };

/** One value for each thing that the API document leaves open. */
export interface Settings extends Choices {
  /** Records (answered questions) of one response, or the least and the most. A change applies to responses created afterwards. */
  recordsPerResponse: number | readonly [number, number];
  /** Of every date-time string. */
  zone: Zone;
  counts: { responses: CountRule; correct: CountRule; unpaidResponses: CountRule };
  /** How far a `lagging` count is behind. */
  countLagMs: number;
  tokenLifetimeMs: number;
  rateLimit: RateLimit | null;
}

/** New values for some settings; `counts` may be given in part. */
export type SettingsPatch = Partial<Omit<Settings, "counts">> & { counts?: Partial<Settings["counts"]> };

/** The most records that one response may have. */
export const maxRecords = 4096;

export function recordRange({ recordsPerResponse }: Settings): readonly [number, number] {
  return typeof recordsPerResponse === "number" ? [recordsPerResponse, recordsPerResponse] : recordsPerResponse;
}

/** The most plausible service that fits the document. */
export const defaultSettings: Settings = {
  ...(Object.fromEntries(Object.entries(choices).map(([name, [first]]) => [name, first])) as Choices),
  recordsPerResponse: [2, 8],
  zone: "UTC",
  counts: { responses: "completed", correct: "completed", unpaidResponses: "zero" },
  countLagMs: 60_000,
  tokenLifetimeMs: 30 * 86_400_000,
  rateLimit: null,
};

/** Throws a RangeError for unknown settings and for impossible ones. */
export function withSettings(settings: Settings, patch: SettingsPatch): Settings {
  const next: Settings = { ...settings, ...patch, counts: { ...settings.counts, ...patch.counts } };
  for (const name of Object.keys(next))
    if (!(name in defaultSettings)) throw new RangeError(`there is no setting ${name}`);
  for (const [name, allowed] of Object.entries<readonly unknown[]>(choices))
    if (!allowed.includes(next[name as keyof Choices]))
      throw new RangeError(`${name} must be one of ${allowed.map((choice) => JSON.stringify(choice)).join(", ")}`);
  checkZone(next.zone);
  const [least, most] = recordRange(next);
  if (!(least >= 1 && most <= maxRecords && least <= most))
    throw new RangeError(`recordsPerResponse must lie within 1 and ${maxRecords}`);
  return next;
}
