import * as z from "zod";
import { flag, section } from "../config/fields.ts";
import { errorCode } from "../errors.ts";
import { CHANGES } from "../events/contract.ts";
import { eventId } from "../events/index.ts";
import {
  batchOf,
  type ContentsEvent,
  checkOwnState,
  classOf,
  digestOf,
  endsWork,
  enrich,
  FORGOTTEN,
  fromRead,
  isSingleOnly,
  isTrusted,
  isWhole,
  type LedgerEntry,
  learnedBy,
  makeEvent,
  mayAnswer,
  observeSent,
  type Ports,
  pauseOf,
  publishBatch,
  type ReadEnd,
  type Run,
  readPages,
  readRecord,
  type Survey,
} from "../polling/index.ts";
import { isForgotten } from "./forget.ts";
import { entriesOf, onSurvey, operation, refusePaused } from "./operation.ts";

/** Responses that one invocation takes. */
export const MOST_RESENT = 5_000;
/** Milliseconds after which an invocation says how far it has come, and Ctrl-C is heard. */
const SLICE = 30_000;
/** Responses that are asked for at once, and whose events are made and published under one lease: news wait for it. */
const AT_ONCE = 20;

/** Where a reading for responses goes on. Partial: something may have slipped through what was read so far. */
export interface ResendPlace {
  page: number;
  isPartial: boolean;
}

const id = z.int().nonnegative();

/**
 * Sends the last events of some responses once more: the same event id and revision, `origin` "replay". Only where the service still shows
 * the contents of that event. The ledger is not changed.
 */
export const resend = operation({
  input: section({
    surveyId: id,
    responseIds: z.array(id).nonempty().max(MOST_RESENT),
    /** As the invocation before has given it. */
    from: section({ page: id, isPartial: flag() }).optional(),
  }),
  async run(
    context,
    { surveyId, responseIds, from = { page: 1, isPartial: false } },
  ): Promise<Omit<Part, "read"> & { results: Resent[] }> {
    const { deadline } = context;
    const { source, service } = context.graph;
    // News go first.
    const ports = { ...context.ports, service: context.ports.backlog ?? context.ports.service };
    const account = await ports.state.account();
    checkOwnState(account, { source, service });
    // For the end of a short pause the client waits.
    if (pauseOf(ports, account) !== undefined) refusePaused(account);
    const entries = await entriesOf(ports, surveyId, [...new Set(responseIds)]);
    const emitted: EmittedEntry[] = [];
    const results: Resent[] = [];
    for (const responseId of new Set(responseIds)) {
      const { state = "unknown", eventId: own, ...entry } = entries.get(responseId) ?? {};
      if (state === "emitted" && !isForgotten(entry) && own !== undefined)
        emitted.push({ ...entry, id: responseId, state, eventId: own });
      else {
        const reason = isForgotten(entry) ? FORGOTTEN : state;
        results.push({ responseId, eventId: null, revision: null, outcome: "not-emitted", reason });
      }
    }
    if (emitted.length === 0) return { results, left: [] };

    const until = Math.min(deadline, ports.clock.now() + SLICE);
    const asking = { ports, source, learned: learnedBy(account) };
    const counts = account.rows.get(surveyId)?.counts ?? [];
    const listed = Math.max(0, ...counts.map((one) => one ?? 0));
    const of = { surveyId, service: ports.service, isScattered: isSingleOnly(asking), listed };
    // Only then the digest of what the single read gives is that of an unchanged response.
    const isById = isTrusted(asking) && mayAnswer(asking);
    for await (const { read, ...rest } of isById ? readById(of, emitted) : readByPages(of, emitted, from)) {
      const judged = read.map((one) => ("outcome" in one ? one : (whyNot(one) ?? one)));
      results.push(...judged.filter((one) => "outcome" in one));
      const same = judged.filter((one) => "run" in one);
      for (let i = 0; i < same.length; i += AT_ONCE) {
        const some = same.slice(i, i + AT_ONCE);
        const work = { surveyId, account, until };
        const done = await onSurvey({ ...context, ports }, work, (survey) => sendSame(survey, some));
        results.push(...(done ?? some.map(({ entry }) => resent(entry, "failed", "SURVEY_BUSY"))));
      }
      if (rest.left.length === 0) break;
      if (ports.clock.now() >= until) return { results, ...rest };
    }
    return { results, left: [] };
  },
});

