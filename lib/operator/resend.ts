import * as z from "zod";
import { flag, section } from "../config/fields.ts";
import { holdLease, LEASE_DURATION } from "../polling/lease.ts";
import { FORGOTTEN, type LedgerEntry } from "../polling/model/ledger-entry.ts";
import type { Mark } from "../polling/model/mark.ts";
import type { Ports } from "../polling/ports.ts";
import { checkOwnState, pauseOf } from "../polling/tick/tick-request.ts";
import { isForgotten } from "./forgotten.ts";
import type { Operation } from "./operation.ts";
import { canAskById, resendById } from "./resend/by-id.ts";
import { type ResendPlace, resendByPages } from "./resend/by-pages.ts";
import type { EmittedEntry, Resent } from "./resend/resending.ts";
import { onSurvey } from "./survey-work.ts";

/** Responses that one invocation takes. */
export const MOST_RESENT = 5_000;
/** Milliseconds after which an invocation says how far it has come, and Ctrl-C is heard. */
const SLICE = 30_000;
const READ_AT_ONCE = 100;

export interface ResendInput {
  surveyId: number;
  responseIds: number[];
  /** As the invocation before has given it. */
  from?: ResendPlace | undefined;
}

export interface ResendResult {
  results: Resent[];
  /** Responses that are still to be dealt with: by another invocation, from `from` on. */
  left: number[];
  from?: ResendPlace;
  /** The last page of the list when that was looked for last. */
  lastPage?: number;
  /** Why nothing could be done now: a poll is at work on the survey, or the service asked to be left alone. */
  stopped?: { kind: "busy" } | { kind: "paused"; until: number };
}

const id = z.int({ error: "must be an id" }).nonnegative({ error: "must be an id" });

/**
 * Sends the last events of some responses once more: the same event id and revision, `origin` "replay". Only where the service still shows
 * the contents of that event. The ledger is not changed.
 */
export const resend: Operation<ResendInput, ResendResult> = {
  input: section({
    surveyId: id,
    responseIds: z.array(id).nonempty().max(MOST_RESENT),
    from: section({ page: id, isPartial: flag() }).optional(),
  }),
  async run(context, { surveyId, responseIds, from = { page: 1, isPartial: false } }) {
    const { graph, owner, deadline, abortsAt } = context;
    const { source, service, begin } = graph;
    const given = begin(abortsAt);
    // News go first.
    const ports = { ...given, service: given.backlog ?? given.service };
    const account = await ports.state.account();
    checkOwnState(account, { source, service });
    const { emitted, results } = await readEntries(ports, surveyId, responseIds);
    if (emitted.length === 0) return { results, left: [] };
    const left = emitted.map((entry) => entry.id);
    const place = from.page === 1 ? {} : { from };
    const pausedUntil = pauseOf({ ports, source, deadline }, account);
    if (pausedUntil !== undefined) return { results, left, ...place, stopped: { kind: "paused", until: pausedUntil } };
    const mark = await readMark(ports, surveyId, owner);
    if (mark === undefined) return { results, left, ...place, stopped: { kind: "busy" } };
    const until = Math.min(deadline, ports.clock.now() + SLICE);
    const ctx = {
      ports,
      source,
      surveyId,
      mark,
      shortPageEnds: account.shortPageEnds,
      until,
      underLease: <T>(work: (hold: () => Promise<void>) => Promise<T>) =>
        onSurvey(context, { surveyId, ports, account, until }, (ctx) => work(() => holdLease(ctx))),
    };
    const done = canAskById(ctx) ? await resendById(ctx, emitted) : await resendByPages(ctx, emitted, from);
    const pages = mark.lastPage === undefined ? {} : { lastPage: mark.lastPage };
    return { ...done, results: [...results, ...done.results], ...pages };
  },
};

/** The entries that the ledger has as emitted; the others are told. */
async function readEntries(
  { state }: Ports,
  surveyId: number,
  responseIds: readonly number[],
): Promise<{ emitted: EmittedEntry[]; results: Resent[] }> {
  const ids = [...new Set(responseIds)];
  const emitted: EmittedEntry[] = [];
  const results: Resent[] = [];
  for (let i = 0; i < ids.length; i += READ_AT_ONCE) {
    const some = ids.slice(i, i + READ_AT_ONCE);
    const entries = await state.entries(surveyId, some);
    for (const responseId of some) {
      const entry = entries.get(responseId);
      if (isEmitted(entry)) emitted.push(entry);
      else {
        const reason = entry !== undefined && isForgotten(entry) ? FORGOTTEN : (entry?.state ?? "unknown");
        const none = { eventId: null, revision: null, update: null };
        results.push({ responseId, ...none, outcome: "not-emitted", reason });
      }
    }
  }
  return { emitted, results };
}

function isEmitted(entry: LedgerEntry | undefined): entry is EmittedEntry {
  return (
    entry?.state === "emitted" && !isForgotten(entry) && entry.eventId !== undefined && typeof entry.id === "number"
  );
}

/** The mark of the survey; undefined while a poll is at work on it. The lease is given back at once: polls are not kept waiting. */
async function readMark({ state }: Ports, surveyId: number, owner: string): Promise<Mark | undefined> {
  const lease = await state.acquire(surveyId, owner, LEASE_DURATION);
  if (lease === undefined) return undefined;
  await state.release(lease, lease.mark);
  return lease.mark;
}
