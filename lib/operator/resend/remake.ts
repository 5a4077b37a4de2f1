import { errorCode } from "../../errors.ts";
import { buildEvent, toUpdate } from "../../events/build/build-event.ts";
import type { SurveyDefinition } from "../../events/build/definition.ts";
import { CHANGES } from "../../events/contract.ts";
import { eventId } from "../../events/index.ts";
import { endsWork } from "../../polling/errors.ts";
import type { DetailKind } from "../../polling/model/ledger-entry.ts";
import { privateMetadata, privateRecord } from "../../polling/model/privacy.ts";
import type { SealedEvent } from "../../polling/ports.ts";
import { LEAST_ATTEMPTS } from "../../polling/publish/patience.ts";
import type { ReadAgain, Resending } from "./resending.ts";

/** Codes of a service that works and does not want to: asking again is of no use. */
const REFUSALS: ReadonlySet<string> = new Set(["BAD_REQUEST", "NOT_ALLOWED"]);

/** One part of an event: what was had, what it goes out without, or why it cannot go out now. */
type Part<Body> = { body?: Body; missing?: string; failure?: string };

/** The event, ready for the bus; or the codes of what could not be had. */
export type Remade = { sealed: SealedEvent } | { failure: string };

/**
 * Makes the last event of a response once more: the same id and revision, from the same records. Metrics, metadata and questions are asked for
 * anew. `detectedAt` is when the bus took it first, so that books which hold the event hold this one too.
 */
export async function remake(ctx: Resending, { entry, run }: ReadAgain): Promise<Remade> {
  const { source, surveyId, mark, ports } = ctx;
  const { id: responseId, revision = 1 } = entry;
  const [metrics, metadata, definition] = await Promise.all([
    detail(ctx, "metrics", responseId),
    detail(ctx, "metadata", responseId),
    questions(ctx),
  ]);
  const parts = [metrics, metadata, definition];
  const failure = parts.flatMap((part) => part.failure ?? []).join(" ");
  if (failure !== "") return { failure };
  const now = ports.clock.now();
  const { emittedAt = now } = entry;
  const made = buildEvent({
    sourceName: source.name,
    surveyId,
    responseId,
    survey: mark.survey?.facts,
    listedAt: mark.survey?.at,
    definition: definition.body,
    questions: source.questions,
    records: run.records.map(({ raw }) => privateRecord(raw, source.privacy)),
    metrics: metrics.body,
    metadata: privateMetadata(metadata.body, source.privacy),
    missing: parts.flatMap(({ missing }) => missing ?? []),
    origin: "replay",
    revision,
    detectedAt: emittedAt,
    timeZone: source.timeZone,
  });
  // Nothing else may go out for it.
  if (made.meta.eventId !== entry.eventId) return { failure: "OTHER_EVENT_ID" };
  if (revision === 1) {
    return { sealed: await ports.publisher.seal({ type: "response.completed", detail: made, time: now }) };
  }
  // The ledger does not say what an update told of.
  const replaces = eventId(source.name, surveyId, responseId, revision - 1);
  const update = toUpdate(made, { replaces, changes: [...CHANGES], observedAt: emittedAt });
  return { sealed: await ports.publisher.seal({ type: "response.updated", detail: update, time: now }) };
}

async function detail({ ports, source, surveyId }: Resending, kind: DetailKind, id: number): Promise<Part<object>> {
  if (!source.enrich[kind]) return {};
  try {
    const read = await ports.service[kind](surveyId, id);
    return read.kind === "found" ? { body: read.body } : { missing: `${kind}:absent` };
  } catch (error) {
    if (endsWork(error)) throw error;
    const code = errorCode(error);
    return REFUSALS.has(code) ? { missing: `${kind}:gave-up` } : { failure: `${kind}:${code}` };
  }
}

async function questions({ ports, source, surveyId, mark }: Resending): Promise<Part<SurveyDefinition>> {
  if (source.questions === "none") return {};
  try {
    return { body: await ports.service.definition(surveyId, mark.survey?.facts.modified ?? null) };
  } catch (error) {
    if (endsWork(error)) throw error;
    // Polls go out without them by now, too.
    const isGivenUp = (mark.questionsFail?.attempts ?? 0) >= LEAST_ATTEMPTS;
    return isGivenUp ? { missing: "questions:gave-up" } : { failure: `questions:${errorCode(error)}` };
  }
}
