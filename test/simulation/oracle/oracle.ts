import { errorCode } from "../../../lib/errors.ts";
import type { ResponseCompleted } from "../../../lib/events/index.ts";
import { selected } from "../../../lib/polling/model/source.ts";
import type { TickSummary } from "../../../lib/polling/tick/tick-summary.ts";
import { trusts } from "../../../lib/polling/tick/trust.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import type { BusWatch } from "../ports/publisher-port.ts";
import type { ServiceWatch } from "../ports/service-answers.ts";
import type { StateWatch } from "../ports/state-port.ts";
import type { Store } from "../ports/store.ts";
import type { SimResponse, SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import { type BooksCheck, createBooksCheck } from "./books-check.ts";
import { createCatchUpCheck } from "./catch-up-check.ts";
import { wrongContent } from "./content.ts";
import { createDeliveries, type Deliveries } from "./deliveries.ts";
import { type Beginning, type Duty, dutyOf } from "./duty.ts";
import { createFailingEnds } from "./failing-ends.ts";
import { createHangLog } from "./hanging.ts";
import { boundOf, peekedWithin } from "./lateness.ts";
import { createDetailLog } from "./missing-details.ts";
import { createRecheckLog } from "./rechecks.ts";
import { createRequestLog, type RequestLog } from "./requests.ts";
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
  tickEnded(process: WorkerProcess, outcome: { summary?: TickSummary; error?: unknown }): void;
  /** What is still to be done; undefined when all of it is, and proved. */
  unfinished(): { rule: string; told: string } | undefined;
  /** Everything that is only certain at the end. */
  atEnd(): void;
}

/** Errors that tell of a fault in the poller itself. */
const bugs = new Set(["MISUSE", "TypeError", "RangeError", "ReferenceError", "SyntaxError", "Error", "UNKNOWN"]);