/** Listed: responses by the survey list. Scattered: the records of a response may stand anywhere in the list. */
type Reading = Pick<Ports, "service"> & { surveyId: number; isScattered: boolean; listed: number };

/** What was read of some responses, or the outcome where they cannot be sent; and those that are still to be read, from `from` on. */
interface Part {
  read: (ReadAgain | Resent)[];
  left: number[];
  from?: ResendPlace;
}

async function* readById({ service, surveyId }: Reading, entries: readonly EmittedEntry[]): AsyncGenerator<Part> {
  const read = async (entry: EmittedEntry): Promise<ReadAgain | Resent> => {
    try {
      const answer = await service.response(surveyId, entry.id);
      if (answer.kind === "absent" || answer.body.length === 0) return resent(entry, "gone");
      const run = { responseId: entry.id, records: answer.body.map((record) => readRecord(record)) };
      return { entry, run, isWhole: true };
    } catch (error) {
      return failed(entry, error);
    }
  };
  for (const rest = [...entries]; rest.length > 0; ) {
    const some = await Promise.all(rest.splice(0, AT_ONCE).map(read));
    yield { read: some, left: rest.map((entry) => entry.id) };
  }
}

/** One that fails keeps none of the others from it. */
function failed(entry: EmittedEntry, error: unknown): Resent {
  if (endsWork(error)) throw error;
  return resent(entry, "failed", errorCode(error));
}

/**
 * Finds responses on the pages of the list, the newest first. All seams are proved, so that what stands at the edge of a page is joined, and what
 * is not met is not listed.
 */
async function* readByPages(
  { service, surveyId, isScattered, listed }: Reading,
  entries: readonly EmittedEntry[],
  from: ResendPlace,
): AsyncGenerator<Part> {
  const wanted = new Map(entries.map((entry) => [entry.id, entry]));
  const steps = readPages({
    kind: "full",
    from: from.page,
    read: (page) => service.page(surveyId, page, "desc"),
    skips: new Set(),
    classify: async () => undefined,
    expected: { responses: listed, lastPage: 0 },
    isAnchor: () => true,
  });
  for await (const { fragments, position, covered, moved, end } of steps) {
    const read = fragments.flatMap((fragment): Part["read"] => {
      const { responseId, records } = fragment;
      const entry = wanted.get(responseId);
      wanted.delete(responseId);
      // Where records are scattered there may be more of it anywhere.
      const isAll = isWhole(fragment) && !isScattered;
      return entry === undefined ? [] : [{ entry, run: { responseId, records }, isWhole: isAll }];
    });
    const place = { page: Math.max(1, position), isPartial: from.isPartial || !covered || moved };
    if (end !== undefined) read.push(...[...wanted.values()].map((entry) => notMet(entry, end, place)));
    yield { read, left: end === undefined ? [...wanted.keys()] : [], from: place };
  }
}

function notMet(entry: EmittedEntry, end: ReadEnd, { isPartial }: ResendPlace): Resent {
  // Closed books do not list it any more.
  if (entry.gone !== undefined) return resent(entry, "gone");
  if (end.kind === "failed") return resent(entry, "unproved", `page ${end.page}: ${errorCode(end.error)}`);
  if (end.kind !== "end" || end.isEmpty || isPartial)
    return resent(entry, "unproved", "the list moved while it was read");
  return resent(entry, "gone");
}

type EmittedEntry = LedgerEntry & { id: number; eventId: string };

/** An emitted response, and how the service shows it now. */
interface ReadAgain {
  entry: EmittedEntry;
  run: Run;
  /** Whether these are all of its records, however they lie. */
  isWhole: boolean;
}

/**
 * | outcome | meaning |
 * |---|---|
 * | sent | the bus has taken its event once more |
 * | changed | the service shows other contents than those of the event, so that these may not go out under its id |
 * | gone | the service does not show it any more |
 * | not-emitted | the ledger has no event of it to be sent; `reason` is its state, "forgotten" or "unknown" |
 * | unproved | nobody can tell now whether what was read is what its event has |
 * | failed | something could not be had, or the bus did not take it; `reason` is a code |
 * | refused | the bus refuses it for good; `reason` is its code |
 */
