import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds: what goes on beside a step takes that long on no machine. */
const LIMIT = 20_000;

/** Waits for what comes about by itself. */
export async function until(otherwise: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + LIMIT; !(await isSo()); await pause(200)) assert.ok(Date.now() < end, otherwise);
}
