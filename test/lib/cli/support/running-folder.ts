import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListQueuesCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect } from "vitest";
import { writeLastRun } from "../../../../lib/local/runner/last-run.ts";
import { bundleFolder } from "../../../../lib/local/runner/load-function.ts";
import { startTestAws, type TestAws } from "../../support/aws.ts";

const NAMES = { table: "table", bus: "surveys", bucket: "answers" };

/** A data folder with the AWS of a run that polls nothing, which is in this process. */
export interface RunningFolder extends Pick<TestAws, "aws" | "events">, AsyncDisposable {
  data: string;
  /** Names of rules that have a target. */
  rules(): string[];
  queues(): Promise<string[]>;
  /** Resolves once so many commands listen. */
  heardBy(commands: number): Promise<void>;
}

export async function runningFolder(): Promise<RunningFolder> {
  const data = mkdtempSync(join(tmpdir(), "survey-poller-"));
  const started = await startTestAws(data, NAMES);
  const variables = {
    ...{ TABLE_NAME: NAMES.table, BUS_NAME: NAMES.bus },
    ...{ CLAIM_CHECK_BUCKET: NAMES.bucket, SECRETS_PREFIX: "survey-poller" },
  };
  writeLastRun(data, { variables, aws: started.aws.env });
  mkdirSync(bundleFolder(data), { recursive: true });
  const raw = { sources: [{ baseUrl: "http://127.0.0.1:1" }], bus: { name: NAMES.bus } };
  writeFileSync(join(bundleFolder(data), "config.json"), JSON.stringify({ raw, config: {} }));
  const rules = (): string[] => {
    const file = readFileSync(join(data, "event-bridge", "rules.json"), "utf8");
    const { rules } = JSON.parse(file) as { rules: { name: string; targets: unknown[] }[] };
    return rules.filter(({ targets }) => targets.length > 0).map(({ name }) => name);
  };
  return {
    ...started,
    data,
    rules,
    async queues() {
      const { QueueUrls = [] } = await started.clients.sqs.send(new ListQueuesCommand({}));
      return QueueUrls.map((url) => url.slice(url.lastIndexOf("/") + 1));
    },
    heardBy: (commands) => expect.poll(() => rules().length, { timeout: 10_000, interval: 20 }).toBe(commands),
  };
}

/** One for all tests of a file. */
export function useRunningFolder(): { folder: RunningFolder } {
  const used = {} as { folder: RunningFolder };
  beforeAll(async () => {
    used.folder = await runningFolder();
  });
  afterAll(() => used.folder[Symbol.asyncDispose]());
  return used;
}
