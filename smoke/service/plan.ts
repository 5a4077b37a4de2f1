import { type Simulator, startSimulator } from "../../local/simulator/index.ts";

/** When what completes. All of it follows from these numbers and the clock, so that every instance of the service knows the same. */
export interface Plan {
  /** Epoch milliseconds at which it begins. */
  origin: number;
  /** Milliseconds between two small responses. */
  every: number;
  /** Milliseconds between two responses whose metrics come late. */
  lateEvery: number;
  /** Milliseconds that their metrics are late. */
  lateBy: number;
}

export const SURVEYS = { small: 101, large: 102, late: 103 } as const;

/** A response whose event is of that size, by the bytes of its comments. */
export interface LargeResponse {
  responseId: number;
  what: string;
  records: number;
  commentBytes: number;
  /** Whether its answers are too large for an event. */
  isClaimed: boolean;
}

/** EventBridge takes entries below 1 MB. With `inlineLimit` "900KB" (921,600 bytes) the first two go out whole. */
export const LARGE: readonly LargeResponse[] = [
  { responseId: 2_000_001, what: "250 KB", records: 10, commentBytes: 25_600, isClaimed: false },
  { responseId: 2_000_002, what: "900 KB", records: 10, commentBytes: 91_000, isClaimed: false },
  { responseId: 2_000_003, what: "1.2 MB", records: 12, commentBytes: 100_000, isClaimed: true },
];

/** Of a late one: what is kept of it, 120 KB, is too large for an item of the table, and goes to the bucket. */
const LATE = { records: 4, commentBytes: 30_000 };
const FIRST_SMALL = 1_000_000;
const FIRST_LATE = 3_000_000;
const MINUTE = 60_000;
const DAY = 86_400_000;
/** Small responses that completed before the plan begins. */
export const HISTORY = 40;

export function isSmall(responseId: number): boolean {
  return responseId >= FIRST_SMALL && responseId < FIRST_SMALL + 1_000_000;
}

/** Epoch milliseconds at which the next small response after `now` completes. */
export function nextSmall({ origin, every }: Plan, now: number): number {
  return origin + (Math.floor((now - origin) / every) + 1) * every;
}

export interface PlannedService {
  simulator: Simulator;
  /** Brings it to the present, as far as the plan says. */
  advance(now: number): void;
}

/** The survey service as the plan has it, on 127.0.0.1. Two of them started at different times give the same answers at the same time. */
export async function startPlannedService(
  plan: Plan,
  credentials: { clientId: string; clientSecret: string },
): Promise<PlannedService> {
  const { origin } = plan;
  const createdAt = origin - 40 * DAY;
  const simulator = await startSimulator({
    ...credentials,
    seed: 7,
    logLimit: 0,
    surveys: [
      {
        surveyId: SURVEYS.small,
        name: "Smoke: small responses",
        responses: HISTORY,
        createdAt,
        completedFrom: origin - DAY,
        completedTo: origin - MINUTE,
      },
      { surveyId: SURVEYS.large, name: "Smoke: large responses", createdAt, completedTo: origin },
      { surveyId: SURVEYS.late, name: "Smoke: late metrics", createdAt, completedTo: origin },
    ],
  });
  // So that two invocations begun at once are at work at once.
  simulator.fault({ kind: "latency", ms: 100 });
  for (const { responseId, records, commentBytes } of LARGE) {
    const times = { startedAt: origin - MINUTE, completedAt: origin };
    simulator.complete(SURVEYS.large, 1, { responseId, records, commentBytes, ...times });
  }
  const done = { small: 0, late: 0, mended: 0 };
  return {
    simulator,
    advance(now) {
      const due = (every: number, after = 0): number => Math.max(0, Math.floor((now - origin - after) / every));
      for (; done.small < due(plan.every); done.small += 1) {
        const completedAt = origin + (done.small + 1) * plan.every;
        const times = { startedAt: completedAt - MINUTE, completedAt };
        simulator.complete(SURVEYS.small, 1, { responseId: FIRST_SMALL + done.small, records: 3, ...times });
      }
      for (; done.late < due(plan.lateEvery); done.late += 1) {
        const completedAt = origin + (done.late + 1) * plan.lateEvery;
        const times = { startedAt: completedAt - MINUTE, completedAt };
        const metrics = { fail: Number.POSITIVE_INFINITY, status: 500 };
        simulator.complete(SURVEYS.late, 1, { responseId: FIRST_LATE + done.late, ...LATE, ...times, metrics });
      }
      for (; done.mended < due(plan.lateEvery, plan.lateBy); done.mended += 1) {
        simulator.edit(SURVEYS.late, FIRST_LATE + done.mended, { metrics: { fail: 0 } });
      }
    },
  };
}
