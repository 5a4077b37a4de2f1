import { errorCode } from "../../../lib/errors.ts";
import { credible } from "../../../lib/events/build/date-string.ts";
import type { ResponseCompleted } from "../../../lib/events/index.ts";
import { earliestString, type Start, type TickSummary } from "../../../lib/polling/index.ts";
import type { Store } from "../../support/state-store.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import { type BusWatch, hasContents } from "../ports/publisher-port.ts";
import type { ServiceWatch } from "../ports/service-answers.ts";
import type { StateWatch } from "../ports/state-port.ts";
import type { SimResponse, SimSurvey } from "../service/survey-model.ts";
import { createPageLog } from "../sometimes/page-log.ts";
import { noteResponses } from "../sometimes/responses.ts";
import type { World } from "../world.ts";
import { createBacklogCheck } from "./backlog-check.ts";
import { type BooksCheck, createBooksCheck } from "./books-check.ts";
import { createBooksTold } from "./books-told.ts";
import { wrongContent } from "./content.ts";
import { createDeletions } from "./deletions.ts";
import { createDeliveries, type Deliveries } from "./deliveries.ts";
import { type Duty, dutyOf, latestDate } from "./duty.ts";
import { isDistrusted } from "./excluded.ts";
import { failsBehindEnd } from "./failing-ends.ts";
import { createHangLog } from "./hanging.ts";
import { aboveBacklogWithin, boundOf } from "./lateness.ts";
import { createDetailLog } from "./missing-details.ts";
import { createRecheckLog } from "./rechecks.ts";
import { createRequestLog, type RequestLog } from "./requests.ts";
import { createRestCheck, type Unfinished } from "./rest.ts";
import { createSurveyChanges } from "./survey-changes.ts";
import { createSurveyCounts } from "./survey-counts.ts";
import { createViolations, type Violations } from "./violations.ts";

/** Holds the poller's doings against the truth while a history runs, and once it has come to rest. */
export interface Oracle {
  violations: Violations;
  deliveries: Deliveries;
  requests: RequestLog;
  service: ServiceWatch;
  state: StateWatch;
  bus: BusWatch;
  died(process: WorkerProcess): void;
  /** A tick, or a round of catching up, has ended. */
  workEnded(process: WorkerProcess, outcome: { surveys: readonly Worked[]; error?: unknown }): void;
  /** What has not come to rest yet; undefined when everything has, and is proved. */
  unfinished(): Unfinished | undefined;
  /** Everything that is only certain at the end. */
  atEnd(): void;
}

/** A survey that was worked on. */
type Worked = Pick<TickSummary["surveys"][number], "surveyId" | "failure">;

/** Errors that tell of a fault in the poller itself. */
const bugs = new Set(["MISUSE", "TypeError", "RangeError", "ReferenceError", "SyntaxError", "Error", "UNKNOWN"]);

