import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { outcomeOf } from "../../../../lib/cli/verbs/audit/passes.ts";
import { chanceToSee, drawPages, type SampleAnswer } from "../../../../lib/cli/verbs/audit/sample.ts";
import type { AuditAnswer } from "../../../../lib/cli/verbs/audit/verb.ts";
import { createRandom } from "../../../../lib/local/simulator/hashing.ts";
import { NEW_SURVEY } from "../../../../lib/polling/index.ts";
import { responseKey, surveyKey } from "../../../../lib/state/keys.ts";
import { range } from "../../../support/survey.ts";
import { answerOf, survey, useFolder } from "../support/command.ts";
import { inAws } from "../support/folder-aws.ts";

const surveys = [
  { surveyId: 7, responses: 120 },
  { surveyId: 8, responses: 5 },
];
const folder = useFolder({ surveys }, undefined, ["--time-zone", "UTC"]);
const onFolder = ["--data", folder.data];

const run = (...args: string[]) => survey(["audit", ...args, ...onFolder]);
const audited = async (...args: string[]) => answerOf<AuditAnswer>(await run(...args, "--json"));
const sampled = async (...args: string[]) => answerOf<SampleAnswer>(await run("--sample", ...args, "--json"));

/** Deletes what the ledger has of some responses of survey 7. */
function forget(ids: number[]): Promise<void> {
  return inAws(folder.data, async ({ target: { table } }) => {
    for (const id of ids) {
      const Key = { pk: surveyKey("main", 7), sk: responseKey(id) };
      await table.client.send(new DeleteCommand({ TableName: table.name, Key }));
    }
  });
}

/** Ids of the responses of survey 7, in the order in which they are listed. */
const listed = (): number[] => folder.simulator.truth(7).map(({ responseId }) => responseId);

describe("survey-poller audit", () => {
  it("says beforehand what it costs, and changes nothing without --yes", async () => {
    const ran = await run("--survey", "7");

    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^Would make the full read of .*\(7\) due at once/m);
    expect(ran.stdout).toMatch(
      /^It reads \d+ pages, about \d+ requests\..* Within the background budget it is done by /m,
    );
    expect(ran.stderr).toContain("Dry run: nothing was changed.");
    const dry = await audited("--now");
    expect(dry).toMatchObject({ dryRun: true, mode: "now", cost: { isExact: true, by: null } });
    expect(dry.surveys.map(({ surveyId, outcome }) => [surveyId, outcome])).toEqual([
      [7, "to do"],
      [8, "to do"],
    ]);
  });

  it("reads the full read at once, and closes the books after the request", async () => {
    const began = Date.now();

    const answer = await audited("--now", "--yes");

    expect(answer).toMatchObject({ dryRun: false, mode: "now" });
    expect(answer.surveys).toMatchObject([
      { surveyId: 7, outcome: "closed", listed: 120 },
      { surveyId: 8, outcome: "closed", listed: 5 },
    ]);
    for (const { closedAt } of answer.surveys) expect(closedAt).toBeGreaterThanOrEqual(began);
  });

  it("leaves it to ticks, which it makes itself where nobody polls, until the books are closed", async () => {
    const began = Date.now();
    const ran = await run("--survey", "7", "--yes");
    expect(ran.stdout).toMatch(/\(7\): books closed, 120 listed, 120 accounted for\.$/m);
    expect(ran.code).toBe(0);
    const status = await survey(["status", ...onFolder, "--json"]);
    const books = (status.json as { surveys: { books: { closedAt: number } }[] }).surveys[0]?.books;
    expect(books?.closedAt).toBeGreaterThanOrEqual(began);
  });

  it("takes a sample: what it knows, and with which probability it would have seen a gap", async () => {
    const answer = await sampled("30%", "--survey", "7");

    const [one] = answer.surveys;
    expect(answer).toMatchObject({ percent: 30 });
    expect(one?.read).toHaveLength(Math.ceil((one?.pages ?? 0) * 0.3));
    expect(one).toMatchObject({ missing: [], isNew: [], states: { emitted: one?.responses } });
    expect(one?.chances[0]).toEqual({ missing: 1, seen: expect.closeTo((one?.read.length ?? 0) / (one?.pages ?? 1)) });
    const text = await run("--survey", "7", "--sample", "30%");
    expect(text.stdout).toMatch(
      /^ {2}Of so many missing ones, wherever they lie, it would have seen at least one: of 1 with /m,
    );
    expect(text.stdout).toContain(`A sample: ${one?.read.length} of ${one?.pages} pages. `);
    expect(text.code).toBe(0);
  });

  it("names what the ledger does not know, one line each, with exit code 5; a full read mends it", async () => {
    const gaps = listed().slice(10, 12);
    await forget(gaps);

    const ran = await run("--survey", "7", "--sample", "100");

    expect(ran.code).toBe(5);
    for (const id of gaps) expect(ran.stdout).toContain(`  unaccounted: survey 7, response ${id}\n`);
    expect((await sampled("100%")).surveys[0]).toMatchObject({ missing: expect.arrayContaining(gaps), isNew: [] });
    const mended = await audited("--survey", "7", "--now", "--yes");
    expect(mended.surveys[0]).toMatchObject({ outcome: "closed", listed: 120, found: 2 });
    await forget(gaps.slice(1));
    const text = await run("--survey", "7", "--now", "--yes");
    expect(text.stdout).toContain(`120 accounted for. 1 response no poll had met: it goes out now.\n`);
    expect((await run("--survey", "7", "--sample", "100")).code).toBe(0);
  });

  it("tells what is new since the last poll from what is missing", async () => {
    folder.simulator.complete(7);

    const ran = await run("--survey", "7", "--sample", "100");

    expect(ran.stdout).toMatch(/^ {2}1 new since the last poll: \d+$/m);
    expect(ran.code).toBe(0);
  });

  it("cannot prove anything while the source is paused: exit code 3", async () => {
    await survey(["pause", "--yes", ...onFolder]);
    for (const flags of [[], ["--now", "--yes"], ["--sample", "5%"]]) {
      const ran = await run(...flags);
      expect(ran).toMatchObject({ code: 3, stdout: "" });
      expect(ran.stderr).toContain(`Next: survey-poller resume --source main --yes --data ${folder.data}`);
    }
    await survey(["resume", "--yes", ...onFolder]);
  });

  it("of a survey that is not polled does nothing", async () => {
    const ran = await run("--survey", "9");
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("survey 9 is not polled") });
  });
});

