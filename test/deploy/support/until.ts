import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

/** Waits for what comes about by itself, or by what `isSo` does: 20 s by default, for which it takes no machine that long. */
export async function until(otherwise: string, isSo: () => boolean | Promise<boolean>, limit = 20_000): Promise<void> {
  for (const end = Date.now() + limit; !(await isSo()); await pause(200)) assert.ok(Date.now() < end, otherwise);
}
