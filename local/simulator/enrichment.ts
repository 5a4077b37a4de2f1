import { hash32 } from "./hashing.ts";
import { metadataBody } from "./metadata-bodies.ts";
import { metricsBody } from "./metric-bodies.ts";
import type { EnrichmentOverride, SimulatedResponse } from "./responses.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

/** The answer of operation 11 or 13 for a response: a body, a status that stands for none, or nothing at all. */
export type EnrichmentAnswer = { body: unknown } | { status: number } | { hang: true };

/** Section 2.6, or what the overrides, the survey or the settings put in its place; `reads` counts this one. */
export function metricsAnswer(
  survey: Survey,
  response: SimulatedResponse,
  settings: Settings,
  reads: number,
): EnrichmentAnswer {
  return (
    overriddenAnswer(response.overrides.metrics, reads) ??
    answerInMode(survey, survey.spec.metrics ?? settings.metrics) ?? { body: metricsBody(survey, response, settings) }
  );
}

/** Section 2.5, or what stands in its place; `reads` counts this one. */
export function metadataAnswer(
  survey: Survey,
  response: SimulatedResponse,
  settings: Settings,
  reads: number,
): EnrichmentAnswer {
  return (
    overriddenAnswer(response.overrides.metadata, reads) ??
    answerInMode(survey, survey.spec.metadata ?? settings.metadata) ?? {
      body: metadataBody(survey, response, settings),
    }
  );
}

/** The answer of an override to the read numbered `reads`, if it has one. */
export function overriddenAnswer(
  override: EnrichmentOverride | undefined,
  reads: number,
): EnrichmentAnswer | undefined {
  if (override === undefined || "body" in override || "hang" in override) return override;
  if ("fail" in override) return reads <= override.fail ? { status: override.status ?? 500 } : undefined;
  return reads > (override.reads ?? Number.POSITIVE_INFINITY) ? undefined : absences[override.absent];
}

/** The answer of a mode in place of the real one; undefined where the real one is given. */
function answerInMode(survey: Survey, mode: Settings["metrics" | "metadata"]): EnrichmentAnswer | undefined {
  switch (mode) {
    case "absent":
      return absences["404"];
    case "empty":
    case "noContent":
      return absences[mode];
    case "emptyObject":
      return { body: [{}] };
    case "errorBody":
      return { body: { success: false, error: { code: 101, type: "invalid_access_key" } } };
    case "perSurvey":
      return hash32(survey.seed, 80) % 2 === 1 ? absences["404"] : undefined;
    case "present":
      return undefined;
  }
}

const absences = {
  "404": { status: 404 },
  empty: { body: [] },
  noContent: { status: 204 },
} as const satisfies Record<string, EnrichmentAnswer>;
