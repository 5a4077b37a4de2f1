import { errorCode } from "../../../lib/errors.ts";
import { credible } from "../../../lib/events/build/date-string.ts";
import type { ResponseCompleted } from "../../../lib/events/index.ts";
import {
  type AccountState,
  earliestString,
  type LedgerEntry,
  type OutgoingEvent,
  type Start,
  type SurveyState,
  type TickSummary,
} from "../../../lib/polling/index.ts";
import type { Store } from "../../support/state-store.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import { hasContents } from "../ports/publisher-port.ts";
import type { SimResponse, SimSurvey } from "../service/survey-model.ts";
import { notePage, noteResponses } from "../sometimes/notes.ts";
import type { World } from "../world.ts";
import { createBacklogCheck } from "./backlog-check.ts";
import { createBooksCheck } from "./books-check.ts";
import { wrongContent } from "./content.ts";
import { createDeliveries } from "./deliveries.ts";
import { createDetailLog } from "./details.ts";
import { failsBehindEnd, isDistrusted } from "./excluded.ts";
import { aboveBacklogWithin, boundOf } from "./lateness.ts";
import { createRecheckLog, createRequestLog } from "./requests.ts";
import { createRestCheck, type Duty, dutyOf, latestDate } from "./rest.ts";
import { createBooksTold, createDeletions, createSurveyChanges, createSurveyCounts } from "./told.ts";

/** A survey that was worked on. */
type Worked = Pick<TickSummary["surveys"][number], "surveyId" | "failure">;

/** Errors that tell of a fault in the poller itself. */
const bugs = new Set(["MISUSE", "TypeError", "RangeError", "ReferenceError", "SyntaxError", "Error", "UNKNOWN"]);

export type Oracle = ReturnType<typeof createOracle>;

