import { cpSync, mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand, temporaryFolder } from "../../../support/command.ts";
import { inShell, poll, useFolder } from "../../cli/support/command.ts";

// What the first run has written is in a file of its own from the second one on.
const folder = useFolder({ surveys: [{ surveyId: 7, responses: 60 }] }, (polled) => poll(polled));

/** A copy of the folder, in which the files of a part with such names have lost their end. */
function damagedIn(part: string, names: RegExp): string {
  const data = join(temporaryFolder(), "data");
  cpSync(folder.data, data, { recursive: true });
  const files = readdirSync(join(data, part)).filter((name) => names.test(name));
  expect(files).not.toEqual([]);
  for (const file of files) truncateSync(join(data, part, file), 20);
  return data;
}

it.each([
  ["its table", "dynamodb", /^items\.db/],
  ["its secrets", "secrets", /\.json$/],
  ["its queues", "queues-and-buckets", /\.db$/],
])("damage in %s ends in one line that names the place, of npm start and of a verb", async (_what, part, names) => {
  const data = damagedIn(part, names);
  const line = new RegExp(
    `^The data folder ${data} is damaged: ${data}/${part}\\S* cannot be read\\. Put back a copy.*\n$`,
  );

  const run = await runCommand(["--base-url", folder.simulator.url, "--data", data, "--ticks", "1", "--no-console"]);
  expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(line) });

  const verb = await inShell(["lib/cli/main.ts", "status", "--data", data]);
  expect(verb).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(line) });

  const asJson = await inShell(["lib/cli/main.ts", "status", "--data", data, "--json"]);
  expect(asJson).toMatchObject({ code: 1, stderr: "" });
  expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: "DATA_FOLDER_UNUSABLE" } });
});

it("a full disk ends a run in one line, and the next run with room goes on", async () => {
  const data = mkdtempSync(join(tmpdir(), "survey-poller-"));
  cpSync(folder.data, data, { recursive: true });
  folder.simulator.complete(7, 200);
  const args = [
    "--base-url",
    folder.simulator.url,
    "--data",
    data,
    "--ticks",
    "1",
    "--start-from",
    "beginning",
    "--no-console",
  ];

  // No file may grow beyond so many blocks; a file that would is told so, and no signal ends the process.
  const full = await inShell(["lib/local/start.ts", ...args], "trap '' XFSZ; ulimit -f 40");

  expect(full.code).toBe(1);
  expect(full.stderr).toMatch(
    /^The disk of the data folder \S+ takes no more \(\w+\)\. Make room on it and start again: .*\n$/,
  );
  const after = await runCommand(args);
  expect(after).toMatchObject({ code: 0, stderr: "" });
  rmSync(data, { recursive: true });
});
