import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { closed, completed, updated } from "../../../examples/support/events.ts";
import { temporaryFolder } from "../../../support/command.ts";
import { survey } from "../support/command.ts";

const SURVEY = 7;
const LATER = "2026-03-10T23:00:00.000Z";
const events = [1, 2, 3, 4].map((responseId) => completed(SURVEY, responseId));
const books = closed(SURVEY, events);
const idOf = (event: { detail: { meta: { eventId: string } } }): string => event.detail.meta.eventId;

/** A file with one of these a line. */
function file(...lines: readonly unknown[]): string {
  const path = join(temporaryFolder(), "lines");
  writeFileSync(path, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  return path;
}

const verify = (own: string, all?: string) =>
  survey(["verify", "--buckets", "--ids", own, ...(all === undefined ? [] : ["--events", all])]);

describe("verify --buckets", () => {
  const everything = () => file(...events, books);

  it.each<[what: string, own: () => string]>([
    ["ids in a column", () => file("event_id,mail", ...events.map((event) => `${idOf(event)},a@example.com`))],
    ["whole events, some twice, in any order", () => file(...events.toReversed(), ...events)],
    ["events that a queue has wrapped", () => file(...events.map((event) => ({ body: JSON.stringify(event) })))],
  ])("says complete of %s", async (_what, own) => {
    const said = "Survey 7 of main, books 2: complete, 4 events.\n";
    expect(await verify(own(), everything())).toMatchObject({ code: 0, stdout: said });
  });

  it("names the bucket of what is missing, and the event in it", async () => {
    const [missing, ...rest] = events;
    const id = missing === undefined ? "" : idOf(missing);
    const { code, stdout } = await verify(file(...rest.map(idOf)), everything());
    const [sentence, bucket, event] = stdout.split("\n").map((line) => line.replaceAll(/ +/g, " "));
    expect(sentence).toBe("Survey 7 of main, books 2: 1 missing of 4.");
    const others = rest.filter((one) => idOf(one).slice(0, 2) === id.slice(0, 2)).length;
    expect(bucket).toBe(`${id.slice(0, 2)} has ${others} of ${others + 1}`);
    expect(event).toBe(`${id.slice(0, 2)} missing ${id} response 1 revision 1`);
    expect(code).toBe(5);
  });

  it("names the buckets alone where no file has the missing event", async () => {
    const [missing, ...rest] = events;
    const { code, stdout } = await verify(file(...rest, books));
    expect(stdout).toContain("1 missing of 4.");
    expect(stdout).toContain(`${missing && idOf(missing).slice(0, 2)}  has `);
    expect(stdout).not.toContain("  missing  ");
    expect(code).toBe(5);
  });

  it("tells an older revision from the latest one", async () => {
    const update = updated(SURVEY, 1);
    const latest = closed(SURVEY, [update, ...events.slice(1)]);
    const { code, stdout } = await verify(file(...events.map(idOf)), file(...events, update, latest));
    expect(stdout).toContain("Survey 7 of main, books 2: as many as 4, but not the same.");
    expect(stdout.replaceAll(/ +/g, " ")).toContain(`missing ${idOf(update)} response 1 revision 2`);
    expect(code).toBe(5);
  });

  it("proves nothing of a survey without books: exit code 3", async () => {
    const all = file(...events, books, completed(8, 9));
    const { code, stdout } = await verify(file(...events.map(idOf)), all);
    expect(stdout).toBe("Survey 7 of main, books 2: complete, 4 events.\nSurvey 8 of main: no books yet.\n");
    expect(code).toBe(3);
  });

  it("leaves out what was made after the books, and takes the last books", async () => {
    const later = completed(SURVEY, 5, LATER);
    const all = file(...events, later, closed(SURVEY, events.slice(1), 1), books, closed(8, [], 1));
    const own = file(...events.map(idOf), idOf(later), "00000000-0000-5000-8000-000000000000");
    const { code, stdout } = await verify(own, all);
    expect(stdout.split("\n")).toEqual([
      "Survey 7 of main, books 2: complete, 4 events.",
      "Survey 8 of main, books 1: complete, 0 events.",
      "1 id of the consumer: of no event in the files, and not judged.",
      "",
    ]);
    expect(code).toBe(0);
  });

  it.each<[what: string, args: string[], says: string]>([
    ["no books", ["--buckets", "--ids", "-"], "no books.closed event is in the files"],
    ["no list", ["--buckets"], "it is not said what the consumer has"],
    ["a flag of the other way", ["--buckets", "--ids", "-", "--resend"], "--resend does not go with --buckets"],
    ["events without buckets", ["--ids", "-", "--events", "x"], "--events belongs to --buckets"],
    ["a file that is not there", ["--buckets", "--ids", "none.csv"], "the file of --ids cannot be read (ENOENT)"],
  ])("refuses %s", async (_what, args, says) => {
    const { code, stderr } = await survey(["verify", ...args], { input: "" });
    expect(stderr).toContain(says);
    expect(code).toBeGreaterThan(0);
  });
});
