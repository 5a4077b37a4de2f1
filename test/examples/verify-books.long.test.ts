import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/command.ts";
import { AFTER, closed, completed, updated } from "./support/events.ts";

const ROOT = join(import.meta.dirname, "../..");

/** What an example prints for a file with these events, and its exit code. */
function run(command: string, args: string[], cwd: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(command, args, { cwd, env: { PATH: process.env.PATH } }, (error, stdout, stderr) => {
      done({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

/** Of a real response, so that nothing tells of it. */
function test(responseId: number): object {
  const event = completed(101, responseId);
  Object.assign(event.detail.meta, { test: true });
  return event;
}

it.each<[what: string, events: object[], lines: string[], code: number]>([
  [
    "complete books, with updates, repeats, and what came after them",
    [
      updated(101, 2),
      completed(101, 1),
      // Of an earlier time, and overtaken.
      closed(101, [completed(101, 1)], 1),
      completed(101, 2),
      closed(101, [completed(101, 1), updated(101, 2)], 2),
      // The same event once more, an event and an update of later books, and one that tells of nothing real.
      completed(101, 1, AFTER),
      completed(101, 3, AFTER),
      updated(101, 1, AFTER),
      test(4),
    ],
    ["survey 101 of main: complete (books 2: 2)"],
    0,
  ],
  [
    "for each survey what is missing, ahead, or not the same",
    [
      ...[1, 2, 3].map((id) => completed(102, id)),
      closed(
        102,
        [1, 2, 3, 4, 5].map((id) => completed(102, id)),
        1,
      ),
      ...[1, 2, 3].map((id) => completed(103, id)),
      closed(103, [completed(103, 1), completed(103, 3)], 4),
      ...[1, 2].map((id) => completed(104, id)),
      closed(104, [completed(104, 1), updated(104, 2)], 7),
      closed(105, [], 1),
      completed(106, 1),
    ],
    [
      "survey 102 of main: missing 2 (books 1: 5)",
      "survey 103 of main: ahead 1 (books 4: 2)",
      "survey 104 of main: different (books 7: 2)",
      "survey 105 of main: complete (books 1: 0)",
      "survey 106 of main: no books yet",
    ],
    1,
  ],
  [
    "no error by events that are ahead, since later books tell of them",
    [completed(103, 1), completed(103, 2), closed(103, [completed(103, 2)])],
    ["survey 103 of main: ahead 1 (books 2: 1)"],
    0,
  ],
])("both examples tell of a file %s", async (_what, events, lines, code) => {
  // A folder that has this package as an installation would.
  const folder = temporaryFolder();
  const installed = join(folder, "node_modules/survey-poller");
  mkdirSync(installed, { recursive: true });
  const manifest = { name: "survey-poller", type: "module", exports: { "./events": "./events.ts" } };
  writeFileSync(join(installed, "package.json"), JSON.stringify(manifest));
  symlinkSync(join(ROOT, "lib/events/index.ts"), join(installed, "events.ts"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  for (const name of ["verify-books.ts", "verify_books.py"]) cpSync(join(ROOT, "examples", name), join(folder, name));
  writeFileSync(join(folder, "events.jsonl"), events.map((one) => `${JSON.stringify(one)}\n`).join(""));

  const wanted = { code, stdout: lines.map((line) => `${line}\n`).join(""), stderr: "" };
  expect(await run(process.execPath, ["verify-books.ts", "events.jsonl"], folder)).toEqual(wanted);
  expect(await run("python3", ["verify_books.py", "events.jsonl"], folder)).toEqual(wanted);
});
