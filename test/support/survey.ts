import type { ResponseOverrides } from "../../lib/local/simulator/responses.ts";
import {
  type PollingSource,
  type TickRequest,
  type TickSummary,
  tick,
  workOffBacklogs,
} from "../../lib/polling/index.ts";
import { type MemoryWorld, memoryWorld, type PortCall } from "./memory-ports.ts";

/** 2026-03-10 12:00:00 UTC, where the virtual clock of these tests begins. */
export const noon = Date.UTC(2026, 2, 10, 12);
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** A date string of the service, `offset` milliseconds from noon. */
export function at(offset: number): string {
  return new Date(noon + offset).toISOString().slice(0, 19).replace("T", " ");
}

export interface ResponseSpec {
  responseId: number;
  /** `dateCompleted`; an open response without one. */
  completed?: unknown;
  /** Number of records. */
  size?: number;
  surveyId?: number;
  /** Fields that differ from the documented ones, on each record. */
  fields?: Record<string, unknown>;
}

/** The records of one response as the API document shows them. */
export function recordsOf({ responseId, completed, size = 2, surveyId = 1, fields }: ResponseSpec): unknown[] {
  return Array.from({ length: size }, (_, k) => ({
    responseId,
    surveyId,
    iso3166: "PL",
    crk: null,
    promoCode: null,
    completed: completed === undefined ? 0 : 1,
    dateStart: at(-30 * 24 * HOUR),
    dateCompleted: completed ?? "0000-00-00 00:00:00",
    questionId: k + 1,
    answer: [k],
    comment: "",
    score: null,
    matrixScore: null,
    ...fields,
  }));
}

/** A world with one survey, 1, that lists these responses. */
export function worldWith(responses: ResponseSpec[]): MemoryWorld {
  const world = memoryWorld(noon);
  addSurvey(world, 1, responses);
  return world;
}

export function addSurvey(world: MemoryWorld, surveyId: number, responses: ResponseSpec[], createdAt?: number): void {
  world.model.addSurvey({ surveyId, name: `Survey ${surveyId}`, createdAt: createdAt ?? noon - 90 * 24 * HOUR });
  for (const response of responses) arrive(world, { surveyId, ...response });
}

/** Lists one more response, and counts it. */
export function arrive({ model }: MemoryWorld, response: ResponseSpec): void {
  const { surveyId = 1, completed } = response;
  model[completed === undefined ? "start" : "complete"](surveyId, 1, overridesOf(response));
}

/** Replaces the records of a response where they stand. */
export function replace({ model }: MemoryWorld, response: ResponseSpec): void {
  const { surveyId = 1, responseId, completed } = response;
  const isOpen = completed !== undefined && model.openIds(surveyId).includes(responseId);
  model[isOpen ? "finish" : "edit"](surveyId, responseId, overridesOf(response));
}

function overridesOf({ responseId, completed, size = 2, fields }: ResponseSpec): Partial<ResponseOverrides> {
  const completedAt = Date.parse(`${String(completed).replace(" ", "T")}Z`);
  const date = typeof completed === "string" && Number.isNaN(completedAt) ? { dateCompleted: completed } : {};
  return {
    responseId,
    records: size,
    startedAt: noon - 30 * 24 * HOUR,
    ...(Number.isNaN(completedAt) ? {} : { completedAt }),
    patch: { ...date, ...fields },
  };
}

export const sourceDefaults: PollingSource = {
  name: "main",
  surveys: "all",
  startFrom: "beginning",
  interval: MINUTE,
  enrich: { metrics: true, metadata: true },
  questions: "full",
  thresholds: {},
  privacy: { ip: "keep", referrer: "keep", comments: "keep" },
  enrichmentPatience: 15 * MINUTE,
  absentAfter: MINUTE,
  backgroundRequests: 1,
  concurrency: 16,
  headPages: 20,
  rescan: { every: 15 * MINUTE, full: 7 * 24 * HOUR },
  retention: { quarantine: 30 * 24 * HOUR },
  events: new Set(["response.completed", "response.updated", "response.deleted", "books.closed"]),
};

/** An invocation: a tick, then rounds of catching up as long as there is something to do. A survey that fails in one of these has failed. */
export async function runTick(
  world: MemoryWorld,
  overrides: Partial<Omit<TickRequest, "ports" | "source">> & { source?: Partial<PollingSource> } = {},
): Promise<TickSummary> {
  const request = {
    ports: world.ports,
    owner: "test",
    deadline: world.time.now + 40 * SECOND,
    service: "service-1",
    ...overrides,
    source: { ...sourceDefaults, ...overrides.source },
  };
  const summary = await tick(request);
  if (summary.behind === 0) return summary;
  await workOffBacklogs(request, async (work) => {
    const round = await work(world.ports);
    for (const { surveyId, failure } of round.turns) {
      const survey = summary.surveys.find((one) => one.surveyId === surveyId);
      if (survey !== undefined && failure !== undefined) Object.assign(survey, { outcome: "failed", failure });
    }
    return round;
  });
  return summary;
}

/** Lets each of these calls take so long; those that are made at the same time take it together. */
export function takes(world: MemoryWorld, milliseconds: number, which: (call: PortCall) => boolean): void {
  world.before.push(async (call) => {
    if (!which(call)) return;
    const end = world.time.now + milliseconds;
    await new Promise((resolve) => setImmediate(resolve));
    world.time.now = Math.max(world.time.now, end);
  });
}

/** Lets each call of an operation fail from now on. */
export function fail({ before }: MemoryWorld, operation: string, error: object = failure("SERVER_ERROR")): void {
  before.push((call) => {
    if (call.operation === operation) throw error;
  });
}

/** An error with a code of ours, and with a message that must not leave the process. */
export const failure = (code: string): Error => Object.assign(new Error("jane@example.com"), { code });

/** Ids of the responses whose events the bus has, in the order in which they came, repeats included. */
export function deliveredIds(world: MemoryWorld): number[] {
  return world.delivered.map(({ data }) => data.responseId);
}

/** How often an operation of a port was called. */
export function timesCalled(world: MemoryWorld, port: string, operation?: string): number {
  return world.calls.filter((call) => call.port === port && (operation ?? call.operation) === call.operation).length;
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** Lets the clock go on, a second at a time, while some work waits for it. */
export async function letTimePass<T>(world: MemoryWorld, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) {
    for (let i = 0; i < 20 && !isOver; i += 1) await new Promise((resolve) => setImmediate(resolve));
    if (!isOver) world.time.now += SECOND;
  }
  return work;
}
