import * as z from "zod";
import { section } from "../config/fields.ts";
import { type EntryState, holdLease, type LedgerEntry, type Survey } from "../polling/index.ts";
import type { SourceGraph } from "../run/wiring.ts";
import { bareEntry, isBare, prefixesOf } from "./forgotten.ts";
import type { Operation } from "./operation.ts";
import { onSurvey } from "./survey-work.ts";

const RESPONSE = "must be a responseId, or the id of a record as the ledger has it";

export interface ForgetInput {
  surveyId: number;
  response: LedgerEntry["id"];
}

/** Busy: someone else works on the survey. */
export type Forgotten =
  | { outcome: "busy" }
  | {
      outcome: "done";
      /** In which state it was; null where the ledger has no entry. */
      was: EntryState | null;
      /** Objects of the bucket that were deleted. */
      objects: number;
    };

/**
 * Forgets a response. Its entry keeps only that it is settled, and nothing else of it stays in the ledger, the state and the bucket. It is
 * done under the lease of its survey, so that nobody writes any of it meanwhile.
 */
export const forget: Operation<ForgetInput, Forgotten> = {
  input: section({
    surveyId: z.int({ error: "must be a survey id" }).positive({ error: "must be a survey id" }),
    response: z.union([z.int().positive(), z.templateLiteral(["record-", z.string().regex(/^[\w-]+$/)])], {
      error: RESPONSE,
    }),
  }),
  async run(context, { surveyId, response }) {
    const { graph, deadline, abortsAt, logger } = context;
    const { source, bucket } = graph;
    const ports = graph.begin(abortsAt);
    // Of a survey that is not polled any more too: nothing of the account is needed.
    const work = { surveyId, ports, account: { rows: new Map() }, until: deadline, patience: 0 };
    const done = await onSurvey(context, work, (survey) => forgetResponse(survey, response, bucket));
    logger.info("forget", { source: source.name, surveyId, outcome: done?.outcome ?? "busy" });
    return done ?? { outcome: "busy" };
  },
};

async function forgetResponse(
  survey: Survey,
  id: LedgerEntry["id"],
  bucket: SourceGraph["bucket"],
): Promise<Forgotten> {
  const { id: surveyId, ports, source } = survey;
  const entry = (await ports.state.entries(surveyId, [id])).get(id);
  // Which revision of it is out nobody knows until the reading that meets it next has said so.
  if (entry?.next !== undefined && entry.refusedRevision === undefined) return { outcome: "busy" };
  // What is kept is not read with it: only what was written by this very operation is known to be bare.
  if (entry === undefined || !isBare(entry)) {
    await holdLease(survey);
    // One that was never met must not go out either, once a backfill or the service shows it.
    await ports.state.putEntries(surveyId, [bareEntry(entry ?? { id, state: "before-start" })]);
  }
  // After that: what an entry points to is there as long as it does.
  const found = await Promise.all(
    prefixesOf(source.name, surveyId, id, entry).map((prefix) => bucket.keysUnder(prefix)),
  );
  const keys = found.flat();
  await Promise.all(keys.map((key) => bucket.delete(key)));
  return { outcome: "done", was: entry?.state ?? null, objects: keys.length };
}
