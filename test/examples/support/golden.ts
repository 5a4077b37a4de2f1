import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EventBridgeEvent } from "aws-lambda";
import type { DetailOf, EventType } from "../../../lib/events/index.ts";

const GOLDEN = join(import.meta.dirname, "../../../contract/golden");

/** A golden event of the contract, anew for each caller. */
export function golden<T extends EventType = "response.completed">(name: string): EventBridgeEvent<T, DetailOf<T>> {
  return JSON.parse(readFileSync(join(GOLDEN, `${name}.json`), "utf8"));
}
