import type { Chooser } from "./chooser.ts";

/** Faults of single calls, each with the probability that a call meets it. */
const faultNames = [
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

/** Calls to the bus and the vault are few; and the bus is asked again and again before it is given up. */
function often(name: FaultName): number {
  if (name === "vault:loses") return 12;
  return name.startsWith("bus:") || name.startsWith("vault:") ? 6 : 1;
}

/** A time, in ticks from the beginning. */
interface Span {
  from: number;
  to: number;
}

export function planFaults(chooser: Chooser, calm: boolean, ticks: number) {
  const { random } = chooser;
  const rates: Partial<Record<FaultName, number>> = {};
  for (const name of faultNames) {
    const rate = random.pick([0.01, 0.03, 0.03, 0.12]);
    if (chooser.flag(name, 0.22) && !calm) rates[name] = Math.min(0.7, rate * often(name));
  }
  const everywhere = random.chance(0.5);
  const from = random.next() * ticks;
  const windows: Span[] = everywhere
    ? [{ from: 0, to: ticks }]
    : [{ from, to: from + 2 + random.next() * ticks * 0.4 }];
  const revokedFrom = random.next() * ticks;
  const revokedTo = revokedFrom + random.next() * 4;
  const revoked = chooser.flag("token-revoked", 0.12) && !calm;
  const refused = chooser.flag("bus:refused", 0.1) && !calm;
  const outages: Partial<Record<"metrics" | "metadata", Span>> = {};
  for (const kind of ["metrics", "metadata"] as const) {
    const begins = random.next() * ticks;
    const ends = begins + 1 + random.next() * 10;
    if (chooser.flag(`outage:${kind}`, 0.1) && !calm) outages[kind] = { from: begins, to: ends };
  }
  return {
    rates,
    /** When operation 11, or 13, fails for every response. */
    outages,
    /** When faults happen; outside of these times none does. */
    windows,
    /** When every request is refused for its token. */
    tokenRevoked: revoked ? { from: revokedFrom, to: revokedTo } : undefined,
    refusedEvents: refused,
  };
}
