import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EventType } from "../../lib/events/contract.ts";
import { packageFolder } from "../package-folder.ts";

/** An event as it would be delivered. Its contents are made up. */
export interface GoldenEvent {
  "detail-type": EventType;
  detail: { meta: { eventId: string; [field: string]: unknown }; data: Record<string, unknown> };
}

export function readGolden(name: string): GoldenEvent {
  return JSON.parse(readFileSync(join(packageFolder(), `contract/golden/${name}.json`), "utf8")) as GoldenEvent;
}
