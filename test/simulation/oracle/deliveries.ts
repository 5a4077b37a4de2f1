import type { ResponseCompleted } from "../../../lib/events/index.ts";
import { type LedgerEntry, placeOf } from "../../../lib/polling/index.ts";
import type { Store } from "../../support/state-store.ts";
import type { WorkerProcess } from "../engine/worker-process.ts";
import type { SimResponse } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import { answersOf, eventAnswers } from "./content.ts";

/** One event as the bus has it. */
export interface Delivery {
  surveyId: number;
  responseId: number;
  revision: number;
  /** What it says of the response. */
  said: Said;
  at: number;
  process: WorkerProcess;
  /** Epoch milliseconds at which it was in the state; infinite before. */
  settledAt: number;
  /** Nobody could know whether it went out: it may come once more. */
  unknown: boolean;
}

/** Events of one survey that may be under way at once: one batch, or four while it is caught up, those of what waits included. */
const IN_FLIGHT = 10;
const IN_FLIGHT_CATCH_UP = 40;

export type Deliveries = ReturnType<typeof createDeliveries>;

/** Every delivery, and what its writer may know of it: repeats are only for what is unknown. */
export function createDeliveries(world: World, { marks }: Pick<Store, "marks">) {
  const byId = new Map<number, Delivery[]>();
  const open = new Set<Delivery>();
  const refused = new Set<number>();

  const close = (delivery: Delivery): void => {
    open.delete(delivery);
  };
  const lose = (delivery: Delivery): void => {
    delivery.unknown = true;
    close(delivery);
  };

  return {
    of: (responseId: number): readonly Delivery[] => byId.get(responseId) ?? [],
    all: (): Iterable<readonly Delivery[]> => byId.values(),
    delivered(process: WorkerProcess, { meta, data }: ResponseCompleted, answered: boolean): void {
      const { surveyId, responseId } = data;
      const { revision } = meta;
      const list = byId.get(responseId) ?? [];
      byId.set(responseId, list);
      const name = `${surveyId}/${responseId} revision ${revision}`;
      const before = list.filter((one) => one.revision === revision);
      if (before.length > 0) world.sometimes("an event comes twice, as nobody knew");
      if (before.length > before.filter(({ unknown }) => unknown).length) {
        world.violate("repeat", `${name} was published again although its publish was known`);
      }
      const said = saidBy({ data });
      const wrong = wrongUpdate(
        list,
        { revision, said, changed: (meta as { changed?: string[] }).changed ?? [] },
        world.plan.source.privacy.comments === "drop",
      );
      // The digest of one that a copy has shown as open in part differs from its event, which it has told in full.
      const isMixed = world.surveys.get(surveyId)?.traits.replicas === true;
      if (wrong !== undefined && !isMixed) world.violate("update", `${name}: ${wrong}`);
      const delivery: Delivery = {
        surveyId,
        responseId,
        revision,
        said,
        at: world.scheduler.now(),
        process,
        settledAt: Infinity,
        unknown: false,
      };
      list.push(delivery);
      if (!answered || !process.alive()) delivery.unknown = true;
      if (!process.alive()) {
        world.sometimes("a process dies between publish and ledger");
        return;
      }
      open.add(delivery);
      const mark = marks.get(surveyId)?.mark;
      const most = mark !== undefined && placeOf(mark) !== undefined ? IN_FLIGHT_CATCH_UP : IN_FLIGHT;
      let under = 0;
      for (const one of open) if (one.process === process && one.surveyId === surveyId && !one.unknown) under += 1;
      if (under > most) world.violate("in-flight", `${under} events of survey ${surveyId} are in no ledger yet`);
    },
    /** The ledger, or the mark, says that it went out. */
    settle(responseId: LedgerEntry["id"], revision: number): void {
      if (typeof responseId !== "number") return;
      for (const delivery of byId.get(responseId) ?? []) {
        if (delivery.revision > revision) continue;
        delivery.settledAt = Math.min(delivery.settledAt, world.scheduler.now());
        close(delivery);
      }
    },
    /** The lease of a survey goes to a process: what was under way there under an earlier one is unknown from then on. */
    leaseTaken(process: WorkerProcess, surveyId: number): void {
      for (const one of open) {
        if (one.surveyId !== surveyId) continue;
        // Its own, never given back: neither ledger nor mark nor the lease could be written.
        if (one.process !== process) world.sometimes("the lease is lost while an event is in no ledger");
        lose(one);
      }
    },
    /** The lease was given back, and with it everything must be in the state. */
    leaseReleased(process: WorkerProcess, surveyId: number): void {
      for (const one of open) {
        if (one.surveyId !== surveyId || one.process !== process || one.unknown) continue;
        world.violate("forgotten", `${surveyId}/${one.responseId} went out, and nothing in the state says so`);
        close(one);
      }
    },
    died(process: WorkerProcess): void {
      for (const one of open) {
        if (one.process !== process) continue;
        world.sometimes("a process dies between publish and ledger");
        lose(one);
      }
    },
    /** The bus has refused its event for good. */
    refuse: (responseId: number) => void refused.add(responseId),
    refused: (responseId: number) => refused.has(responseId),
  };
}

// What updates may say: each differs from the event before it in what it names, and no revision says two things.

/** What an event says of its response, by what can change. */
interface Said {
  answers: string;
  facts: string;
  records: number;
}

function saidBy({ data }: Pick<ResponseCompleted, "data">): Said {
  const { country, crk, promoCode, started, completed, answerCount } = data.response;
  return {
    answers: eventAnswers(data.answers),
    facts: JSON.stringify([started.local, completed.local, country, crk, promoCode]),
    records: answerCount,
  };
}

/** What is wrong with an event beside those that the bus has of the same response. */
function wrongUpdate(
  before: readonly { revision: number; said: Said; unknown: boolean }[],
  { revision, said, changed }: { revision: number; said: Said; changed: string[] },
  dropComments: boolean,
): string | undefined {
  if (revision === 1) return undefined;
  const same = before.find((one) => one.revision === revision);
  if (same !== undefined) {
    return JSON.stringify(same.said) === JSON.stringify(said) ? undefined : "one revision says two things";
  }
  const last = before.filter((one) => one.revision < revision).at(-1);
  if (last === undefined) return "it replaces no event";
  const differs = (["answers", "facts", "records"] as const).filter((name) => last.said[name] !== said[name]);
  // The poller cannot know whether that, or one between them, has gone out.
  if (last.unknown || last.revision < revision - 1) return undefined;
  if (differs.length === 0 && !dropComments) return "it says what was said before";
  // It may name more: what was said before is not always known.
  return differs.every((name) => changed.includes(name))
    ? undefined
    : `it names ${changed.join()}, and ${differs.join()} differ`;
}

/** Whether an event says what its response is by now; `dropComments`: but for its comments. */
export function isUpToDate({ versions }: SimResponse, said: Said, dropComments: boolean): boolean {
  const version = versions.at(-1);
  return version !== undefined && answersOf(version, dropComments) === said.answers;
}