export function createOracle(world: World, store: Store): Oracle {
  const violations = createViolations(world);
  const deliveries = createDeliveries(world, violations, store);
  const books: BooksCheck = createBooksCheck(world, store, deliveries, violations);
  const booksTold = createBooksTold(world, violations, { deliveries, books: (id) => books.facts(id)?.books });
  const deletions = createDeletions(world, store, violations, deliveries);
  const surveyChanges = createSurveyChanges(world, violations);
  const counts = createSurveyCounts(world, violations);
  const details = createDetailLog(world);
  const hangs = createHangLog(world, violations);
  const rechecks = createRecheckLog(world, violations);
  const pages = createPageLog(world);
  const requests = createRequestLog(world, violations, store);
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
  const backlogs = createBacklogCheck(world, violations, {
    mustBeMet: (response) => dutyNow(response) === "must" && deliveries.of(response.id).length === 0,
    entries: store.entries,
  });
  const rest = createRestCheck(world, store, {
    books,
    booksTold,
    deletions,
    surveyChanges,
    counts,
    deliveries,
    dutyNow,
  });
  const nameOf = ({ survey, id }: SimResponse): string => `${survey.id}/${id}`;

  const delivered = (process: WorkerProcess, detail: ResponseCompleted, answered: boolean): void => {
    const { data } = detail;
    const name = `${data.surveyId}/${data.responseId}`;
    hangs.delivered(detail);
    const wrong = wrongContent(world, detail) ?? details.wrongMissing(detail);
    if (wrong !== undefined) violations.add("content", `${name}: ${wrong}`);
    const response = world.responses.get(data.responseId);
    if (response !== undefined && dutyNow(response) === "must-not") {
      violations.add("start", `${name} was emitted although it is history`);
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
    return boundOf(world, response, { isTrusted: isTrusted(survey, completedAt) });
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
    violations.add("late", told);
  };

  /** A response may be deleted; one that was there for longer than it may take must have been emitted before. */
  const checkDeleted = (): void => {
    for (const response of world.responses.values()) {
      const { completedAt = Infinity, removedAt, id } = response;
      if (removedAt === undefined || deliveries.of(id).length > 0 || dutyNow(response) !== "must") continue;
      const doneAt = books.facts(response.survey.id)?.readAt ?? Infinity;
      const limit = limitOf(response);
      if (limit === undefined || completedAt <= doneAt || removedAt - completedAt <= limit.bound) continue;
      violations.add(
        "lost",
        `${nameOf(response)} (${limit.name}) was deleted after ${removedAt - completedAt} ms unseen`,
      );
    }
  };

  return {
    violations,
    deliveries,
    requests,
    service: {
      request: (operation) => requests.note(operation),
      listed: counts.listed,
      page: pages.read,
      asked: details.asked,
      single(responseId) {
        rechecks.asked(responseId);
        const { readOpenAt, completedAt } = world.responses.get(responseId) ?? {};
        const isNews = readOpenAt !== undefined && completedAt !== undefined && deliveries.of(responseId).length === 0;
        if (isNews) world.sometimes("operation 9 is first to show a completion");
      },
      detail(kind, response, answer) {
        details.note(kind, response, answer);
        hangs.note(kind, response, answer);
      },
      hangs: hangs.hangs,
    },
    state: {
      accountSaved(_process, changes) {
        world.scatteredAt = Math.min(world.scatteredAt, changes.scattered ?? Infinity);
        start ??= changes.start;
        const { at = null } = changes.start ?? {};
        if (at !== null && !credible(at, scheduler.now()))
          violations.add("start", `the start is set to ${at}, which is no date of the past`);
        // Our clock may set it only where no zone could make that later than what is to come.
        const isShown = at === null || [...world.responses.values()].some((one) => (latestDate(one) ?? "") >= at);
        const isClock = at !== null && at <= earliestString(scheduler.now());
        const { startFrom, timeZone } = world.plan.source;
        if (startFrom === "now" && timeZone === undefined && !isShown && !isClock)
          violations.add("start", `the start is set to ${at}, and no response has completed as late`);
      },
      leaseTaken(process, surveyId, fence) {
        fences.set(`${process.name} ${surveyId}`, fence);
        deliveries.leaseTaken(process, surveyId);
        backlogs.leaseTaken(surveyId);
      },
      markWritten(process, surveyId, before, after, released) {
        books.markWritten(surveyId, before, after);
        booksTold.markWritten(surveyId, before, after);
        deletions.markWritten(surveyId, before, after);
        for (const { id, revision = 1 } of after.pending ?? []) deliveries.settle(id, revision);
        backlogs.markWritten(surveyId, before, after);
        if (released) deliveries.leaseReleased(process, surveyId);
      },
      entryWritten(_process, surveyId, entry, before) {
        if (entry.state === "emitted") {
          const { id, revision = 1 } = entry;
          const sent = typeof id === "number" ? deliveries.of(id) : [];
          if (!sent.some((one) => one.revision === revision)) {
            violations.add("ledger", `${surveyId}/${id} is in the ledger as emitted, but never was`);
          }
          if (before?.state === "emitted" && (before.revision ?? 1) > revision) {
            violations.add("ledger", `${surveyId}/${id} went back from revision ${before.revision} to ${revision}`);
          }
          deliveries.settle(id, revision);
        }
      },
    },
    bus: {
      sent(process, batch) {
        for (const surveyId of new Set(batch.map(({ detail }) => detail.data.surveyId))) {
          const item = store.marks.get(surveyId);
          if (item?.fence === fences.get(`${process.name} ${surveyId}`)) continue;
          violations.add("fence", `${process.name} publishes for survey ${surveyId} after its lease was taken over`);
        }
      },
      delivered(process, event, answered) {
        if (hasContents(event)) delivered(process, event.detail, answered);
        if (event.type === "books.closed") booksTold.delivered(event.detail);
        if (event.type === "survey.changed") surveyChanges.delivered(event.detail);
        if (event.type === "survey.counted") counts.delivered(event.detail);
        if (event.type === "response.deleted") deletions.delivered(event.detail);
      },
      refused: (detail) => deliveries.refuse(detail.data.responseId),
    },
    died(process) {
      deliveries.died(process);
      pages.ended(process);
    },
    workEnded(process, { surveys, error }) {
      pages.ended(process);
      const isLiveness = process.beganAt > world.livenessFrom + world.plan.source.interval;
      const failed = (code: string, what: string, surveyId?: number): void => {
        if (!bugs.has(code) && (!isLiveness || failsBehindEnd(world, surveyId))) return;
        violations.add("failure", `${process.name} ended with ${code}: ${what}`);
      };
      for (const { failure, surveyId } of surveys) {
        if (failure !== undefined) failed(failure.code, `survey ${surveyId}: ${failure.message}`, surveyId);
      }
      if (error !== undefined) failed(errorCode(error), String((error as Error).stack ?? error));
    },
    unfinished: rest.unfinished,
    atEnd() {
      const left = rest.unfinished();
      if (left !== undefined) violations.add(left.rule, left.told);
      checkDeleted();
      noteResponses(world, { deliveriesOf: deliveries.of, dutyNow });
      rechecks.atEnd((survey) => isTrusted(survey, world.livenessFrom));
      requests.atEnd();
    },
  };
}