export function createOracle(world: World, store: Store): Oracle {
  const violations = createViolations(world);
  const deliveries = createDeliveries(world, violations);
  const books: BooksCheck = createBooksCheck(world, deliveries, violations);
  const details = createDetailLog(world);
  const hangs = createHangLog(world, violations);
  const rechecks = createRecheckLog(world, violations);
  const requests = createRequestLog(world, violations, store.account);
  const beginning: Beginning = { firstTick: undefined, sourceFloor: undefined, sourceStands: undefined };
  const firstTicks = new Set<string>();
  const fences = new Map<string, number>();
  /** Since when the poller itself says that the counts of a survey are not to be relied upon. */
  const distrusted = new Map<number, number>();
  const { scheduler } = world;

  const duties = new Map<number, Duty>();
  const dutyNow = (response: SimResponse): Duty => {
    const known = duties.get(response.id);
    if (known !== undefined) return known;
    const facts = books.facts(response.survey.id);
    const duty = dutyOf(world, response, facts, beginning);
    // From then on the floor stands.
    const isFinal = facts?.firstPassDoneAt !== undefined && response.completedAt !== undefined;
    if (isFinal) duties.set(response.id, duty);
    return duty;
  };
  const catchUps = createCatchUpCheck(world, violations, {
    mustBeMet: (response) => dutyNow(response) === "must" && deliveries.of(response.id).length === 0,
    entries: store.entries,
  });
  const failingEnds = createFailingEnds(world);
  const nameOf = ({ survey, id }: SimResponse): string => `${survey.id}/${id}`;

  const delivered = (process: WorkerProcess, detail: ResponseCompleted, answered: boolean): void => {
    const { data } = detail;
    const name = `${data.surveyId}/${data.responseId}`;
    hangs.delivered(detail);
    const wrong = wrongContent(world, detail) ?? details.wrongMissing(detail);
    if (wrong !== undefined) violations.add("content", `${name}: ${wrong}`);
    const response = world.responses.get(data.responseId);
    if (response !== undefined && dutyNow(response) === "must-not") {
      violations.add("floor", `${name} was emitted although it was complete before the floor`);
    }
    const first = deliveries.of(data.responseId).length === 0;
    deliveries.delivered(process, detail, answered);
    if (response !== undefined && first) checkLateness(response);
  };

  /** Whether operation 9 can have equalled a response of the survey that tells what it is worth. */
  const isTrusted = ({ responses }: SimSurvey, at: number): boolean => {
    const least = responses.some(({ answers }) => answers > 1) ? 2 : 1;
    return responses.some(({ id, answers }) => answers >= least && (deliveries.of(id)[0]?.at ?? Infinity) < at);
  };

  const limitOf = (response: SimResponse): ReturnType<typeof boundOf> => {
    const { survey, completedAt = 0 } = response;
    const isDistrusted = (distrusted.get(survey.id) ?? Infinity) <= completedAt;
    return boundOf(world, response, { isTrusted: isTrusted(survey, completedAt), isDistrusted });
  };

  const checkLateness = (response: SimResponse): void => {
    const doneAt = books.facts(response.survey.id)?.firstPassDoneAt ?? Infinity;
    const { completedAt = 0 } = response;
    const limit =
      completedAt > doneAt && !catchUps.isHeldUp(response)
        ? limitOf(response)
        : peekedWithin(world, response, catchUps.waitedSince(response));
    const late = scheduler.now() - completedAt;
    if (limit === undefined || late <= limit.bound) return;
    const told = `${nameOf(response)} (${limit.name}) was emitted after ${late / 1000} s instead of ${limit.bound / 1000} s`;
    violations.add("late", told);
  };

  const oldestMissing = (): { rule: string; told: string } | undefined => {
    for (const survey of world.surveys.values()) {
      for (const response of survey.listed) {
        const state = response.versions.at(-1)?.state;
        if (state !== "completed" || deliveries.refused(response.id)) continue;
        // Of an event id that comes twice the latest contents are kept (docs/events.md).
        const all = deliveries.of(response.id);
        const newest = Math.max(...all.map(({ revision }) => revision));
        const sent = all.findLast(({ revision }) => revision === newest);
        if (sent === undefined && dutyNow(response) === "must") {
          return {
            rule: "lost",
            told: `${nameOf(response)}, complete since ${told(world, response)}, was never emitted`,
          };
        }
        const records = response.versions.at(-1)?.records.length ?? 0;
        if (sent !== undefined && sent.answers < records) {
          return { rule: "short", told: `${nameOf(response)} was emitted with ${sent.answers} of ${records} records` };
        }
      }
    }
    return undefined;
  };

  /** A response may be deleted; one that was there for longer than it may take must have been emitted before. */
  const checkDeleted = (): void => {
    for (const response of world.responses.values()) {
      const { completedAt = Infinity, removedAt, id } = response;
      if (removedAt === undefined || deliveries.of(id).length > 0 || dutyNow(response) !== "must") continue;
      const doneAt = books.facts(response.survey.id)?.firstPassDoneAt ?? Infinity;
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
      page() {},
      asked: details.asked,
      single: rechecks.asked,
      detail(kind, response, answer) {
        details.note(kind, response, answer);
        hangs.note(kind, response, answer);
      },
      hangs: hangs.hangs,
    },
    state: {
      accountSaved(process, changes) {
        beginning.firstTick ??= changes.firstTick;
        // Two may begin at the same moment.
        if (changes.firstTick !== undefined && changes.firstTick === beginning.firstTick) firstTicks.add(process.name);
        beginning.sourceFloor ??= changes.sourceFloor;
        if (changes.sourceFloor !== undefined) beginning.sourceStands ??= scheduler.now();
      },
      rowsSaved(rows) {
        beginning.sourceStands ??= scheduler.now();
        for (const [surveyId, { trust }] of rows) {
          if (trusts(trust)) distrusted.delete(surveyId);
          else if (!distrusted.has(surveyId)) distrusted.set(surveyId, scheduler.now());
        }
      },
      leaseTaken(process, surveyId, fence) {
        fences.set(`${process.name} ${surveyId}`, fence);
        deliveries.leaseTaken(process, surveyId);
        catchUps.leaseTaken(surveyId);
      },
      markWritten(process, surveyId, before, after, released) {
        books.markWritten(surveyId, before, after, firstTicks.has(process.name));
        for (const { id, revision = 1 } of after.pending ?? []) deliveries.settle(id, revision);
        catchUps.markWritten(surveyId, before, after);
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
        for (const surveyId of new Set(batch.map(({ data }) => data.surveyId))) {
          const item = store.marks.get(surveyId);
          if (item?.fence === fences.get(`${process.name} ${surveyId}`)) continue;
          violations.add("fence", `${process.name} publishes for survey ${surveyId} after its lease was taken over`);
        }
      },
      delivered,
      refused: (detail) => deliveries.refuse(detail.data.responseId),
    },
    died: (process) => deliveries.died(process),
    tickEnded(process, { summary, error }) {
      const isQuiet = process.beganAt > world.quietFrom + world.plan.source.interval;
      const failed = (code: string, what: string, surveyId?: number): void => {
        if (!bugs.has(code) && (!isQuiet || failingEnds.explain(code, surveyId))) return;
        violations.add("failure", `${process.name} ended with ${code}: ${what}`);
      };
      for (const { failure, surveyId } of summary?.surveys ?? []) {
        if (failure !== undefined) failed(failure.code, `survey ${surveyId}: ${failure.message}`, surveyId);
      }
      if (error !== undefined) failed(errorCode(error), String((error as Error).stack ?? error));
    },
    unfinished() {
      for (const survey of world.surveys.values()) {
        if (!selected(survey.id, world.plan.source.surveys)) continue;
        const wrong = books.wrongAtRest(survey);
        if (wrong !== undefined) return { rule: "books-at-rest", told: `survey ${survey.id}: ${wrong}` };
      }
      return oldestMissing();
    },
    atEnd() {
      // What is lost says more than the books that miss it.
      const left = world.plan.tight ? undefined : (oldestMissing() ?? this.unfinished());
      if (left !== undefined) violations.add(left.rule, left.told);
      checkDeleted();
      rechecks.atEnd((survey) => isTrusted(survey, world.quietFrom));
      requests.atEnd();
    },
  };
}

function told(world: World, { completedAt = 0 }: SimResponse): string {
  return `${((completedAt - world.startedAt) / 1000).toFixed(0)} s`;
}
