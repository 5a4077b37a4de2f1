import type { ResponseCompleted } from "../../lib/events/index.ts";
import { createModel, type Model } from "../../lib/local/simulator/model.ts";
import type { SurveyTally } from "../../lib/local/simulator/survey.ts";
import {
  type AccountState,
  type LedgerEntry,
  NEW_SURVEY,
  type OutgoingEvent,
  type Ports,
  type Progress,
  type Publisher,
  type PublishOutcome,
  type SurveyState,
  type Vault,
} from "../../lib/polling/index.ts";
import { modelService } from "./model-service.ts";
import { memoryState } from "./state-store.ts";
import { type VirtualTime, virtualClock } from "./virtual-clock.ts";

/** One call of a port, in the order in which they were made. */
export interface PortCall {
  port: "service" | "state" | "publisher" | "vault";
  operation: string;
  args: readonly unknown[];
}

export type Hook = (call: PortCall) => void | Promise<void>;

/** The three counts that the survey list shows. */
export type ShownCounts = Record<"responses" | "correct" | "unpaidResponses", unknown>;

export interface MemoryWorld {
  ports: Ports;
  time: VirtualTime;
  /** The service. Tests change it between calls, or from a hook between any two reads. */
  model: Model;
  /** What the survey list counts, by survey; where nothing is set, what was begun. */
  counts: Map<number, Partial<ShownCounts>>;
  calls: PortCall[];
  progress: Progress[];
  /** Called before a port does anything: throwing is a failure without an effect. */
  before: Hook[];
  /** Called once a port has done its work: throwing is an answer that was lost. */
  after: Hook[];
  /** Events as the bus has them, repeats included. */
  delivered: ResponseCompleted[];
  /** The same for those that have no contents of a response. */
  told: OutgoingEvent[];
  /** What the bus makes of an event; published when it gives nothing. */
  bus: { decide: (detail: ResponseCompleted) => PublishOutcome | undefined };
  account: AccountState;
  entry: (surveyId: number, id: LedgerEntry["id"]) => LedgerEntry | undefined;
  entries: (surveyId: number) => LedgerEntry[];
  mark: (surveyId: number) => SurveyState;
  objects: Map<string, unknown>;
}

/** All ports in memory, on a virtual clock: deterministic, and strict where the real ones are. */
export function memoryWorld(now: number): MemoryWorld {
  const { clock, time } = virtualClock(now);
  const { state, store } = memoryState(clock.now);
  const counts = new Map<number, Partial<ShownCounts>>();
  const counted =
    (name: keyof ShownCounts) =>
    ({ surveyId, completed, open }: SurveyTally & { surveyId: number }): number => {
      const shown = { responses: completed + open, correct: 0, unpaidResponses: 0, ...counts.get(surveyId) };
      return shown[name] as number;
    };
  const model = createModel({
    now: clock.now,
    settings: {
      recordsPerResponse: [1, 50],
      answersFrom: 0,
      openListed: true,
      openDateCompleted: "0000-00-00 00:00:00",
      counts: {
        responses: counted("responses"),
        correct: counted("correct"),
        unpaidResponses: counted("unpaidResponses"),
      },
    },
  });
  const world = {
    time,
    model,
    counts,
    calls: [],
    progress: [],
    before: [],
    after: [],
    delivered: [],
    told: [],
    bus: { decide: () => undefined },
    objects: store.objects,
  } as Omit<MemoryWorld, "ports" | "account" | "entry" | "entries" | "mark">;
  const ports: Ports = {
    clock,
    service: watched("service", modelService(model), world),
    state: watched("state", state, world),
    publisher: watched("publisher", memoryPublisher(world), world),
    vault: watched("vault", memoryVault(store.objects), world),
    observe: (progress) => world.progress.push(progress),
  };
  return {
    ...world,
    ports,
    account: store.account,
    entry: (surveyId, id) => store.entries(surveyId).get(id),
    entries: (surveyId) => [...store.entries(surveyId).values()],
    mark: (surveyId) => store.marks.get(surveyId)?.mark ?? NEW_SURVEY,
  };
}

function watched<T extends object>(
  port: PortCall["port"],
  target: T,
  world: Pick<MemoryWorld, "calls" | "before" | "after">,
): T {
  return new Proxy(target, {
    get(object, key) {
      const method: unknown = Reflect.get(object, key);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]): Promise<unknown> => {
        const call: PortCall = { port, operation: String(key), args };
        world.calls.push(call);
        for (const hook of [...world.before]) await hook(call);
        const result: unknown = await method.apply(object, args);
        for (const hook of [...world.after]) await hook(call);
        return result;
      };
    },
  });
}

/** An event as it goes to the bus, whatever its size. */
export const sealInline: Publisher["seal"] = async ({ type, detail, time }) => {
  const json = JSON.stringify(detail);
  return { type, json, time, bytes: Buffer.byteLength(json) };
};

function memoryPublisher(world: Pick<MemoryWorld, "bus" | "delivered" | "told">): Publisher {
  return {
    seal: sealInline,
    async publish(events, guard) {
      await guard();
      return events.map(({ type, json, time }): PublishOutcome => {
        const event = { type, detail: JSON.parse(json), time } as OutgoingEvent;
        if (event.type !== "response.completed" && event.type !== "response.updated") {
          world.told.push(event);
          return { kind: "published" };
        }
        const { detail } = event;
        const outcome = world.bus.decide(detail) ?? { kind: "published" };
        if (outcome.kind === "published") world.delivered.push(detail);
        return outcome;
      });
    },
  };
}

function memoryVault(objects: Map<string, unknown>): Vault {
  return {
    put: async (key, value) => void objects.set(key, structuredClone(value)),
    get: async (key) => structuredClone(objects.get(key)),
    delete: async (key) => void objects.delete(key),
  };
}
