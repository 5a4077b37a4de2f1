import type { ChildProcess } from "node:child_process";
import type { Lease } from "../../lib/polling/model/mark.ts";
import type { RoleLease } from "../../lib/polling/model/role.ts";
import type { State } from "../../lib/polling/ports.ts";

// A state port whose state lives in the parent process, over the channel between the two.

interface Call {
  id: number;
  method: keyof State;
  args: unknown[];
}

interface Answer {
  id: number;
  value?: unknown;
  /** A lease that was handed over, as it is now. */
  lease?: Lease | RoleLease;
  error?: string;
}

/** In the parent: answers the calls of a child; `done` is called with what the child says at its end. */
export function serveState<Done>(child: ChildProcess, state: State, done: (outcome: Done) => void): void {
  child.on("message", async (message: Call | { done: Done }) => {
    if ("done" in message) {
      done(message.done);
      return;
    }
    const { id, method, args } = message;
    try {
      const value = await (state[method] as (...given: unknown[]) => Promise<unknown>)(...args);
      const lease = isLease(args[0]) ? { lease: args[0] } : {};
      child.send({ id, value, ...lease } satisfies Answer);
    } catch (error) {
      child.send({ id, error: String(error) } satisfies Answer);
    }
  });
}

/** In the child. */
export function remoteState(): State {
  const waiting = new Map<number, { lease: unknown; settle: (answer: Answer) => void }>();
  let calls = 0;
  process.on("message", (answer: Answer) => {
    waiting.get(answer.id)?.settle(answer);
    waiting.delete(answer.id);
  });
  const call =
    (method: keyof State) =>
    (...args: unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        calls += 1;
        const lease = args[0];
        const settle = ({ value, lease: renewed, error }: Answer): void => {
          if (error !== undefined) reject(new Error(error));
          if (isLease(lease) && renewed !== undefined) lease.until = renewed.until;
          resolve(value);
        };
        waiting.set(calls, { lease, settle });
        process.send?.({ id: calls, method, args } satisfies Call);
      });
  return Object.fromEntries(METHODS.map((method) => [method, call(method)])) as unknown as State;
}

// Methods of its own, as any port has them: who adds to a port copies it.
const METHODS = Object.keys({
  account: true,
  saveAccount: true,
  saveRows: true,
  acquire: true,
  takeRole: true,
  giveBackRole: true,
  renew: true,
  saveMark: true,
  release: true,
  entries: true,
  putEntries: true,
  due: true,
  nextDue: true,
  forRedrive: true,
  emitted: true,
} satisfies Record<keyof State, true>) as (keyof State)[];

const isLease = (value: unknown): value is Lease | RoleLease =>
  typeof value === "object" && value !== null && "until" in value;
