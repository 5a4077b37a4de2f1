import type { Need } from "./run/check.ts";

/** What the emulator of test/deploy cannot show: its answer would be its own, not that of AWS. */
export const EMULATOR_LACKS: Partial<Record<Need, string>> = {
  "alarm evaluation": "the emulator evaluates no alarms",
  "bus log": "the emulator writes no log of a bus, and keeps no dead letters of a rule's queue",
  "enforced permissions": "the emulator enforces no permissions",
  "function URLs": "the emulator serves no function URLs",
  "schema registry": "the emulator has no schema registry",
};
