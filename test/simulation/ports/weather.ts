import {
  NetworkError,
  ServerError,
  TimeoutError,
  TooManyRequestsError,
  WrongTokenError,
} from "../../../lib/survey-api/errors.ts";
import type { Fault, PortName } from "../engine/worker-process.ts";
import { type FaultName, START } from "../plan/plan.ts";
import type { World } from "../world.ts";

const operation = "get survey responses, page and order";

const serviceFaults: [FaultName, () => Error][] = [
  ["service:500", () => new ServerError("the service failed", { operation, status: 500 })],
  ["service:reset", () => new NetworkError("the connection broke", { operation })],
  ["service:timeout", () => new TimeoutError("no answer in time", { operation })],
];

export type Weather = ReturnType<typeof createWeather>;

/**
 * What goes wrong, and how long things take. `onPause` is told until when (epoch milliseconds) the service wants to be left alone, as the client tells
 * all workers.
 */
export function createWeather(world: World, onPause: (until: number) => void) {
  const { plan, scheduler } = world;
  const { rates, windows, tokenRevoked } = plan.faults;
  const random = world.random("faults");
  const times = world.random("latency");
  const any = Object.keys(rates).length > 0 || tokenRevoked !== undefined;
  const within = ({ from, to }: { from: number; to: number }): boolean => {
    const ticks = (scheduler.now() - START) / plan.source.interval;
    return ticks >= from && ticks <= to;
  };

  /** Whether a fault happens now; false outside of its time. */
  const happens = (fault: FaultName): boolean => {
    const rate = rates[fault];
    if (rate === undefined || !random.chance(rate)) return false;
    if (world.isLiveness() || !windows.some(within)) return false;
    world.meet(fault);
    world.trace?.(() => `  fault: ${fault}`);
    return true;
  };

  const before = (error: Error): Fault => ({ kind: "before", error });

  const serviceFault = (): Fault | undefined => {
    if (tokenRevoked !== undefined && within(tokenRevoked)) {
      world.meet("token-revoked");
      return before(new WrongTokenError("no token opens anything", { operation, status: 400 }));
    }
    if (happens("service:429")) {
      const retryAfter = random.between(21, 200) * 1000;
      onPause(scheduler.now() + retryAfter);
      return before(new TooManyRequestsError("too many requests", { operation, status: 429, retryAfter }));
    }
    const found = serviceFaults.find(([name]) => happens(name));
    return found && before(found[1]());
  };

  return {
    happens,
    /** Whether an operation fails for every response now. */
    isOut(kind: "metrics" | "metadata"): boolean {
      const outage = plan.faults.outages[kind];
      if (outage === undefined || world.isLiveness() || !within(outage)) return false;
      world.meet(`outage:${kind}`);
      return true;
    },
    fault(port: PortName): Fault | undefined {
      if (!any || world.isLiveness()) return undefined;
      if (port === "service") return serviceFault();
      if (port === "state") {
        if (happens("state:throttled")) return before(throttled());
        if (happens("state:lost-answer")) return { kind: "lost", error: lostAnswer() };
        return happens("state:twice") ? { kind: "twice" } : undefined;
      }
      return port === "vault" && happens("vault:fails") ? before(throttled()) : undefined;
    },
    latency(port: PortName): number {
      const usual = plan.latency[port];
      const chance = times.next();
      // Mostly near the usual, now and then ten times as long.
      return Math.ceil(usual * (chance > 0.99 ? 5 + 5 * times.next() : 0.2 + chance));
    },
  };
}

export const throttled = (): Error => Object.assign(new Error("throttled"), { name: "ThrottlingException" });
export const lostAnswer = (): Error => Object.assign(new Error("no answer in time"), { name: "TimeoutError" });
