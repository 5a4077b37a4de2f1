import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import type { EventType } from "../events/contract.ts";

// The package that this command is part of: the checkout, or the installed one.

const read = (path: string): string =>
  readFileSync(join(dirname(findPackageJSON(import.meta.url) ?? "."), path), "utf8");

export function packageVersion(): string {
  return JSON.parse(read("package.json")).version;
}

/** An event as it would be delivered. Its contents are made up. */
export interface GoldenEvent {
  "detail-type": EventType;
  detail: { meta: { eventId: string; [field: string]: unknown }; data: Record<string, unknown> };
}

/** One out of the folder that the package publishes for consumers. */
export function readGolden(name: string): GoldenEvent {
  return JSON.parse(read(`contract/golden/${name}.json`)) as GoldenEvent;
}
