import { planners } from "./partial.ts";
import { seededRandom } from "./random.ts";
import type { Service } from "./services.ts";

/**
 * - `throttle`: the service's own throttling error, nothing done
 * - `error`: the service's own 500, nothing done
 * - `down`: the connection is dropped before anything is done
 * - `delay`: the answer comes `delayMs` later; adds up with another fault on the same request
 * - `partial`: some entries of a batch fail, the others are done (PutEvents, and the batch operations of DynamoDB, SQS and S3)
 * - `lose-answer`: the work is done, then the connection is dropped instead of an answer
 */
export type FaultKind = "throttle" | "delay" | "partial" | "lose-answer" | "error" | "down";

export interface Fault {
  service: Service;
  /** Operation name as the SDK command has it (`PutEvents`); every operation of the service without one. */
  operation?: string;
  kind: FaultKind;
  /** A regular expression for the path of its requests, as of an object's key (`/bucket/key`); any path without one. */
  path?: string;
  /** Lets so many matching requests pass first. */
  after?: number;
  /** How many requests it hits before it is spent; without limit by default. */
  times?: number;
  /** Chance of hitting a request, 0 to 1, drawn from the seeded generator; 1 by default. */
  probability?: number;
  /** Milliseconds; for `delay` only, and needed there. */
  delayMs?: number;
}

export interface FaultHandle {
  /** Requests hit so far: lets a test prove that its fault took place. */
  hits(): number;
  remove(): void;
}

export interface Faults {
  /** @throws {TypeError} for a fault that could never take place */
  add(fault: Fault): FaultHandle;
  /** Removes every fault. */
  clear(): void;
}

/** The fault that the front has to make in one request. */
export interface DueFault {
  delayMs: number;
  kind: Exclude<FaultKind, "delay"> | undefined;
}

export interface FaultBoard extends Faults {
  /** False means that no request needs to be looked at. */
  armed(): boolean;
  take(service: Service, operation: string, path: string): DueFault | undefined;
  random(): number;
}

interface ArmedFault {
  fault: Fault;
  toPass: number;
  hits: number;
}

/** @param seed of the generator that decides probabilities and which entries of a batch fail */
export function createFaults(seed: number): FaultBoard {
  const random = seededRandom(seed);
  let armed: ArmedFault[] = [];

  function hit(candidate: ArmedFault, service: Service, operation: string, path: string): boolean {
    const { fault } = candidate;
    if (fault.service !== service) return false;
    if (fault.operation !== undefined && fault.operation !== operation) return false;
    if (fault.path !== undefined && !new RegExp(fault.path).test(path)) return false;
    if (fault.kind === "partial" && planners[service][operation] === undefined) return false;
    if (candidate.toPass > 0) {
      candidate.toPass -= 1;
      return false;
    }
    if (fault.probability !== undefined && random() >= fault.probability) return false;
    candidate.hits += 1;
    if (fault.times !== undefined && candidate.hits >= fault.times) armed = armed.filter((one) => one !== candidate);
    return true;
  }

  return {
    random,
    armed: () => armed.length > 0,
    add(fault) {
      check(fault);
      const entry: ArmedFault = { fault: { ...fault }, toPass: fault.after ?? 0, hits: 0 };
      armed.push(entry);
      return {
        hits: () => entry.hits,
        remove: () => {
          armed = armed.filter((one) => one !== entry);
        },
      };
    },
    clear() {
      armed = [];
    },
    take(service, operation, path) {
      const due: DueFault = { delayMs: 0, kind: undefined };
      let found = false;
      for (const candidate of [...armed]) {
        const { kind, delayMs } = candidate.fault;
        if (kind !== "delay" && due.kind !== undefined) continue;
        if (!hit(candidate, service, operation, path)) continue;
        found = true;
        if (kind === "delay") due.delayMs += delayMs ?? 0;
        else due.kind = kind;
      }
      return found ? due : undefined;
    },
  };
}

function check(fault: Fault): void {
  const { service, operation, kind, after, times, probability, delayMs } = fault;
  if (after !== undefined && !(Number.isInteger(after) && after >= 0)) {
    throw new TypeError(`after must be a whole number, not ${after}`);
  }
  if (times !== undefined && !(Number.isInteger(times) && times > 0)) {
    throw new TypeError(`times must be a whole number above 0, not ${times}`);
  }
  if (probability !== undefined && !(probability > 0 && probability <= 1)) {
    throw new TypeError(`probability must be above 0 and at most 1, not ${probability}`);
  }
  if (kind === "delay" && !(delayMs !== undefined && delayMs >= 0)) {
    throw new TypeError("a delay needs delayMs, in milliseconds");
  }
  if (kind === "partial") {
    const possible = Object.keys(planners[service]);
    if (possible.length === 0 || (operation !== undefined && !possible.includes(operation))) {
      throw new TypeError(`${service} ${operation ?? ""} cannot fail in part; ${possible.join(", ") || "nothing"} can`);
    }
  }
}