/** Holds the poller's doings against the truth while a history runs, and once it has come to rest. */
export function createOracle(world: World, store: Store) {
  const deliveries = createDeliveries(world, store);
  const books = createBooksCheck(world, store, deliveries);
  const booksTold = createBooksTold(world, { deliveries, books: (id) => books.facts(id)?.books });
  const deletions = createDeletions(world, store, deliveries);
  const surveyChanges = createSurveyChanges(world);
  const counts = createSurveyCounts(world);
  const details = createDetailLog(world);
  const rechecks = createRecheckLog(world);
  const requests = createRequestLog(world, store);
  let start: Start | undefined;
  const fences = new Map<string, number>();
  const { scheduler } = world;

  const duties = new Map<number, Duty>();
  const dutyNow = (response: SimResponse): Duty => {
    const known = duties.get(response.id);
    if (known !== undefined) return known;
    const facts = books.facts(response.survey.id);
    const duty = dutyOf(world, response, facts, start);
    // From then on the ledger alone decides.
    const isFinal = facts?.firstBooks !== undefined && response.completedAt !== undefined;
    if (isFinal) duties.set(response.id, duty);
    return duty;
  };
  const backlogs = createBacklogCheck(world, {
    mustBeMet: (response) => dutyNow(response) === "must" && deliveries.of(response.id).length === 0,
    entries: store.entries,
  });
  const unfinished = createRestCheck(world, store, { deliveries, dutyNow }, [
    ["liveness: books", books.wrongAtRest],
    ["liveness: books told", booksTold.wrongAtRest],
    ["deleted", deletions.wrongAtRest],
    ["survey changed", surveyChanges.wrongAtRest],
    ["survey counts", counts.wrongAtRest],
  ]);
  const nameOf = ({ survey, id }: SimResponse): string => `${survey.id}/${id}`;

  const delivered = (process: WorkerProcess, detail: ResponseCompleted, answered: boolean): void => {
    const { data } = detail;
    const name = `${data.surveyId}/${data.responseId}`;
    details.checkWaited(detail);
    const wrong = wrongContent(world, detail) ?? details.wrongMissing(detail);
    if (wrong !== undefined) world.violate("content", `${name}: ${wrong}`);
    const response = world.responses.get(data.responseId);
    if (response !== undefined && dutyNow(response) === "must-not") {
      world.violate("start", `${name} was emitted although it is history`);
    }
    const first = deliveries.of(data.responseId).length === 0;
    deliveries.delivered(process, detail, answered);
    if (response === undefined || !first) return;
    checkLateness(response);
    if (backlogs.waitedSince(response) !== undefined) world.sometimes("news while a backlog is under way");
  };

  /** Whether operation 9 can have equalled a response of the survey that tells what it is worth. */
  const isTrusted = ({ responses }: SimSurvey, at: number): boolean => {
    if (isDistrusted(world)) return false;
    const least = responses.some(({ answers }) => answers > 1) ? 2 : 1;
    return responses.some(({ id, answers }) => answers >= least && (deliveries.of(id)[0]?.at ?? Infinity) < at);
  };

  const limitOf = (response: SimResponse): ReturnType<typeof boundOf> => {
    const { survey, completedAt = 0 } = response;
    return boundOf(world, response, isTrusted(survey, completedAt));
  };

  const checkLateness = (response: SimResponse): void => {
    const doneAt = books.facts(response.survey.id)?.readAt ?? Infinity;
    const { completedAt = 0 } = response;
    const limit =
      completedAt > doneAt && !backlogs.isHeldUp(response)
        ? limitOf(response)
        : aboveBacklogWithin(world, response, backlogs.waitedSince(response));
    const late = scheduler.now() - completedAt;
    if (limit === undefined || late <= limit.bound) return;
    const told = `${nameOf(response)} (${limit.name}) was emitted after ${late / 1000} s instead of ${limit.bound / 1000} s`;
    world.violate("late", told);
  };

  /** A response may be deleted; one that was there for longer than it may take must have been emitted before. */
  const checkDeleted = (): void => {
    for (const response of world.responses.values()) {
      const { completedAt = Infinity, removedAt, id } = response;
      if (removedAt === undefined || deliveries.of(id).length > 0 || dutyNow(response) !== "must") continue;
      const doneAt = books.facts(response.survey.id)?.readAt ?? Infinity;
      const limit = limitOf(response);
      if (limit === undefined || completedAt <= doneAt || removedAt - completedAt <= limit.bound) continue;
      world.violate(
        "lost",
        `${nameOf(response)} (${limit.name}) was deleted after ${removedAt - completedAt} ms unseen`,
      );
    }
  };

  return {
    deliveries,
    requests,
    /** What the service is asked and answers. */
    service: {
      request: (operation: string) => requests.note(operation),
      listed: counts.listed,
      page: (read: Parameters<typeof notePage>[1]) => notePage(world, read),
      asked: details.asked,
      single(responseId: number) {
        rechecks.asked(responseId);
        const { readOpenAt, completedAt } = world.responses.get(responseId) ?? {};
        const isNews = readOpenAt !== undefined && completedAt !== undefined && deliveries.of(responseId).length === 0;
        if (isNews) world.sometimes("operation 9 is first to show a completion");
      },
      answered: details.answered,
      hangs: details.hangs,
    },
    /** What the table takes, at the moment of each effect. */
    state: {
      accountSaved(changes: Partial<AccountState>): void {
        world.scatteredAt = Math.min(world.scatteredAt, changes.scattered ?? Infinity);
        start ??= changes.start;
        const { at = null } = changes.start ?? {};
        if (at !== null && !credible(at, scheduler.now()))
          world.violate("start", `the start is set to ${at}, which is no date of the past`);
        // Our clock may set it only where no zone could make that later than what is to come.
        const isShown = at === null || [...world.responses.values()].some((one) => (latestDate(one) ?? "") >= at);
        const isClock = at !== null && at <= earliestString(scheduler.now());
        const { startFrom, timeZone } = world.plan.source;
        if (startFrom === "now" && timeZone === undefined && !isShown && !isClock)
          world.violate("start", `the start is set to ${at}, and no response has completed as late`);
      },
      leaseTaken(process: WorkerProcess, surveyId: number, fence: number): void {
        fences.set(`${process.name} ${surveyId}`, fence);
        deliveries.leaseTaken(process, surveyId);
        backlogs.leaseTaken(surveyId);
      },
      markWritten(
        process: WorkerProcess,
        surveyId: number,
        before: SurveyState,
        after: SurveyState,
        released: boolean,
      ): void {
        books.markWritten(surveyId, before, after);
        booksTold.markWritten(surveyId, before, after);
        deletions.markWritten(surveyId, before, after);
        for (const { id, revision = 1 } of after.pending ?? []) deliveries.settle(id, revision);
        backlogs.markWritten(surveyId, before, after);
        if (released) deliveries.leaseReleased(process, surveyId);
      },
      entryWritten(surveyId: number, entry: LedgerEntry, before: LedgerEntry | undefined): void {
        if (entry.state !== "emitted") return;
        const { id, revision = 1 } = entry;
        const sent = typeof id === "number" ? deliveries.of(id) : [];
        if (!sent.some((one) => one.revision === revision))
          world.violate("ledger", `${surveyId}/${id} is in the ledger as emitted, but never was`);
        if (before?.state === "emitted" && (before.revision ?? 1) > revision)
          world.violate("ledger", `${surveyId}/${id} went back from revision ${before.revision} to ${revision}`);
        deliveries.settle(id, revision);
      },
    },
    bus: {
      /** A request goes out: the moment from which nobody can take it back. */
      sent(process: WorkerProcess, batch: readonly OutgoingEvent[]): void {
        for (const surveyId of new Set(batch.map(({ detail }) => detail.data.surveyId))) {
          const item = store.marks.get(surveyId);
          if (item?.fence === fences.get(`${process.name} ${surveyId}`)) continue;
          world.violate("fence", `${process.name} publishes for survey ${surveyId} after its lease was taken over`);
        }
      },
      /** The bus has an event. Given with whether the answer that says so will arrive. */
      delivered(process: WorkerProcess, event: OutgoingEvent, answered: boolean): void {
        if (hasContents(event)) delivered(process, event.detail, answered);
        if (event.type === "books.closed") booksTold.delivered(event.detail);
        if (event.type === "survey.changed") surveyChanges.delivered(event.detail);
        if (event.type === "survey.counted") counts.delivered(event.detail);
        if (event.type === "response.deleted") deletions.delivered(event.detail);
      },
      refused: (detail: ResponseCompleted) => deliveries.refuse(detail.data.responseId),
    },
    died: deliveries.died,
    /** A tick, or a round of catching up, has ended. */
    workEnded(process: WorkerProcess, { surveys, error }: { surveys: readonly Worked[]; error?: unknown }): void {
      const isLiveness = process.beganAt > world.livenessFrom + world.plan.source.interval;
      const failed = (code: string, what: string, surveyId?: number): void => {
        if (!bugs.has(code) && (!isLiveness || failsBehindEnd(world, surveyId))) return;
        world.violate("failure", `${process.name} ended with ${code}: ${what}`);
      };
      for (const { failure, surveyId } of surveys) {
        if (failure !== undefined) failed(failure.code, `survey ${surveyId}: ${failure.message}`, surveyId);
      }
      if (error !== undefined) failed(errorCode(error), String((error as Error).stack ?? error));
    },
    /** What has not come to rest yet; undefined when everything has, and is proved. */
    unfinished,
    /** Judges everything that is only certain at the end. */
    atEnd(): void {
      const left = unfinished();
      if (left !== undefined) world.violate(left.rule, left.told);
      checkDeleted();
      noteResponses(world, { deliveriesOf: deliveries.of, dutyNow });
      rechecks.atEnd((survey) => isTrusted(survey, world.livenessFrom));
      requests.atEnd();
    },
  };
}
