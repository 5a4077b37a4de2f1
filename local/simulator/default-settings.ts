import type { Settings, SettingsPatch } from "./settings.ts";
import { checkSettings } from "./settings-check.ts";

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
  emptyList: "array",
  pageMixups: 0,
  recordSurveyId: "present",
  tokenBody: "token",
  answersFrom: 1,
  singleResponseBody: "records",
  reportsBody: "array",
  v2Body: "same",
  errorBody: "json",
  metrics: "present",
  metadata: "present",
  metricKey: "metricId",
  metricContainer: "map",
  metadataMixups: 0,
  metadataList: "one",
  counts: { responses: "completed", correct: "completed", unpaidResponses: "zero" },
  countLagMs: 60_000,
  tokenLifetimeMs: 30 * 86_400_000,
  newTokenRevokesOlder: false,
  tokenRequests: null,
  rateLimit: null,
  compress: false,
  contentEncoding: null,
  bodyPrefix: "none",
};

/** Throws a RangeError for unknown settings and for impossible ones. */
export function withSettings(settings: Settings, patch: SettingsPatch): Settings {
  const next: Settings = {
    ...settings,
    ...patch,
    counts: { ...settings.counts, ...patch.counts },
    recordOrder: { ...settings.recordOrder, ...patch.recordOrder },
    irregular: { ...settings.irregular, ...patch.irregular },
  };
  for (const name of Object.keys(next))
    if (!(name in defaultSettings)) throw new RangeError(`there is no setting ${name}`);
  checkSettings(next);
  return next;
}
