import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand, temporaryFolder } from "../support/command.ts";
import { expectOneClearLine, inPairs } from "./support/failing.ts";
import { type Flags, toArgs } from "./support/polled-service.ts";

/** Where nothing answers: a command that gets past its flags fails there, and not at a stranger's host. */
const nowhere = { "base-url": "http://127.0.0.1:9" };
const env = { SURVEY_CLIENT_ID: "me", SURVEY_CLIENT_SECRET: "hunter2-secret" };

async function fail(flags: Flags, line: RegExp, extra: string[] = []): Promise<string> {
  const folder = temporaryFolder();
  const defaults = { ...nowhere, data: join(folder, "data"), ticks: "1", interval: "0s", "no-console": true } as const;
  const args = [...toArgs({ ...defaults, ...flags }), ...extra];
  const result = await runCommand(args, { env });
  expectOneClearLine(result, line, args.join(" "));
  expect(result.stderr).not.toContain("hunter2");
  return result.stderr;
}

describe("a flag that is not understood", () => {
  test("is named, with the one that was meant", async () => {
    const wrong: [string[], RegExp][] = [
      [["--base-ur", "https://x.example"], /--base-ur\b.*--base-url\b/],
      [["--evnts=-"], /--evnts\b.*--events\b/],
      [["--frobnicate"], /--frobnicate\b/],
      [["7"], /"7"/],
      [["--no-console"], /--no-console is given twice/],
      [["--config"], /--config needs a value/],
    ];
    await inPairs(wrong, async ([extra, line]) => void (await fail({}, line, extra)));
  });

  test("is told from one with a bad value, which is named too", async () => {
    const bad: [string, string, RegExp][] = [
      ["ticks", "0", /--ticks/],
      ["interval", "5", /--interval/],
      ["start-from", "2026-02-30", /start-?from/i],
      ["surveys", "1,two", /--surveys/],
      ["surveys", "0", /surveys/],
      ["time-zone", "+02:00", /time-?zone/i],
      ["base-url", "ftp://surveys.example", /base-?url.*https/i],
      ["base-url", "http://surveys.example", /base-?url.*https/i],
      ["base-url", "https://me:hunter2@surveys.example", /base-?url.*credentials/i],
    ];
    await inPairs(bad, async ([name, value, line]) => void (await fail({ [name]: value }, line)));
  });
});

describe("files and folders", () => {
  test("that cannot be used are named", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "file");
    writeFileSync(file, "{ this is not JSON: hunter2");
    const bad: [Flags, RegExp][] = [
      [{ config: join(folder, "none.json") }, /none\.json does not exist/],
      [{ config: file }, /file is not valid JSON/],
      [{ config: folder }, /cannot be read/],
      [{ events: folder }, /events file .* cannot be opened/],
      [{ events: join(folder, "none", "events.jsonl") }, /events file .* cannot be opened/],
      [{ data: file }, /data folder/i],
    ];
    await inPairs(bad, async ([flags, line]) => void (await fail(flags, line)));
  });
});

describe("a configuration", () => {
  test("with several bad fields is refused with each of them named, and no value repeated", async () => {
    const file = join(temporaryFolder(), "config.json");
    const source = {
      interval: "soon",
      startForm: "now",
      timeZone: "Mars/Olympus",
      clientSecret: "hunter2",
      privacy: { ip: "hide" },
      advanced: { rescan: { every: 5 } },
      surveys: { include: ["hunter2"] },
    };
    writeFileSync(file, JSON.stringify({ sources: [source], bus: { name: "default" }, monitorin: {} }));
    const flags = { "base-url": undefined, interval: undefined, config: file };
    const line = await fail(flags, /^Bad configuration: /);
    const named = [
      "baseUrl",
      "interval",
      "startForm",
      "timeZone",
      "clientSecret",
      "privacy.ip",
      "advanced.rescan.every",
    ];
    for (const name of named) expect(line).toContain(`sources[0].${name}`);
    expect(line).toContain("sources[0].surveys.include");
    expect(line).toContain("bus.name");
    expect(line).toMatch(/monitorin\b.*"monitoring"/);
    expect(line).toMatch(/startForm\b.*"startFrom"/);
  });
});
