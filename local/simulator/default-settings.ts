import { checkZone } from "./dates.ts";
import { maxRecords, recordRange, type Settings, type SettingsPatch } from "./settings.ts";

/** The most plausible service that fits the document. */
export const defaultSettings: Settings = {
  recordsPerResponse: [2, 8],
  commentBytes: null,
  repeatedQuestions: 0,
  irregular: {
    probability: 0,
    kinds: ["answerText", "answerNull", "commentNull", "scoreText", "dateNumber", "idString"],
  },
  crk: "some",
  sortKey: "responseId",
  layout: "contiguous",
  openListed: false,
  openDateCompleted: null,
  zone: "UTC",
  recordOrder: { asc: "ascending", desc: "ascending" },
  rereads: "same",
  defaultOrder: "asc",
  openById: true,
  pastEnd: "empty",
  tokenBody: "token",
  singleResponseBody: "records",
  reportsBody: "array",
  v2Body: "same",
  errorBody: "json",
  metrics: "present",
  metadata: "present",
  metricKey: "metricId",
  counts: { responses: "completed", correct: "completed", unpaidResponses: "zero" },
  countLagMs: 60_000,
  tokenLifetimeMs: 30 * 86_400_000,
  newTokenRevokesOlder: false,
  rateLimit: null,
  compress: false,
};

/** The values of the settings that are a choice. */
const choices = {
  crk: ["none", "some", "all"],
  sortKey: ["responseId", "dateStart", "dateCompleted", "hash"],
  layout: ["contiguous", "interleaved", "scattered"],
  openDateCompleted: [null, "", "0000-00-00 00:00:00", "dateStart"],
  rereads: ["same", "readAt", "fieldOrder"],
  defaultOrder: ["asc", "desc"],
  pastEnd: ["empty", "404", "400", "500", "repeatLast", "repeatFirst"],
  tokenBody: ["raw", "jsonString", "token", "access_token", "accessToken", "array"],
  singleResponseBody: ["records", "arrayWithAnswers", "objectWithAnswers", "wrapped", "answersByQuestion"],
  reportsBody: ["array", "wrapped"],
  v2Body: ["same", "wrapped"],
  errorBody: ["json", "text", "empty", "html"],
  metrics: ["present", "absent", "empty", "emptyObject", "perSurvey"],
  metadata: ["present", "absent", "empty"],
  metricKey: ["metricId", "position"],
} as const satisfies { [Name in keyof Settings]?: readonly Settings[Name][] };

/** Throws a RangeError for an unknown setting, choice or zone, and for an impossible number of records. */
export function withSettings(settings: Settings, patch: SettingsPatch): Settings {
  const next: Settings = {
    ...settings,
    ...patch,
    counts: { ...settings.counts, ...patch.counts },
    recordOrder: { ...settings.recordOrder, ...patch.recordOrder },
    irregular: { ...settings.irregular, ...patch.irregular },
  };
  for (const [name, value] of Object.entries(next)) {
    if (!(name in defaultSettings)) throw new RangeError(`there is no setting ${name}`);
    const allowed: readonly unknown[] | undefined = Object.entries(choices).find(([choice]) => choice === name)?.[1];
    if (allowed !== undefined && !allowed.includes(value))
      throw new RangeError(`${name} must be one of ${allowed.map((choice) => JSON.stringify(choice)).join(", ")}`);
  }
  checkZone(next.zone);
  const [least, most] = recordRange(next);
  if (!(least >= 1 && most <= maxRecords && least <= most))
    throw new RangeError(`recordsPerResponse must lie within 1 and ${maxRecords}`);
  return next;
}
