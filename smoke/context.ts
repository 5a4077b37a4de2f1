import { randomBytes } from "node:crypto";
import type { Clients } from "./aws/clients.ts";
import type { Inbox } from "./aws/inbox.ts";
import type { OUTPUTS } from "./names.ts";
import type { Options } from "./options.ts";
import type { Check } from "./run/check.ts";
import type { ServiceSettings } from "./service/answer.ts";
import type { Loopback } from "./service/loopback.ts";
import type { AppSettings } from "./settings.ts";

export type SmokeCheck = Check<SmokeContext>;

/** What the checks have in common, and what earlier ones leave to later ones. */
export interface SmokeContext {
  readonly options: Options;
  readonly aws: Clients;
  /** For settings and what is synthesised. */
  readonly folder: string;
  readonly service: ServiceSettings;
  /** What the webhook's endpoint is told. */
  readonly webhookToken: string;
  /** The service on this machine, where there are no function URLs. */
  loopback?: Loopback;
  deployed?: NonNullable<AppSettings["deployed"]>;
  /** Of all stacks of the smoke, as far as they are deployed. */
  readonly outputs: Map<string, string>;
  /** Subscribed to everything, in the poller's stack and in a stack of its own. */
  queue?: Inbox;
  foreign?: Inbox;
  /** The stack that was deployed before. */
  userStack?: { outputs: Record<string, string> };
}

export function createContext(options: Options, aws: Clients, folder: string, now: number): SmokeContext {
  // The emulator's own minute is waited for once; all else may go faster there.
  const pace = options.emulator
    ? { every: 3_000, lateEvery: 40_000, lateBy: 20_000 }
    : { every: 10_000, lateEvery: 240_000, lateBy: 150_000 };
  return {
    options,
    aws,
    folder,
    service: {
      plan: { origin: Math.floor(now / 1000) * 1000, ...pace },
      clientId: "smoke",
      clientSecret: randomBytes(24).toString("base64url"),
    },
    webhookToken: randomBytes(24).toString("base64url"),
    outputs: new Map(),
  };
}

/** @throws Error when no stack of the smoke has it */
export function outputOf({ outputs }: SmokeContext, name: keyof typeof OUTPUTS, names: typeof OUTPUTS): string {
  const value = outputs.get(names[name]);
  if (value === undefined) throw new Error(`the smoke's stacks have no output ${names[name]}`);
  return value;
}

/** What an earlier check has left; it is in `after`. */
export function left<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is not there: name the check that makes it in "after"`);
  return value;
}