it("the outcome of a full read is not known before it has ended, and then why its books are open, or what is unaccounted for", () => {
  const before = { closedAt: 1, nextPass: 2 };
  const of = (mark: object) => outcomeOf({ surveyId: 7, row: undefined, mark: { ...NEW_SURVEY, ...mark } }, before);
  const booksOpen = { code: "pages-unreachable", pages: [2] };
  expect(of({ nextPass: 2, booksOpen: { code: "pages-moved" } })).toBeUndefined();
  expect(of({ nextPass: 3, booksOpen, pass: {} })).toBeUndefined();
  expect(of({ nextPass: 3, booksOpen })).toMatchObject({ outcome: "open", why: "page 2 unreachable" });
  const short = { outcome: "unaccounted", unaccounted: { count: 2 } };
  expect(of({ nextPass: 3, booksOpen: { code: "unaccounted", count: 2 } })).toMatchObject(short);
});

it("draws each page as often as any other, and no page twice", () => {
  const times = new Map<number, number>();
  for (let seed = 1; seed <= 2_000; seed += 1) {
    const drawn = drawPages(10, 30, createRandom(seed));
    expect(new Set(drawn).size).toBe(3);
    for (const page of drawn) times.set(page, (times.get(page) ?? 0) + 1);
  }
  for (const page of range(1, 10)) expect(Math.abs((times.get(page) ?? 0) - 600)).toBeLessThan(90);
});

it("is sure of nothing but what it has read as a whole", () => {
  expect(chanceToSee(1, { read: 20, pages: 20 })).toBe(1);
  expect(chanceToSee(1, { read: 1, pages: 20 })).toBeCloseTo(0.05);
  expect(chanceToSee(10, { read: 1, pages: 20 })).toBeCloseTo(0.401, 3);
  expect(chanceToSee(1, { read: 0, pages: 0 })).toBe(0);
});
