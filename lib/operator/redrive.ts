import * as z from "zod";
import { section } from "../config/fields.ts";
import {
  classOf,
  endsWork,
  failureOf,
  holdLease,
  isBefore,
  isSingleOnly,
  type LedgerEntry,
  readRecord,
  type Survey,
  selected,
  takeOut,
  withoutRecords,
} from "../polling/index.ts";
import { makeDue, type OperationContext, onSurvey, operation } from "./operation.ts";

export interface SurveyRedrive {
  surveyId: number;
  /** Busy: someone else holds the lease. Unfinished: the time was up. Not polled: the source leaves it out, so that nothing put back would ever go out. */
  outcome: "done" | "unfinished" | "busy" | "failed" | "not polled";
  /** Put back on their way: they go out at the next tick, or once they are read again where their records are gone. */
  putBack: number;
  /** Failed: unreadable in the table or the vault. The first failure stands in `failure`. */
  left: Record<Stays | "failed", number>;
  /** Code and message of the failure; nothing personal. */
  failure?: { code: string; message: string };
}

const WRITTEN_AT_ONCE = 25;

/**
 * Puts responses that were set aside back on their way; they go out at the next tick. A survey that fails does not keep it from the
 * others. One whose outcome is "unfinished" is to be asked for again.
 */
export const redrive = operation({
  input: section({
    surveyIds: z
      .array(z.int().positive())
      .nonempty()
      .transform((ids) => [...new Set(ids)]),
    reason: z.string().optional(),
  }),
  async run(context, { surveyIds, reason }) {
    const { graph, ports, logger } = context;
    const surveys: SurveyRedrive[] = [];
    for (const surveyId of surveyIds) surveys.push(await redriveSurvey(context, surveyId, reason));
    const due = surveys.filter(({ putBack }) => putBack > 0).map(({ surveyId }) => surveyId);
    await makeDue(ports, due);
    for (const survey of surveys)
      logger[survey.outcome === "failed" ? "warn" : "info"]("redrive", { source: graph.source.name, ...survey });
    return { surveys };
  },
});

async function redriveSurvey(
  context: OperationContext,
  surveyId: number,
  reason: string | undefined,
): Promise<SurveyRedrive> {
  const left = { unreadable: 0, withoutRecords: 0, beforeStart: 0, failed: 0 };
  const result: SurveyRedrive = { surveyId, outcome: "done", putBack: 0, left };
  const { graph, ports, deadline } = context;
  if (!selected(surveyId, graph.source.surveys)) return { ...result, outcome: "not polled" };
  if (ports.clock.now() > deadline) return { ...result, outcome: "unfinished" };
  try {
    const work = { surveyId, account: await ports.state.account(), patience: 0 };
    const outcome = await onSurvey(context, work, (survey) => putBack(survey, result, reason));
    return { ...result, outcome: outcome ?? "busy" };
  } catch (error) {
    return { ...result, outcome: "failed", failure: failureOf(error) };
  }
}

async function putBack(
  survey: Survey,
  result: SurveyRedrive,
  reason: string | undefined,
): Promise<SurveyRedrive["outcome"]> {
  const { id: surveyId, ports, deadline } = survey;
  const { state, clock } = ports;
  /** One whose records cannot be read keeps none of the others back. */
  const failed = (error: unknown): "failed" => {
    if (endsWork(error)) throw error;
    result.failure ??= failureOf(error);
    return "failed";
  };
  let from: string | undefined;
  do {
    // A page of a long ledger may hold none of them.
    if (clock.now() > deadline) return "unfinished";
    const page = await state.forRedrive(surveyId, from);
    const wanted = page.entries.filter((entry) => reason === undefined || reasonOf(entry) === reason);
    for (let i = 0; i < wanted.length; i += WRITTEN_AT_ONCE) {
      if (clock.now() > deadline) return "unfinished";
      const some = wanted.slice(i, i + WRITTEN_AT_ONCE);
      const judged = await Promise.all(some.map((entry) => putBackAs(survey, entry).catch(failed)));
      const back = judged.filter((one) => typeof one !== "string");
      for (const one of judged) if (typeof one === "string") result.left[one] += 1;
      if (back.length === 0) continue;
      await holdLease(survey);
      await state.putEntries(surveyId, back);
      result.putBack += back.length;
      // The next full read meets what no head scan does: it is not waited for.
      if (back.some((entry) => entry.state === "emitted") && survey.state.pass === undefined)
        survey.note({ kind: "full read due", at: clock.now() });
    }
    from = page.next;
  } while (from !== undefined);
  return result.failure === undefined ? "done" : "failed";
}

/** Why a response stays set aside. */
type Stays =
  /** Still not readable, or of a survey whose records may lie apart: only the list can tell all that belongs to them. */
  | "unreadable"
  /** Never readable, and its records were dropped after `retention.quarantine`. */
  | "withoutRecords"
  /** Readable by now, and history: the next reading that meets it settles it. */
  | "beforeStart";

async function putBackAs(survey: Survey, entry: LedgerEntry): Promise<LedgerEntry | Stays> {
  const { ports, start } = survey;
  if (entry.state === "emitted") {
    // Fewer records than the service lists: the reading that meets it next replaces its event.
    const { refusedRevision: _, attempts: __, ...emitted } = entry;
    return { ...emitted, count: 0 };
  }
  const kept = await takeOut(survey, entry);
  const isRefused = entry.state === "refused";
  // No walk would ever take what the bus has refused. The service may list it still.
  if (kept === undefined) return isRefused ? withoutRecords(entry, ports.clock.now()) : "withoutRecords";
  if (isRefused) return waiting(entry, ports.clock.now());
  // A single record, of whatever response: only the list has all of that. The same holds where records may lie apart.
  if (typeof entry.id !== "number" || isSingleOnly(survey)) return "unreadable";
  const run = { responseId: entry.id, records: kept.records.map((record) => readRecord(record)) };
  if (classOf(run) !== "completed") return "unreadable";
  const now = ports.clock.now();
  return !entry.isNew && isBefore(run, { start, now }) ? "beforeStart" : waiting(entry, now);
}

/** An entry whose patience begins anew. */
function waiting({ id, digest, count, kept, keptKey, person }: LedgerEntry, now: number): LedgerEntry {
  const begun = { reason: "redriven", origin: "replay", firstSeen: now, attempts: 0, nextCheck: now } as const;
  return { id, state: "waiting", digest, count, kept, keptKey, person, ...begun };
}

/** Why an entry was set aside: of a refused event, or one whose replacement was refused, the code of the bus. */
export function reasonOf({ reason, refusedRevision }: Pick<LedgerEntry, "reason" | "refusedRevision">): string {
  return refusedRevision ?? reason ?? "unknown";
}
