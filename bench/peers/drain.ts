import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceProcess } from "../support/service.ts";
import { countDrained } from "./output.ts";
import type { Peer } from "./peers.ts";

const LONGEST = 600_000;
const RECORDS_A_PAGE = 100;

/** Responses a second of one peer, from the first page it reads to its end: without its start, with its output. */
export async function drainByPeer(
  service: ServiceProcess,
  peer: Peer,
  {
    surveyId,
    responses,
    records,
    concurrency,
  }: { surveyId: number; responses: number; records: number; concurrency: number },
): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "survey-poller-peer-"));
  try {
    await service.reset();
    await finished(peer.command({ url: service.url, surveyId, concurrency, directory }), directory);
    const ended = Date.now();
    const began = await service.firstPageAt();
    const requests = await service.requests();
    const drained = countDrained(peer.output(directory));
    if (drained !== responses) throw new Error(`${drained} of ${responses} responses are in its output`);
    const least = 2 * responses + (responses * records) / RECORDS_A_PAGE;
    if (began === undefined || requests < least) throw new Error(`${requests} requests were made, not ${least}`);
    return drained / ((ended - began) / 1000);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function finished([command = "", ...parameters]: string[], directory: string): Promise<void> {
  const log = join(directory, "err.log");
  const stdio = ["ignore", openSync(join(directory, "out.jsonl"), "w"), openSync(log, "w")] as const;
  const child = spawn(command, parameters, { stdio: [...stdio], timeout: LONGEST, cwd: directory });
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  if (code !== 0) throw new Error(`it ended with ${code ?? signal}: ${readFileSync(log, "utf8").slice(-2_000)}`);
}
