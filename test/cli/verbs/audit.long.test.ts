import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTarget } from "../../../cli/target/open-target.ts";
import { tableOf } from "../../../cli/target/surveys.ts";
import type { AuditAnswer, SampleAnswer } from "../../../cli/verbs/audit/answer.ts";
import { outcomeOf } from "../../../cli/verbs/audit/passes.ts";
import { emptyMark } from "../../../lib/polling/model/mark.ts";
import { responseKey, surveyKey } from "../../../lib/state/keys.ts";
import { answerOf, closeFolder, type Folder, ioOf, openFolder, survey } from "../support/command.ts";

let folder: Folder;
let at: string[];

beforeAll(async () => {
  folder = await openFolder({
    surveys: [
      { surveyId: 7, responses: 120 },
      { surveyId: 8, responses: 5 },
    ],
  });
  at = ["--data", folder.data];
}, 60_000);

afterAll(() => closeFolder(folder));

/** Deletes what the ledger has of some responses of survey 7. */
async function forget(ids: number[]): Promise<void> {
  await using target = await openTarget({ data: folder.data }, ioOf().io);
  const table = tableOf(target);
  for (const id of ids) {
    const key = { pk: surveyKey("main", 7), sk: responseKey(id) };
    await table.client.send(new DeleteCommand({ TableName: table.name, Key: key }));
  }
}

/** Ids of the responses of survey 7, in the order in which they are listed. */
const listed = (): number[] => folder.simulator.truth(7).map(({ responseId }) => responseId);

