import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pLimit from "p-limit";
import { expect, test } from "vitest";
import { parseCommandLine } from "../../lib/local/command-line.ts";
import { runCommand, temporaryFolder } from "../support/command.ts";
import { expectOneClearLine } from "./support/failing.ts";
import { type Flags, toArgs } from "./support/polled-service.ts";

test.each<[string[], RegExp]>([
  [["--base-ur", "https://x.example"], /--base-ur\b.*--base-url\b/],
  [["--evnts=-"], /--evnts\b.*--events\b/],
  [["--frobnicate"], /--frobnicate\b/],
  [["7"], /"7"/],
  [["--no-console", "--no-console"], /--no-console is given twice/],
  [["--config"], /--config needs a value/],
  [["--ticks", "0"], /--ticks/],
  [["--interval", "5"], /--interval/],
  [["--surveys", "1,two"], /--surveys/],
])("%j is named, with the flag that was meant", (args, line) => {
  expect(() => parseCommandLine(args)).toThrow(line);
});

test("a value, a file or a folder that cannot be used is named in one line", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "file");
  writeFileSync(file, "{ this is not JSON: hunter2");
  const bad: [Flags, RegExp][] = [
    [{ "start-from": "2026-02-30" }, /start-?from/i],
    [{ surveys: "0" }, /surveys/],
    [{ "time-zone": "+02:00" }, /time-?zone/i],
    [{ "base-url": "http://surveys.example" }, /base-?url.*https/i],
    [{ "base-url": "https://me:hunter2@surveys.example" }, /base-?url.*credentials/i],
    [{ config: file }, /file is not valid JSON/],
    [{ events: folder }, /events file .* cannot be opened/],
    [{ data: file }, /data folder/i],
  ];
  // What the smallest machines can take.
  await pLimit(2).map(bad, async ([flags, line]) => {
    // Where nothing answers: a command that gets past its flags fails there, and not at a stranger's host.
    const usual = { "base-url": "http://127.0.0.1:9", data: join(temporaryFolder(), "data"), ticks: "1" };
    const args = toArgs({ ...usual, interval: "0s", "no-console": true, ...flags });
    const result = await runCommand(args, { env: { SURVEY_CLIENT_ID: "me", SURVEY_CLIENT_SECRET: "hunter2-secret" } });
    expectOneClearLine(result, line, args.join(" "));
    expect(result.stderr).not.toContain("hunter2");
  });
});
