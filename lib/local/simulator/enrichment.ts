import { dateTimeString } from "./dates.ts";
import { hash32, hashFraction } from "./hashing.ts";
import { countryOf } from "./record-contents.ts";
import type { SimulatedResponse } from "./responses.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

/** The answer of operation 11 or 13 for a response: a body, or a status that stands for none. */
type EnrichmentAnswer = { body: unknown } | { status: number };

/** The answer to the read numbered `reads`: that of section 2.6 or 2.5, or what the overrides put in its place. */
export function enrichmentAnswer(
  which: "metrics" | "metadata",
  survey: Survey,
  response: SimulatedResponse,
  settings: Settings,
  reads: number,
): EnrichmentAnswer {
  const override = response.overrides[which];
  if (override !== undefined && "body" in override) return override;
  if (override !== undefined && "fail" in override && reads <= override.fail) return { status: 500 };
  if (override !== undefined && "absent" in override && reads <= (override.reads ?? Infinity)) return { status: 404 };
  return { body: (which === "metrics" ? metricsBody : metadataBody)(survey, response, settings) };
}

type Metric = [key: string, metric: Record<string, unknown>];

/** Section 2.6: the metrics of one response. */
function metricsBody(survey: Survey, response: SimulatedResponse, settings: Settings): unknown {
  const metrics = metricHeads(survey, settings).map(([key, head], index): Metric => {
    const pointsSum = hash32(survey.seed, response.responseId, response.revision, index, 82) % 11;
    return [key, { ...head, score: { pointsSum, maxPointsSum: 10, minPointsSum: 0, nps: index === 0 } }];
  });
  return [contained(metrics, settings)];
}

/** Section 2.7: the metrics of one report. */
export function reportMetricsBody(survey: Survey, settings: Settings): unknown {
  const metrics = metricHeads(survey, settings).map(
    ([key, head]): Metric => [
      key,
      {
        ...head,
        score: (hash32(survey.seed, survey.tally.completed, 81) / 2 ** 32).toFixed(2),
        condition: "",
        maxPointsSum: 10,
        minPointSum: 0,
        responseSum: String(survey.tally.completed),
      },
    ],
  );
  return [contained(metrics, settings)];
}

function contained(metrics: readonly Metric[], { metricContainer }: Settings): unknown {
  return metricContainer === "map" ? Object.fromEntries(metrics) : metrics.map(([, metric]) => metric);
}

/** One to three metrics for each survey. */
function metricHeads(survey: Survey, settings: Settings): Metric[] {
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
    return [String(metricId), head];
  });
}

/** Section 2.5: the metadata of one response. */
function metadataBody(survey: Survey, response: SimulatedResponse, settings: Settings): unknown[] {
  const draw = hash32(survey.seed, response.responseId, 84);
  const mobile = draw % 2 === 0;
  const language = hashFraction(draw, 1) < 0.8;
  const metadata = {
    // Blocks reserved for documentation: addresses of nobody.
    ip: draw % 5 === 0 ? `2001:db8:${draw % 9}::7` : `203.0.113.${1 + (draw % 254)}`,
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
  return [settings.metadataList === "anonymous" ? metadata : { responseId: response.responseId, ...metadata }];
}

/** Metadata as operation 13 shows them: also, or only, those of another response where the settings say so. */
export function metadataShown(
  survey: Survey,
  response: SimulatedResponse,
  settings: Settings,
  reads: number,
): EnrichmentAnswer {
  const own = enrichmentAnswer("metadata", survey, response, settings, reads);
  const isMixed = settings.metadataList === "other" || settings.metadataList === "several";
  if (!isMixed || response.overrides.metadata !== undefined || !("body" in own)) return own;
  const other = otherMetadata(survey, response, settings);
  return { body: settings.metadataList === "other" ? other : [...other, ...(own.body as unknown[])] };
}

/** The metadata of another completed response that has some; the same one at each read. */
function otherMetadata(survey: Survey, response: SimulatedResponse, settings: Settings): unknown[] {
  const list = survey.list(settings);
  const from = Math.floor(hashFraction(survey.seed, response.responseId, 85) * list.total());
  const listed = list.read(0, list.total(), "asc").map((place) => place.response);
  const other = [...listed.slice(from), ...listed.slice(0, from)].find(
    ({ responseId, completedAt, overrides }) =>
      responseId !== response.responseId && completedAt !== null && overrides.metadata === undefined,
  );
  return other === undefined ? [] : metadataBody(survey, other, settings);
}