describe("survey-poller audit", () => {
  it("says beforehand what it costs, and changes nothing without --yes", async () => {
    const ran = await survey(["audit", "--survey", "7", ...at]);

    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^Would make the full pass of .*\(7\) due at once/m);
    expect(ran.stdout).toMatch(
      /^It reads \d+ pages, about \d+ requests\..* Within the background budget it is done by /m,
    );
    expect(ran.stderr).toContain("Dry run: nothing was changed.");
    const dry = answerOf<AuditAnswer>(await survey(["audit", "--now", ...at, "--json"]));
    expect(dry).toMatchObject({ dryRun: true, mode: "now", cost: { isExact: true, by: null } });
    expect(dry.surveys.map(({ surveyId, outcome }) => [surveyId, outcome])).toEqual([
      [7, "to do"],
      [8, "to do"],
    ]);
  });

  it("reads the full pass at once, and closes the books after the request", async () => {
    const began = Date.now();

    const answer = answerOf<AuditAnswer>(await survey(["audit", "--now", "--yes", ...at, "--json"]));

    expect(answer).toMatchObject({ dryRun: false, mode: "now" });
    expect(answer.surveys).toMatchObject([
      { surveyId: 7, outcome: "closed", listed: 120 },
      { surveyId: 8, outcome: "closed", listed: 5 },
    ]);
    for (const { closedAt } of answer.surveys) expect(closedAt).toBeGreaterThanOrEqual(began);
  });

  it("leaves it to ticks, which it makes itself where nobody polls, until the books are closed", async () => {
    const planned = await survey(["audit", "--survey", "8", "--no-wait", "--yes", ...at, "--json"]);
    expect(answerOf<AuditAnswer>(planned).surveys).toMatchObject([{ surveyId: 8, outcome: "planned" }]);

    const began = Date.now();
    const ran = await survey(["audit", "--survey", "7", "--yes", ...at]);
    expect(ran.stdout).toMatch(/\(7\): books closed, 120 listed, 120 accounted for\.$/m);
    expect(ran.code).toBe(0);
    const status = await survey(["status", ...at, "--json"]);
    const books = (status.json as { surveys: { books: { closedAt: number } }[] }).surveys[0]?.books;
    expect(books?.closedAt).toBeGreaterThanOrEqual(began);
  });

  it("takes a sample: what it knows, and with which probability it would have seen a gap", async () => {
    const line = ["audit", "--survey", "7", "--sample", "30%", "--seed", "4", ...at];

    const answer = answerOf<SampleAnswer>(await survey([...line, "--json"]));

    const [one] = answer.surveys;
    expect(answer).toMatchObject({ percent: 30, seed: 4 });
    expect(one?.read).toHaveLength(Math.ceil((one?.pages ?? 0) * 0.3));
    expect(one).toMatchObject({ missing: [], isNew: [], states: { emitted: one?.responses } });
    expect(one?.chances[0]).toEqual({ missing: 1, seen: expect.closeTo((one?.read.length ?? 0) / (one?.pages ?? 1)) });
    const again = answerOf<SampleAnswer>(await survey([...line, "--json"]));
    expect(again.surveys[0]?.read).toEqual(one?.read);
    const text = await survey(line);
    expect(text.stdout).toMatch(
      /^ {2}Of so many missing ones, wherever they lie, it would have seen at least one: of 1 with /m,
    );
    expect(text.code).toBe(0);
  });

  it("names what the ledger does not know, one line each, with exit code 5; a full pass mends it", async () => {
    const gaps = listed().slice(10, 12);
    await forget(gaps);

    const ran = await survey(["audit", "--survey", "7", "--sample", "100", ...at]);

    expect(ran.code).toBe(5);
    for (const id of gaps) expect(ran.stdout).toContain(`  unaccounted: survey 7, response ${id}\n`);
    expect(
      answerOf<SampleAnswer>(await survey(["audit", "--sample", "100%", ...at, "--json"])).surveys[0],
    ).toMatchObject({
      missing: expect.arrayContaining(gaps),
      isNew: [],
    });
    const mended = answerOf<AuditAnswer>(await survey(["audit", "--survey", "7", "--now", "--yes", ...at, "--json"]));
    expect(mended.surveys[0]).toMatchObject({ outcome: "closed", listed: 120, found: 2, missing: gaps });
    await forget(gaps.slice(1));
    const text = await survey(["audit", "--survey", "7", "--now", "--yes", ...at]);
    expect(text.stdout).toContain(`120 accounted for. 1 response was missing (${gaps[1]}): it goes out now.\n`);
    expect((await survey(["audit", "--survey", "7", "--sample", "100", ...at])).code).toBe(0);
  });

  it("tells what is new since the last poll from what is missing", async () => {
    folder.simulator.complete(7);

    const ran = await survey(["audit", "--survey", "7", "--sample", "100", ...at]);

    expect(ran.stdout).toMatch(/^ {2}1 new since the last poll: \d+$/m);
    expect(ran.code).toBe(0);
  });

  it("cannot prove anything while the source is paused: exit code 3", async () => {
    await survey(["pause", "--yes", ...at]);
    for (const flags of [[], ["--now", "--yes"], ["--sample", "5%"]]) {
      const ran = await survey(["audit", ...flags, ...at]);
      expect(ran).toMatchObject({ code: 3, stdout: "" });
      expect(ran.stderr).toContain(`Next: survey-poller resume --source main --data ${folder.data} --yes`);
    }
    await survey(["resume", "--yes", ...at]);
  });

  it.each([
    [["--sample", "0%"], "--sample is no percentage above 0"],
    [["--sample", "101"], "--sample is no percentage above 0"],
    [["--sample", "5%", "--now"], "--sample goes with neither"],
    [["--survey", "x"], "it must be a survey id"],
    [["--survey", "9"], "survey 9 is not polled"],
  ])("called with %j does nothing", async (flags, message) => {
    const ran = await survey(["audit", ...flags, ...at]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(message);
  });
});

describe("the outcome of a full pass", () => {
  const before = { closedAt: 1, nextPass: 2 };
  const of = (mark: object) => outcomeOf({ surveyId: 7, row: undefined, mark: { ...emptyMark(), ...mark } }, before);

  it("is not known before it has ended, and then why its books are open, or what is unaccounted for", () => {
    expect(of({ nextPass: 2, booksOpen: { code: "pages-moved" } })).toBeUndefined();
    expect(of({ nextPass: 3, booksOpen: { code: "pages-unreachable", pages: [2] }, pass: {} })).toBeUndefined();
    expect(of({ nextPass: 3, booksOpen: { code: "pages-unreachable", pages: [2] } })).toMatchObject({
      outcome: "open",
      why: "page 2 unreachable",
    });
    expect(of({ nextPass: 3, booksOpen: { code: "unaccounted", count: 2 } })).toMatchObject({
      outcome: "unaccounted",
      unaccounted: { count: 2 },
    });
  });
});
