import {
  addCounts,
  type BacklogRequest,
  type BacklogRound,
  backlogTurn,
  learnedBy,
  type PollingSource,
  type PollRequest,
  type PollResult,
  placeOf,
  pollSurvey,
  type SurveyRequest,
  type TickRequest,
  type TickSummary,
  type TurnSummary,
  tick,
  workOffBacklogs,
} from "../../lib/polling/index.ts";
import type { ResponseOverrides } from "../../local/simulator/responses.ts";
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

/** A world whose survey has had its first poll, empty, before these responses came: they are news for the head. */
export async function worldWithNews(responses: ResponseSpec[]): Promise<MemoryWorld> {
  const world = worldWith([]);
  await poll(world);
  for (const response of responses) arrive(world, response);
  world.calls.length = 0;
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

type SliceOverrides = Partial<Omit<SurveyRequest, "ports" | "source">> & { source?: Partial<PollingSource> };

/** A slice of a survey's backlog, of two minutes or until `turnUntil`. */
function slice(world: MemoryWorld, { source, ...overrides }: SliceOverrides = {}): Promise<TurnSummary> {
  const deadline = overrides.deadline ?? world.time.now + 2 * MINUTE;
  const { start = { from: "beginning", at: null } } = world.account;
  return backlogTurn({
    ports: world.ports,
    source: { ...sourceDefaults, ...source },
    surveyId: 1,
    owner: "backlog",
    deadline,
    turnUntil: deadline,
    start,
    listedCount: undefined,
    learned: learnedBy(world.account),
    ...overrides,
  });
}

export type PollOverrides = Partial<Omit<PollRequest, "ports" | "source">> & { source?: Partial<PollingSource> };
export type Polled = PollResult;

/**
 * A slice where the survey is being caught up, then a poll; and more slices where that has shown records that may lie apart. Throws also what has
 * failed of some response alone.
 */
export async function poll(world: MemoryWorld, overrides: PollOverrides = {}): Promise<PollResult | undefined> {
  const { surveyId = 1 } = overrides;
  const caughtUp = placeOf(world.mark(surveyId)) === undefined ? undefined : await slice(world, overrides);
  if (caughtUp?.failure !== undefined) throw Object.assign(new Error(caughtUp.failure.message), caughtUp.failure);
  const result = await pollAlone(world, overrides);
  if (result === undefined || caughtUp === undefined) return result;
  const { emitted, waiting } = caughtUp;
  return { ...result, counts: addCounts({ ...result.counts }, { emitted, waiting }) };
}

/** A poll: of a survey that is being caught up it looks at the head alone. */
export async function pollAlone(world: MemoryWorld, overrides: PollOverrides = {}): Promise<PollResult | undefined> {
  const result = await pollSurvey({
    ports: world.ports,
    surveyId: 1,
    owner: "test",
    deadline: world.time.now + 40 * SECOND,
    turnUntil: overrides.deadline ?? world.time.now + 40 * SECOND,
    presence: "present",
    start: { from: "beginning", at: null },
    listedCount: 0,
    head: true,
    learned: learnedBy({}),
    ...overrides,
    source: { ...sourceDefaults, ...overrides.source },
  });
  if (result?.failure !== undefined) throw result.failure;
  return result;
}

/** A poll that must not be busy. */
export async function polled(world: MemoryWorld, overrides: PollOverrides = {}): Promise<Polled> {
  const result = await poll(world, overrides);
  if (result === undefined) throw new Error("the survey was busy");
  return result;
}

export type TickOverrides = Partial<Omit<TickRequest, "ports" | "source">> & { source?: Partial<PollingSource> };

/** An invocation: a tick, then rounds of catching up as long as there is something to do. A survey that fails in one of these has failed. */
export async function runTick(world: MemoryWorld, overrides: TickOverrides = {}): Promise<TickSummary> {
  const deadline = overrides.deadline ?? world.time.now + 40 * SECOND;
  const summary = await tickAlone(world, { ...overrides, deadline });
  let goesOn = summary.behind > 0;
  while (goesOn) {
    const round = await backlogRound(world, { ...overrides, deadline });
    goesOn = round?.goesOn === true && world.time.now < deadline;
    for (const { surveyId, failure } of round?.turns ?? []) {
      const survey = summary.surveys.find((one) => one.surveyId === surveyId);
      if (survey !== undefined && failure !== undefined) Object.assign(survey, { outcome: "failed", failure });
    }
  }
  return summary;
}

/** One round of catching up; undefined where another invocation is at it. */
export async function backlogRound(
  world: MemoryWorld,
  overrides: Partial<Omit<BacklogRequest, "ports" | "source">> & { source?: Partial<PollingSource> } = {},
): Promise<BacklogRound | undefined> {
  let round: BacklogRound | undefined;
  const request: BacklogRequest = {
    ports: world.ports,
    owner: "test",
    deadline: world.time.now + 40 * SECOND,
    service: "service-1",
    ...overrides,
    source: { ...sourceDefaults, ...overrides.source },
    isStopped: () => round !== undefined,
  };
  await workOffBacklogs(request, async (work) => {
    round = await work(world.ports);
    return round;
  });
  return round;
}

/** A tick, beside which nothing is caught up. */
export function tickAlone(world: MemoryWorld, overrides: TickOverrides = {}): Promise<TickSummary> {
  return tick({
    ports: world.ports,
    owner: "test",
    deadline: world.time.now + 40 * SECOND,
    service: "service-1",
    ...overrides,
    source: { ...sourceDefaults, ...overrides.source },
  });
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
