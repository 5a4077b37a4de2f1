import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { section } from "../config/fields.ts";
import { eventId } from "../events/index.ts";
import { FORGOTTEN, holdLease, type LedgerEntry, type Survey } from "../polling/index.ts";
import { CLAIM_CHECKS } from "../publisher/claim-check.ts";
import type { SourceGraph } from "../run/wiring.ts";
import { onSurvey, operation } from "./operation.ts";

/**
 * Forgets a response. Its entry keeps only that it is settled, and nothing else of it stays in the ledger, the state and the bucket. It is
 * done under the lease of its survey, so that nobody writes any of it meanwhile.
 */
export const forget = operation({
  input: section({
    surveyId: z.int().positive(),
    response: z.union([z.int().positive(), z.templateLiteral(["record-", z.string().regex(/^[\w-]+$/)])]),
  }),
  async run(context, { surveyId, response }) {
    const { source, bucket } = context.graph;
    // Of a survey that is not polled any more too: nothing of the account is needed.
    const work = { surveyId, account: { rows: new Map() }, patience: 0 };
    const done = await onSurvey(context, work, (survey) => forgetResponse(survey, response, bucket));
    const outcome = done ?? "busy";
    context.logger.info("forget", { source: source.name, surveyId, outcome });
    return { outcome };
  },
});

async function forgetResponse(survey: Survey, id: LedgerEntry["id"], bucket: SourceGraph["bucket"]) {
  const { id: surveyId, ports, source } = survey;
  const entry = (await ports.state.entries(surveyId, [id])).get(id);
  // What is kept is not read with it: only what was written by this very operation is known to be bare.
  if (entry === undefined || !isDeepStrictEqual(entry, bareEntry(entry))) {
    await holdLease(survey);
    // One that was never met must not go out either, once a backfill or the service shows it.
    await ports.state.putEntries(surveyId, [bareEntry(entry ?? { id, state: "before-start" })]);
  }
  // After that: what an entry points to is there as long as it does.
  const found = await Promise.all(
    prefixesOf(source.name, surveyId, id, entry).map((prefix) => bucket.keysUnder(prefix)),
  );
  await Promise.all(found.flat().map((key) => bucket.delete(key)));
  return "done";
}

/**
 * The entry of a forgotten response. One that went out keeps the id of its event, which the digest of the books counts. It keeps no digest
 * and no count: without them no reading of it differs, and its event is never replaced. Any other one counts as before the start, and never
 * goes out.
 */
export function bareEntry({ id, state, eventId, revision, gone }: LedgerEntry): LedgerEntry {
  if (state !== "emitted") return { id, state: "before-start", reason: FORGOTTEN };
  return {
    ...{ id, state, reason: FORGOTTEN },
    ...(eventId === undefined ? {} : { eventId }),
    ...(revision === undefined ? {} : { revision }),
    ...(gone === undefined ? {} : { gone }),
  };
}

export function isForgotten({ reason }: Pick<LedgerEntry, "reason">): boolean {
  return reason === FORGOTTEN;
}

/** The beginnings of the keys of all objects that hold something of a response: its kept records, and the answers of its events. */
export function prefixesOf(
  source: string,
  surveyId: number,
  id: LedgerEntry["id"],
  { revision = 1, next }: Pick<LedgerEntry, "revision" | "next"> = {},
): string[] {
  const kept = `kept/${source}/${surveyId}/${id}/`;
  if (typeof id !== "number") return [kept];
  // One more may have been made ready for the bus, which did not take it.
  const last = Math.max(revision, next?.revision ?? 1);
  const revisions = Array.from({ length: last + 1 }, (_, i) => i + 1);
  return [kept, ...revisions.map((one) => `${CLAIM_CHECKS}${eventId(source, surveyId, id, one)}/`)];
}
