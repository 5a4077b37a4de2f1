import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleEntry, bundleFunction } from "../../../infra/bundle.ts";
import { atMost, median, type Row, told } from "../support/measure.ts";

// What a cold start costs beyond the SDK: the bundle of the function against one that only makes the same clients.

const ROUNDS = 20;
const MANY = 200;

/** Milliseconds from the start of a process until the module is loaded. */
function load(file: string, env: Record<string, string>): number {
  const script = `await import(${JSON.stringify(file)}); process.stdout.write(String(performance.now()))`;
  const args = ["--input-type=module", "-e", script];
  return Number(execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: "utf8" }));
}

const kb = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`;

export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "survey-poller-init-"));
  try {
    const baseUrl = "https://surveys.example.com";
    const poll = bundleFunction("poll", join(folder, "poll"), { name: "main", baseUrl });
    const sources = Array.from({ length: MANY }, (_, index) => ({ name: `customer-${index}`, baseUrl }));
    const many = bundleFunction("poll", join(folder, "many"), { sources });
    const clients = bundleEntry(join(import.meta.dirname, "../support/clients-only.ts"), join(folder, "clients"));
    const env = {
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "bench",
      AWS_SECRET_ACCESS_KEY: "bench",
      TABLE_NAME: "table",
      BUS_NAME: "bus",
      CLAIM_CHECK_BUCKET: "bucket",
      SECRETS_PREFIX: "bench",
      POWERTOOLS_LOG_LEVEL: "SILENT",
    };
    const times: Record<"poll" | "many" | "clients", number[]> = { poll: [], many: [], clients: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.clients.push(load(clients.file, env));
      times.poll.push(load(poll.file, env));
      times.many.push(load(many.file, env));
    }
    const [one, all, bare] = [median(times.poll), median(times.many), median(times.clients)];
    return [
      atMost("start of the function's bundle, of one that only makes the clients", one / bare, 1.12),
      atMost(`the same with ${MANY} sources`, all / bare, 1.2),
      told("  until loaded", `${one.toFixed(0)} and ${bare.toFixed(0)} ms`),
      told("  size: function, clients", [poll, clients].map(({ bytes }) => kb(bytes)).join(", ")),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
