import { UsageError } from "./flags.ts";

/** @throws UsageError naming the flag, and not what was typed */
export function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${flag} is no whole number`, { hint: "Give one such as 421." });
}
