import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EventType } from "../../lib/events/contract.ts";
import { packageFolder } from "../package-folder.ts";

/** The folder that the package publishes for consumers, beside its package.json. */
const folder = (): string => join(packageFolder(), "contract");

export interface ContractFile {
  /** Below `contract/`, such as "golden/ordinary.json". */
  path: string;
  bytes: number;
}

/** Files below a part of the contract, by name; the part itself where it is a file. */
export function contractFiles(part: string): ContractFile[] {
  const path = join(folder(), part);
  if (statSync(path).isFile()) return [{ path: part, bytes: statSync(path).size }];
  return readdirSync(path)
    .sort()
    .flatMap((name) => contractFiles(`${part}/${name}`));
}

export function readContract(path: string): string {
  return readFileSync(join(folder(), path), "utf8");
}

/** An event as it would be delivered. Its contents are made up. */
export interface GoldenEvent {
  "detail-type": EventType;
  detail: { meta: { eventId: string; [field: string]: unknown }; data: Record<string, unknown> };
}

export function readGolden(name: string): GoldenEvent {
  return JSON.parse(readContract(`golden/${name}.json`)) as GoldenEvent;
}
