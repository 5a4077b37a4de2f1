import { type EnrichmentAnswer, metadataAnswer, overriddenAnswer } from "./enrichment.ts";
import { hashFraction } from "./hashing.ts";
import type { OperationContext } from "./operation-context.ts";
import type { SimulatedResponse } from "./responses.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";

/** Answers that hold something else than what was asked for, as caches give them by mistake. */

/** The survey of which a page is shown: the one asked for, or another by mistake. */
export function surveyShown(asked: Survey, context: OperationContext): Survey {
  const { surveys, settings, random } = context;
  if (!isDrawn(settings().pageMixups, random)) return asked;
  const others = Array.from(surveys.values()).filter((survey) => survey !== asked);
  return others[Math.floor(random() * others.length)] ?? asked;
}

/** Operation 13, with the metadata of other responses where the settings say so; `reads` counts this one. */
export function metadataShown(
  survey: Survey,
  response: SimulatedResponse,
  reads: number,
  context: OperationContext,
): EnrichmentAnswer {
  const settings = context.settings();
  const own = metadataAnswer(survey, response, settings, reads);
  if (overriddenAnswer(response.overrides.metadata, reads) !== undefined) return own;
  if (isDrawn(settings.metadataMixups, context.random))
    return otherMetadata(survey, response, settings, context.random()) ?? own;
  if (settings.metadataList !== "several") return own;
  // The same one at each read: only mixups are drawn.
  const other = otherMetadata(survey, response, settings, hashFraction(survey.seed, response.responseId, 85));
  return "body" in own ? { body: listOf(other?.body, own.body) ?? own.body } : own;
}

/**
 * The metadata of another completed response that has some. The search begins at `start`, a fraction of the list of
 * records: walking to one costs the same in a survey of a million.
 */
function otherMetadata(
  survey: Survey,
  response: SimulatedResponse,
  settings: Settings,
  start: number,
): { body: unknown } | undefined {
  const list = survey.list(settings);
  const from = Math.floor(start * list.total());
  for (const [first, count] of [
    [from, list.total() - from],
    [0, from],
  ] as const) {
    for (const { response: other } of list.read(first, count, "asc", "ascending")) {
      if (other.responseId === response.responseId || other.completedAt === null) continue;
      const metadata = metadataAnswer(survey, other, settings, Number.POSITIVE_INFINITY);
      if ("body" in metadata) return metadata;
    }
  }
  return undefined;
}

/** Both lists in one; undefined where one of them is none. */
function listOf(first: unknown, second: unknown): unknown[] | undefined {
  return Array.isArray(first) && Array.isArray(second) ? [...first, ...second] : undefined;
}

const isDrawn = (share: number, random: () => number): boolean => share > 0 && random() < share;
