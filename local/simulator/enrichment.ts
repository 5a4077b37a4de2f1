import { dateTimeString } from "./dates.ts";
import { hash32, hashFraction } from "./hashing.ts";
import { countryOf } from "./record-contents.ts";
import type { EnrichmentOverride, SimulatedResponse } from "./responses.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

/** What operation 11 or 13 answers for a response: a body, or a status that stands for none. */
export type EnrichmentAnswer = { body: unknown } | { status: number };

/** Section 2.6, or what the overrides, the survey or the settings put in its place; `reads` counts this one. */
export function metricsAnswer(
  survey: Survey,
  response: SimulatedResponse,
  settings: Settings,
  reads: number,
): EnrichmentAnswer {
  const overridden = overriddenAnswer(response.overrides.metrics, reads);
  if (overridden !== undefined) return overridden;
  switch (survey.spec.metrics ?? settings.metrics) {
    case "absent":
      return { status: 404 };
    case "empty":
      return { body: [] };
    case "emptyObject":
      return { body: [{}] };
    case "perSurvey":
      if (hash32(survey.seed, 80) % 2 === 1) return { status: 404 };
  }
  return { body: [Object.fromEntries(metricsOf(survey, response, settings))] };
}

/** Section 2.5, or what stands in its place; `reads` counts this one. */
export function metadataAnswer(
  survey: Survey,
  response: SimulatedResponse,
  settings: Settings,
  reads: number,
): EnrichmentAnswer {
  const overridden = overriddenAnswer(response.overrides.metadata, reads);
  if (overridden !== undefined) return overridden;
  const mode = survey.spec.metadata ?? settings.metadata;
  if (mode === "absent") return { status: 404 };
  return { body: mode === "empty" ? [] : [metadataOf(survey, response)] };
}

/** Section 2.7: the metrics of one report. */
export function reportMetricsBody(survey: Survey, settings: Settings): unknown {
  const entries = metricHeads(survey, settings).map(([key, head]) => [
    key,
    {
      ...head,
      score: (hash32(survey.seed, survey.tally.completed, 81) / 2 ** 32).toFixed(2),
      condition: "",
      maxPointsSum: 10,
      minPointSum: 0,
      responseSum: String(survey.tally.completed),
    },
  ]);
  return [Object.fromEntries(entries)];
}

function overriddenAnswer(override: EnrichmentOverride | undefined, reads: number): EnrichmentAnswer | undefined {
  if (override === undefined) return undefined;
  if ("body" in override) return { body: override.body };
  if ("fail" in override) return reads <= override.fail ? { status: override.status ?? 500 } : undefined;
  if (reads > (override.reads ?? Number.POSITIVE_INFINITY)) return undefined;
  return override.absent === "empty" ? { body: [] } : { status: 404 };
}

function metricsOf(survey: Survey, response: SimulatedResponse, settings: Settings) {
  return metricHeads(survey, settings).map(([key, head], index) => {
    const pointsSum = hash32(survey.seed, response.responseId, response.revision, index, 82) % 11;
    return [key, { ...head, score: { pointsSum, maxPointsSum: 10, minPointsSum: 0, nps: index === 0 } }];
  });
}

/** One to three metrics for each survey. */
function metricHeads(survey: Survey, settings: Settings): [string, Record<string, unknown>][] {
  return Array.from({ length: 1 + (hash32(survey.seed, 83) % 3) }, (_, index) => {
    const metricId = survey.surveyId * 10 + index + 1;
    const head = {
      metricId,
      surveyId: survey.surveyId,
      metricName: ["NPS", "CSAT", "CES"][index] ?? "NPS",
      presentation: "points",
      maxValueIncludingEmptyAnswer: 0,
      testMode: 0,
      firstLevelThreshold: index === 0 ? null : 5,
      secondLevelThreshold: null,
      created: dateTimeString(survey.createdAt, settings.zone),
    };
    return [String(settings.metricKey === "metricId" ? metricId : index + 1), head];
  });
}

function metadataOf(survey: Survey, response: SimulatedResponse): Record<string, unknown> {
  const draw = hash32(survey.seed, response.responseId, 84);
  const mobile = draw % 2 === 0;
  const language = hashFraction(draw, 1) < 0.8;
  return {
    responseId: response.responseId,
    // A block reserved for documentation: no address of anyone.
    ip: `203.0.113.${1 + (draw % 254)}`,
    referrer: draw % 3 === 0 ? "https://shop.example/thanks" : null,
    iso3166: countryOf(survey.seed, response),
    languageId: language ? 23 : null,
    languageName: language ? "Polish" : null,
    languageSymbol: language ? "pl" : null,
    deviceType: mobile ? "mobile" : "desktop",
    deviceTypeName: mobile ? "Mobile" : "Desktop",
    os: mobile ? "Android 16" : "Windows 11",
    browser: mobile ? "Chrome 142.0" : "Firefox 145.0",
  };
}
