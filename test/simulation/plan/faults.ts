import type { Random } from "../engine/random.ts";
import type { Chooser } from "./chooser.ts";

/** Faults of single calls, each with the probability that a call meets it. */
export const faultNames = [
  "service:429",
  "service:500",
  "service:reset",
  "service:timeout",
  "service:empty-page",
  "service:list-fails",
  "service:list-empty",
  "service:page-mixed",
  "service:detail-mixed",
  "service:detail-hangs",
  "state:throttled",
  "state:lost-answer",
  "state:twice",
  "bus:throttled",
  "bus:lost-answer",
  "bus:partial",
  "vault:fails",
  "vault:loses",
] as const;

export type FaultName = (typeof faultNames)[number];

export interface FaultPlan {
  rates: Partial<Record<FaultName, number>>;
  /** When faults happen, in ticks from the beginning; outside of these times none does. */
  windows: { from: number; to: number }[];
  /** When every request is refused for its token. */
  tokenRevoked: { from: number; to: number } | undefined;
  /** When operation 11, or 13, fails for every response. */
  outages: Partial<Record<"metrics" | "metadata", { from: number; to: number }>>;
  refusedEvents: boolean;
}

/** Calls to the bus and the vault are few; and the bus is asked again and again before it is given up. */
function often(name: FaultName): number {
  if (name === "vault:loses") return 12;
  return name.startsWith("bus:") || name.startsWith("vault:") ? 6 : 1;
}

export function planFaults(chooser: Chooser, random: Random, calm: boolean, ticks: number): FaultPlan {
  const rates: FaultPlan["rates"] = {};
  for (const name of faultNames) {
    const rate = random.pick([0.01, 0.03, 0.03, 0.12]);
    if (chooser.flag(name, 0.22) && !calm) rates[name] = Math.min(0.7, rate * often(name));
  }
  const everywhere = random.chance(0.5);
  const from = random.next() * ticks;
  const windows = everywhere ? [{ from: 0, to: ticks }] : [{ from, to: from + 2 + random.next() * ticks * 0.4 }];
  const revokedFrom = random.next() * ticks;
  const revokedTo = revokedFrom + random.next() * 4;
  const revoked = chooser.flag("token-revoked", 0.12) && !calm;
  const refused = chooser.flag("bus:refused", 0.1) && !calm;
  const outages: FaultPlan["outages"] = {};
  for (const kind of ["metrics", "metadata"] as const) {
    const begins = random.next() * ticks;
    const ends = begins + 1 + random.next() * 10;
    if (chooser.flag(`outage:${kind}`, 0.1) && !calm) outages[kind] = { from: begins, to: ends };
  }
  return {
    rates,
    outages,
    windows,
    tokenRevoked: revoked ? { from: revokedFrom, to: revokedTo } : undefined,
    refusedEvents: refused,
  };
}
