import type { Clock } from "../../../lib/polling/index.ts";
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

export type PortName = "service" | "state" | "publisher" | "vault";

/** What goes wrong with one call: nothing happens; it happens, and the answer is lost; the SDK makes it twice. */
export type Fault = { kind: "before" | "lost"; error: Error } | { kind: "twice" };

interface WorkerOptions {
  name: string;
  scheduler: Scheduler;
  /** What the world does to a call: milliseconds until it has its effect, or until its answer arrives; and what goes wrong. */
  conditions: { latency(port: PortName): number; fault(port: PortName): Fault | undefined };
  random: Random;
  /** Called before each call with the number of those made: the place where a process dies or stands still. */
  onCall: (made: number, port: PortName) => void;
}

/** Each its own: what waits for a shared one would be kept to the end of all histories. */
const never = (): Promise<never> => new Promise(() => {});

export type WorkerProcess = ReturnType<typeof createWorkerProcess>;

/** One run of the poller: a process that can die at any await, or stand still for long. */
export function createWorkerProcess({ name, scheduler, conditions, random, onCall }: WorkerOptions) {
  const beganAt = scheduler.now();
  let alive = true;
  let frozenUntil = 0;
  let calls = 0;
  let pending = 0;

  /** Runs `work` at a moment, or when the process moves again; never once it is dead. */
  const atLife = (time: number, work: () => void): void => {
    scheduler.at(time, () => {
      if (!alive) return;
      if (scheduler.now() < frozenUntil) atLife(frozenUntil, work);
      else work();
    });
  };

  const clock: Clock = {
    now: () => scheduler.now(),
    every(distance, work) {
      let stopped = false;
      const next = (): void =>
        atLife(scheduler.now() + distance, () => {
          if (stopped) return;
          work();
          next();
        });
      next();
      return () => {
        stopped = true;
      };
    },
  };

  return {
    name,
    /** Virtual time at which it began. */
    beganAt,
    clock,
    alive: () => alive,
    /** Whether it was ever frozen. */
    stoodStill: () => frozenUntil > 0,
    /** Calls not answered yet. */
    pending: () => pending,
    /** Everything under way is as likely to have its effect yet as not; no answer ever arrives. */
    kill() {
      alive = false;
    },
    /** Nothing arrives and no timer runs before then (epoch milliseconds). */
    freeze(until: number) {
      frozenUntil = Math.max(frozenUntil, until);
    },
    /** Waits, as a retry does. */
    sleep(milliseconds: number): Promise<void> {
      if (!alive) return never();
      pending += 1;
      return new Promise((resolve) => {
        atLife(scheduler.now() + milliseconds, () => {
          pending -= 1;
          resolve();
        });
      });
    },
    /** Makes a call to the world: `effect` happens at one moment, its answer arrives at a later one. */
    call<T>(port: PortName, effect: () => T): Promise<T> {
      if (!alive) return never();
      calls += 1;
      onCall(calls, port);
      if (!alive) return never();
      pending += 1;
      const fault = conditions.fault(port);
      return new Promise<T>((resolve, reject) => {
        const later = (work: () => void): void => void scheduler.at(scheduler.now() + conditions.latency(port), work);
        const answer = (outcome: () => void): void =>
          atLife(scheduler.now() + conditions.latency(port), () => {
            pending -= 1;
            outcome();
          });
        const happen = (sdkRetries: boolean): void => {
          // On its way when the process died.
          if (!alive && random.chance(0.5)) return;
          try {
            const value = effect();
            if (fault?.kind === "lost") answer(() => reject(fault.error));
            else if (sdkRetries && alive) later(() => happen(false));
            else answer(() => resolve(value));
          } catch (error) {
            answer(() => reject(error));
          }
        };
        if (fault?.kind === "before") answer(() => reject(fault.error));
        else later(() => happen(fault?.kind === "twice"));
      });
    },
  };
}
