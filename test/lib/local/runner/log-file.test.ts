import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLogFile, readLogLines, removeLog } from "../../../../lib/local/runner/log-file.ts";
import { fromLevel, logChannel } from "../../../../lib/monitoring/log.ts";
import { temporaryFolder } from "../../../support/command.ts";
import { memoryLog } from "../../support/log.ts";

it("keeps the lines of the log from the level of their source on, as CloudWatch Logs has them", () => {
  const data = temporaryFolder();
  const flush = openLogFile(data);
  const logger = fromLevel("info", memoryLog());
  logger.debug("hidden", {});
  logger.info("event", { source: "main", responseId: 2 });
  flush();

  const [line, ...others] = readLogLines(data).map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(others).toEqual([]);
  expect(line).toMatchObject({ level: "INFO", message: "event", source: "main", responseId: 2 });
  expect(Date.parse(String(line?.timestamp))).toBeLessThanOrEqual(Date.now());
  expect(statSync(join(data, "log.ndjson")).mode & 0o777).toBe(0o600);
});

it("goes with a run that begins anew", () => {
  const data = temporaryFolder();
  const flush = openLogFile(data);
  logChannel.publish({ message: "one" });
  flush();
  removeLog(data);
  expect(readLogLines(data)).toEqual([]);
});

it("begins a second file in time, keeps one old one, and loses nothing in between", () => {
  const data = temporaryFolder();
  const flush = openLogFile(data, 1_000);
  for (let i = 0; i < 100; i += 1) {
    logChannel.publish({ message: "event", i });
    flush();
  }

  const files = readdirSync(data).map((name) => statSync(join(data, name)).size);
  expect(files).toHaveLength(2);
  for (const size of files) expect(size).toBeLessThanOrEqual(1_000);
  const kept = readLogLines(data).map((text) => (JSON.parse(text) as { i: number }).i);
  expect(kept.at(-1)).toBe(99);
  expect(kept).toEqual(kept.map((_, i) => 100 - kept.length + i));
});
