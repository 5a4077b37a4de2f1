import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { response } from "../../codegen/golden.ts";
import { buildBooksClosed } from "../../lib/events/build/build-books-closed.ts";
import { buildEvent, toUpdate } from "../../lib/events/build/build-event.ts";
import { type BooksClosed, digestSum, type EventType, type ResponseCompleted } from "../../lib/events/index.ts";
import { type EventEnvelope, toEnvelope } from "../../local/aws/event-bridge/envelope.ts";
import { temporaryFolder } from "../support/command.ts";

const ROOT = join(import.meta.dirname, "../..");
const CLOSED = Date.UTC(2026, 2, 10, 14);
const BEFORE = CLOSED - 60_000;
const AFTER = CLOSED + 60_000;

const told = (type: EventType, detail: object): EventEnvelope =>
  toEnvelope({ DetailType: type, Source: "survey-poller" }, { ...detail }, "id", CLOSED);

const event = (surveyId: number, responseId: number, changes: { detectedAt?: number; revision?: number } = {}) =>
  buildEvent({ ...response(responseId), surveyId, detectedAt: BEFORE, ...changes });

const completed = (detail: ResponseCompleted): EventEnvelope => told("response.completed", detail);

function update(surveyId: number, responseId: number, detectedAt = BEFORE): EventEnvelope {
  const replaces = event(surveyId, responseId).meta.eventId;
  const updated = event(surveyId, responseId, { detectedAt, revision: 2 });
  return told("response.updated", toUpdate(updated, { replaces, changes: ["answers"], observedAt: detectedAt }));
}

/** Books of events with contents, of which those that count are the latest of their response. */
function books(
  surveyId: number,
  sequence: number,
  latest: readonly (EventEnvelope | ResponseCompleted)[],
): EventEnvelope {
  const sum = digestSum();
  for (const one of latest) sum.add((("detail" in one ? one.detail : one) as ResponseCompleted).meta.eventId);
  const counts = { beforeFloor: 0, open: 0, waiting: 0, held: 0, quarantined: 0, refused: 0 };
  const built = buildBooksClosed({
    sourceName: "main",
    surveyId,
    survey: undefined,
    from: null,
    books: { listed: latest.length, emitted: latest.length, ...counts, passes: 1, deficit: 0, startedAt: BEFORE },
    digest: sum.digest(),
    previous: sequence === 1 ? undefined : { sequence: sequence - 1, eventId: "before", hash: "" },
    detectedAt: CLOSED,
  });
  return told("books.closed", built?.detail as BooksClosed);
}

/** What an example prints for a file with these events, and its exit code. */
function run(command: string, args: string[], cwd: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(command, args, { cwd, env: { PATH: process.env.PATH } }, (error, stdout, stderr) => {
      done({ code: error?.code ?? 0, stdout, stderr });
    });
  });
}

/** Both examples on one file, in a folder that has this package as an installation would: it is one answer, or the test fails. */
async function verify(events: readonly EventEnvelope[]): Promise<{ code: unknown; lines: string[] }> {
  const folder = temporaryFolder();
  const installed = join(folder, "node_modules/survey-poller");
  mkdirSync(installed, { recursive: true });
  const manifest = { name: "survey-poller", type: "module", exports: { "./events": "./events.ts" } };
  writeFileSync(join(installed, "package.json"), JSON.stringify(manifest));
  symlinkSync(join(ROOT, "lib/events/index.ts"), join(installed, "events.ts"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  for (const example of ["verify-books.ts", "verify_books.py"]) {
    cpSync(join(ROOT, "examples", example), join(folder, example));
  }
  writeFileSync(join(folder, "events.jsonl"), events.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const [typescript, python] = await Promise.all([
    run(process.execPath, ["verify-books.ts", "events.jsonl"], folder),
    run("python3", ["verify_books.py", "events.jsonl"], folder),
  ]);
  expect(python).toEqual(typescript);
  expect(typescript.stderr).toBe("");
  return { code: typescript.code, lines: typescript.stdout.trim().split("\n") };
}

describe("the examples that check a consumer's events against the books", () => {
  it("tell complete books, with updates, repeats, and what came after them", async () => {
    const [first, second] = [event(101, 1), event(101, 2)];
    const updated = update(101, 2);
    const { code, lines } = await verify([
      updated,
      completed(first),
      // Of an earlier time, and overtaken.
      books(101, 1, [first]),
      completed(second),
      books(101, 2, [first, updated]),
      // The same event once more, an event and an update of later books, and one that tells of nothing real.
      completed({ ...first, meta: { ...first.meta, detectedAt: new Date(AFTER).toISOString() } }),
      completed(event(101, 3, { detectedAt: AFTER })),
      update(101, 1, AFTER),
      completed({ ...event(101, 4), meta: { ...event(101, 4).meta, test: true } }),
    ]);
    expect(lines).toEqual(["survey 101 of main: complete (books 2: 2)"]);
    expect(code).toBe(0);
  });

  it("tell for each survey what is missing, ahead, or not the same", async () => {
    const { code, lines } = await verify([
      ...[1, 2, 3].map((id) => completed(event(102, id))),
      books(
        102,
        1,
        [1, 2, 3, 4, 5].map((id) => event(102, id)),
      ),
      ...[1, 2, 3].map((id) => completed(event(103, id))),
      books(103, 4, [event(103, 1), event(103, 3)]),
      ...[1, 2].map((id) => completed(event(104, id))),
      books(104, 7, [event(104, 1), update(104, 2)]),
      books(105, 1, []),
      completed(event(106, 1)),
    ]);
    expect(lines).toEqual([
      "survey 102 of main: missing 2 (books 1: 5)",
      "survey 103 of main: ahead 1 (books 4: 2)",
      "survey 104 of main: different (books 7: 2)",
      "survey 105 of main: complete (books 1: 0)",
      "survey 106 of main: no books yet",
    ]);
    expect(code).toBe(1);
  });

  it("do not take events that are ahead for an error, since later books tell of them", async () => {
    const { code, lines } = await verify([
      completed(event(103, 1)),
      completed(event(103, 2)),
      books(103, 1, [event(103, 2)]),
    ]);
    expect(lines).toEqual(["survey 103 of main: ahead 1 (books 1: 1)"]);
    expect(code).toBe(0);
  });
});
