import {
  NetworkError,
  ServerError,
  TimeoutError,
  TooManyRequestsError,
  WrongTokenError,
} from "../../../lib/survey-api/errors.ts";
import type { Conditions, Fault, PortName } from "../engine/worker-process.ts";
import type { FaultName } from "../plan/faults.ts";
import { START } from "../plan/plan.ts";
import type { World } from "../world.ts";

/** What goes wrong, and how long things take. */
export interface Weather extends Conditions {
  /** Whether a fault happens now; false outside of its time. */
  happens(fault: FaultName): boolean;
  /** Whether an operation fails for every response now. */
  isOut(kind: "metrics" | "metadata"): boolean;
  /** Times at which anything went wrong (epoch milliseconds). */
  disturbances: number[];
}

const operation = "get survey responses, page and order";

const serviceFaults: [FaultName, () => Error][] = [
  ["service:500", () => new ServerError("the service failed", { operation, status: 500 })],
  ["service:reset", () => new NetworkError("the connection broke", { operation })],
  ["service:timeout", () => new TimeoutError("no answer in time", { operation })],
];

/** `onPause` is told until when (epoch milliseconds) the service wants to be left alone, as the client tells all workers. */
export function createWeather(world: World, onPause: (until: number) => void): Weather {
  const { plan, scheduler } = world;
  const { rates, windows, tokenRevoked } = plan.faults;
  const random = world.random("faults");
  const times = world.random("latency");
  const { interval } = plan.source;
  const disturbances: number[] = [];
  const any = Object.keys(rates).length > 0 || tokenRevoked !== undefined;
  const ticksNow = (): number => (scheduler.now() - START) / interval;
  const within = ({ from, to }: { from: number; to: number }): boolean => {
    const now = ticksNow();
    return now >= from && now <= to;
  };

  const happens = (fault: FaultName): boolean => {
    const rate = rates[fault];
    if (rate === undefined || !random.chance(rate)) return false;
    if (world.phase() === "liveness" || !windows.some(within)) return false;
    world.meet(fault);
    disturbances.push(scheduler.now());
    world.trace?.(() => `  fault: ${fault}`);
    return true;
  };

  const fault = (port: PortName): Fault | undefined => {
    if (!any || world.phase() === "liveness") return undefined;
    if (port === "service") return serviceFault();
    if (port === "state") {
      if (happens("state:throttled")) return { kind: "before", error: throttled() };
      if (happens("state:lost-answer")) return { kind: "lost", error: lostAnswer() };
      return happens("state:twice") ? { kind: "twice" } : undefined;
    }
    return port === "vault" && happens("vault:fails") ? { kind: "before", error: throttled() } : undefined;
  };

  const serviceFault = (): Fault | undefined => {
    if (tokenRevoked !== undefined && within(tokenRevoked)) {
      world.meet("token-revoked");
      disturbances.push(scheduler.now());
      return { kind: "before", error: new WrongTokenError("no token opens anything", { operation, status: 400 }) };
    }
    if (happens("service:429")) {
      const retryAfter = random.between(21, 200) * 1000;
      onPause(scheduler.now() + retryAfter);
      const told = { operation, status: 429, retryAfter } as const;
      return { kind: "before", error: new TooManyRequestsError("too many requests", told) };
    }
    const found = serviceFaults.find(([name]) => happens(name));
    return found === undefined ? undefined : { kind: "before", error: found[1]() };
  };

  return {
    happens,
    isOut(kind) {
      const outage = plan.faults.outages[kind];
      if (outage === undefined || world.phase() === "liveness" || !within(outage)) return false;
      world.meet(`outage:${kind}`);
      return true;
    },
    disturbances,
    fault,
    latency(port) {
      const usual = plan.latency[port];
      const chance = times.next();
      // Mostly near the usual, now and then ten times as long.
      return Math.ceil(usual * (chance > 0.99 ? 5 + 5 * times.next() : 0.2 + chance));
    },
  };
}

const throttled = (): Error => Object.assign(new Error("throttled"), { name: "ThrottlingException" });
const lostAnswer = (): Error => Object.assign(new Error("no answer in time"), { name: "TimeoutError" });