type ResendOutcome = "sent" | "changed" | "gone" | "not-emitted" | "unproved" | "failed" | "refused";

export interface Resent {
  responseId: number;
  eventId: string | null;
  revision: number | null;
  outcome: ResendOutcome;
  reason: string | null;
}

function resent(entry: EmittedEntry, outcome: ResendOutcome, reason: string | null = null): Resent {
  const { id, eventId, revision = 1 } = entry;
  return { responseId: id, eventId, revision, outcome, reason };
}

/**
 * Sends the last events of responses once more, under the lease of their survey, so that nobody replaces or forgets any of them meanwhile. Each is
 * made anew; what has become another one since it was read is left out. The ledger is not changed.
 */
async function sendSame(survey: Survey, read: readonly ReadAgain[]): Promise<Resent[]> {
  const ids = read.map(({ entry }) => entry.id);
  const entries = await survey.ports.state.entries(survey.id, ids);
  const made = await Promise.all(
    read.map(async ({ entry, run }) => {
      const now = entries.get(entry.id);
      const isSame = now?.eventId === entry.eventId && now.digest === entry.digest && !isForgotten(now);
      if (!isSame) return resent(entry, "failed", "CHANGED_MEANWHILE");
      return remake(survey, entry, run).catch((error: unknown) => failed(entry, error));
    }),
  );
  const results = made.filter((one) => "outcome" in one);
  for (const rest = made.filter((one) => ("sealed" in one)); rest.length > 0; ) {
    const batch = rest.splice(0, batchOf(rest).length);
    const { answers, bus } = await publishBatch(survey, batch);
    observeSent(survey, answers, { bus });
    for (const { ready, outcome } of answers) {
      const isSent = outcome.kind === "published";
      results.push(isSent ? resent(ready.entry, "sent") : resent(ready.entry, outcome.kind, `bus:${outcome.code}`));
    }
  }
  return results;
}

/** Parts of an event that it goes out without: there are none, or a service that works does not want to give them. */
const WITHOUT = new Set(["absent", "BAD_REQUEST", "NOT_ALLOWED"]);

/**
 * Makes the last event of a response once more: the same id and revision, from the same records. Metrics, metadata and questions are asked for
 * anew. `detectedAt` is when the bus took it first, so that books which hold the event hold this one too.
 */
async function remake(
  survey: Survey,
  entry: EmittedEntry,
  run: Run,
): Promise<(ContentsEvent & { entry: EmittedEntry }) | Resent> {
  const now = survey.ports.clock.now();
  const { id, revision = 1, emittedAt = now } = entry;
  // The ledger does not say what an update told of.
  const before = { ...entry, eventId: eventId(survey.source.name, survey.id, id, revision - 1) };
  const replaces = revision === 1 ? undefined : { entry: before, changes: [...CHANGES], observedAt: emittedAt };
  const had = await enrich(survey, id, {}, { firstSeen: now });
  const failures = had.lacks.filter(({ code, isFinal }) => !isFinal && !WITHOUT.has(code));
  if (failures.length > 0)
    return resent(entry, "failed", failures.map(({ part, code }) => `${part}:${code}`).join(" "));
  const read = fromRead(survey, run, { proof: "its page", replaces, origin: "replay" });
  const response = { ...read, details: had.details };
  const made = await makeEvent(survey, response, had, { revision, detectedAt: emittedAt });
  // Nothing else may go out for it.
  const isSame = made.event.detail.meta.eventId === entry.eventId;
  return isSame ? { entry, ...made } : resent(entry, "failed", "OTHER_EVENT_ID");
}

/**
 * Why a response may not go out under the id of its last event; undefined where it may. It may where its contents are those of that event,
 * by their digest and number: no revision has two contents (R19).
 */
function whyNot({ entry, run, isWhole }: ReadAgain): Resent | undefined {
  const { digest, count, refusedRevision } = entry;
  if (digest === undefined) return resent(entry, "unproved", "no digest of its event is known");
  // Of one whose replacement was refused the digest is that of the refused contents, and no longer that of the event.
  if (refusedRevision !== undefined) return resent(entry, "changed");
  const isSame = classOf(run) === "completed" && run.records.length === count && digestOf(run) === digest;
  if (isSame) return undefined;
  return isWhole ? resent(entry, "changed") : resent(entry, "unproved", "not all of its records could be read at once");
}
