import type { PollingSource } from "../../lib/polling/model/source.ts";
import type { Order, Ports } from "../../lib/polling/ports.ts";
import { tick } from "../../lib/polling/tick/tick.ts";
import { copyOf } from "../../test/simulation/ports/copy.ts";
import type { Store } from "../../test/simulation/ports/store.ts";
import { workOffAll } from "../support/backlogs.ts";
import { takingAll } from "../support/publisher.ts";
import { copyService, type Operation, type Service, servicePort } from "./service.ts";
import { copyTable, createTable, statePort } from "./state.ts";

/** Something that happens at the service. Times are epoch milliseconds. */
export interface Change {
  time: number;
  apply: (service: Service) => void;
}

/** Requests of one tick. */
export type Requests = Record<Operation, number>;

export interface PageRead {
  time: number;
  surveyId: number;
  page: number;
  order: Order;
}

export interface Delivery {
  time: number;
  revision: number;
  answers: number;
  /** Requests of its tick that were made before. */
  requests: number;
}

/** A poller at work on virtual time: requests take none, ticks come at every interval. */
export interface Run {
  source: PollingSource;
  service: Service;
  table: Store;
  /** Of the next tick. */
  now: number;
  /** What is to happen, in the order of time. */
  coming: Change[];
  /** One for each tick, in their order, with its time. */
  ticks: { time: number; requests: Requests }[];
  pages: PageRead[];
  /** By response id, in the order in which they went out. */
  delivered: Map<number, Delivery[]>;
}

export function createRun(source: PollingSource, service: Service, start: number, coming: Change[]): Run {
  const run: Omit<Run, "table"> = {
    source,
    service,
    now: start,
    coming: coming.toSorted((a, b) => a.time - b.time),
    ticks: [],
    pages: [],
    delivered: new Map(),
  };
  return Object.assign(run, { table: createTable(() => run.now) });
}

/** The same poller and service once more, from this moment on, with changes of its own on top. */
export function fork(run: Run, changes: Change[]): Run {
  const service = copyService(run.service);
  const { source, now, coming, table } = run;
  const forked = createRun(source, service, now, [...coming, ...changes]);
  forked.table = copyTable(table, service.surveys.keys(), () => forked.now);
  return forked;
}

const noRequests = (): Requests => ({ surveys: 0, page: 0, response: 0, metrics: 0, metadata: 0, definition: 0 });

export const total = (requests: Requests): number => Object.values(requests).reduce((sum, count) => sum + count, 0);

/** Requests of the ticks from one time to another, the last one left out. */
export function requestsBetween({ ticks }: Pick<Run, "ticks">, from: number, to: number): number {
  return ticks.reduce((sum, { time, requests }) => sum + (time >= from && time < to ? total(requests) : 0), 0);
}

/** Ticks until `until`, or until `done` says so. */
export async function advance(run: Run, until: number, done: () => boolean = () => false): Promise<void> {
  const deliver = (json: string): void => {
    const { data, meta } = JSON.parse(json);
    const { revision } = meta;
    const one = { time: run.now, revision, answers: data.answers.length, requests: total(requests) };
    run.delivered.set(data.responseId, [...(run.delivered.get(data.responseId) ?? []), one]);
  };
  let requests = noRequests();
  const clock = { now: () => run.now, every: () => () => {} };
  const ports: Ports = {
    clock,
    service: servicePort(run.service, clock.now, (operation, surveyId = 0, page = 0, order) => {
      requests[operation] += 1;
      if (operation === "page")
        run.pages.push({ time: run.now, surveyId, page, order: order === "asc" ? "asc" : "desc" });
    }),
    state: statePort(run.table, clock.now),
    publisher: takingAll(deliver),
    vault: {
      put: async (key, value) => void run.table.objects.set(key, copyOf(value)),
      get: async (key) => copyOf(run.table.objects.get(key)),
      delete: async (key) => void run.table.objects.delete(key),
    },
    observe: () => {},
  };
  while (run.now < until && !done()) {
    while (run.coming[0] !== undefined && run.coming[0].time <= run.now) run.coming.shift()?.apply(run.service);
    requests = noRequests();
    const deadline = run.now + run.source.interval;
    const request = { ports, source: run.source, owner: "bench", deadline, service: "bench" };
    const summary = await tick(request);
    const failed = summary.surveys.find(({ outcome }) => outcome === "failed");
    if (failed !== undefined) throw new Error(`survey ${failed.surveyId} failed: ${failed.failure?.message}`);
    if (summary.behind > 0) await workOffAll(request);
    run.ticks.push({ time: run.now, requests });
    run.now += run.source.interval;
  }
}
