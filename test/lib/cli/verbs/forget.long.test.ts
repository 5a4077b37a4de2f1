import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, describe, expect, it } from "vitest";
import type { ForgetAnswer } from "../../../../lib/cli/verbs/forget.ts";
import { temporaryFolder } from "../../../support/command.ts";
import { answerOf, poll, survey, useFolder } from "../support/command.ts";
import { holdLease, inAws } from "../support/folder-aws.ts";

const crk = "customer-4711";
const beside = mkdtempSync(join(tmpdir(), "survey-poller-"));
afterAll(() => rmSync(beside, { recursive: true, force: true }));
const config = join(beside, "config.json");
const events = join(beside, "events.jsonl");
writeFileSync(config, JSON.stringify({ baseUrl: "http://127.0.0.1:1", privacy: { findBy: ["crk", "referrer"] } }));
const args = ["--config", config, "--events", events];

/** Of nobody who is looked for: a response whose answers lie in the bucket, and one that cannot be read. */
let large = 0;
let unreadable = 0;
/** The person's key in every place where it can stay: entries, kept records in table and bucket, and records of nobody. The answers of one lie in the bucket. */
let planted: Record<"small" | "large" | "unreadable" | "unreadableLarge" | "ofNobody", number>;
let other = 0;
const folder = useFolder(
  { surveys: [{ surveyId: 7, responses: 3 }] },
  async (polled) => {
    const { simulator } = polled;
    const add = (records: number, patch: object = {}, commentBytes = 10): number =>
      simulator.complete(7, 1, { records, commentBytes, patch: { crk, ...patch } })[0] ?? 0;
    planted = {
      small: add(2),
      large: add(6, {}, 60_000),
      unreadable: add(2, { completed: "maybe" }),
      unreadableLarge: add(6, { completed: "maybe" }, 60_000),
      ofNobody: add(1, { responseId: "?" }),
    };
    other = add(2, { crk: "customer-1" });
    large = add(6, { crk: null }, 60_000);
    unreadable = add(2, { crk: null, completed: "maybe" });
    await poll(polled, args);
  },
  args,
);
const run = (...flags: string[]) => survey(["forget", ...flags, "--data", folder.data]);
const answer = async (...flags: string[]) => answerOf<ForgetAnswer>(await run(...flags, "--json"));

/** All that table and bucket hold, as text. */
function everything(): Promise<string> {
  return inAws(folder.data, async ({ target: { resources, clients } }) => {
    const { tableName: TableName, claimCheckBucket: Bucket } = resources;
    const { Items = [], LastEvaluatedKey } = await clients.dynamodb.send(new ScanCommand({ TableName }));
    expect(LastEvaluatedKey).toBeUndefined();
    const s3 = await clients.s3();
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    const objects = await Promise.all(
      Contents.map(async ({ Key }) => {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
        return `${Key} ${await Body?.transformToString()}`;
      }),
    );
    return [...Items.map((item) => JSON.stringify(item)), ...objects].join("\n");
  });
}

const responseOf = async (...flags: string[]) => (await answer(...flags)).responses[0];
const NOTHING = { table: [], bucket: [] };

describe("forget by an id", () => {
  it("without --yes lists all that is held, and changes nothing", async () => {
    const ran = await run(String(large));
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe("Dry run: nothing was changed. Add --yes to do it.\n");
    expect(ran.stdout).toMatch(/^Would be forgotten: response \d+ of Survey 7 \(7\), source main$/m);
    expect(ran.stdout).toMatch(/^ {2}table +its entry \(emitted\): .*digest/m);
    expect(ran.stdout).toMatch(/^ {2}bucket +\S+\/[\w-]{36}\/\w+\.json$/m);
    const first = await responseOf(String(large));
    expect(first).toMatchObject({ surveyId: 7, state: "emitted" });
    expect(first?.held.bucket).toHaveLength(1);
    expect(await responseOf(String(large))).toEqual(first);
  });

  it("of a survey that is being polled is not done now: exit code 3, and nothing is changed", async () => {
    const release = await holdLease(folder, 7);
    const ran = await run(String(large), "--yes");
    await release();
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(ran.stderr).toContain("is being polled just now, and nothing was forgotten");
    expect(ran.stderr).toContain(`Next: survey-poller forget ${large} --survey 7 --source main --yes`);
    expect((await responseOf(String(large)))?.held.table).toContain("digest");
  });

  it.each<[what: string, id: () => number, was: string, stays: object]>([
    ["went out", () => large, "emitted", { state: "emitted", revision: 1 }],
    ["has not gone out", () => unreadable, "quarantined", { state: "before-start" }],
  ])("with --yes leaves nothing of one that %s but a bare entry, also after a tick", async (_what, id, state, bare) => {
    const done = await answer(String(id()), "--yes");
    const stays = { id: id(), reason: "forgotten", ...bare };
    expect(done).toMatchObject({ dryRun: false, responses: [{ state, stays }] });
    // Nobody knows whether the bus took its event before it was quarantined.
    expect(done.elsewhere.map(({ where }) => where)).toEqual(
      expect.arrayContaining(["subscribers", "live pages", "the data folder"]),
    );
    await poll(folder, args);
    expect(await responseOf(String(id()), "--yes")).toMatchObject({ held: NOTHING, stays });
    expect((await run(String(id()))).stdout).toMatch(/^Nothing more is held of response/);
  });

  it("of a response that nobody has met writes nothing", async () => {
    const ran = await run("99999", "--yes");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^Nothing is held of response 99999/);
    expect((await answer("99999")).responses).toEqual([]);
  });

  it("called wrongly: a source that there is not", async () => {
    const ran = await run("5", "--source", "other");
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Its sources: main.") });
  });
});

const idsIn = ({ responses }: ForgetAnswer) => responses.map(({ id }) => id);

describe("forget by a person's key", () => {
  it("finds all responses of the person, and no other one; the key stands in the clear only in kept records", async () => {
    const found = await answer("--crk", crk);
    const ids = idsIn(found);
    expect(found).toMatchObject({ dryRun: true, by: "crk", unsearched: [], exported: null, deadLetters: [] });
    expect(ids).toHaveLength(5);
    for (const name of ["small", "large", "unreadable", "unreadableLarge"] as const)
      expect(ids).toContain(planted[name]);
    expect(ids.filter((id) => String(id).startsWith("record-"))).toHaveLength(1);
    const lines = (await everything()).split("\n").filter((line) => line.includes(crk));
    expect(lines.every((line) => line.startsWith("kept/") || line.includes('"kept"'))).toBe(true);
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(found)).not.toContain(crk);
  });

  it("finds as many by the referrer as events tell of, but for those that were forgotten", async () => {
    const referrer = "https://shop.example/thanks";
    const told = readFileSync(events, "utf8").trim().split("\n");
    const known = told.filter((line) => !line.includes(`"responseId":${large},`));
    const wanted = known.filter((line) => line.includes(`"referrer":"${referrer}"`)).length;
    expect(wanted).toBeGreaterThan(0);
    expect(idsIn(await answer("--referrer", referrer))).toHaveLength(wanted);
  });

  it("says of a survey that is being polled which are left, and forgets nothing of them", async () => {
    const release = await holdLease(folder, 7);
    const ran = await run("--crk", crk, "--yes", "--json");
    await release();
    expect(ran.code).toBe(3);
    const { responses } = answerOf<ForgetAnswer>(ran);
    expect(responses.map(({ problem }) => problem?.code)).toEqual(Array(5).fill("SURVEY_BUSY"));
    expect(idsIn(await answer("--crk", crk))).toHaveLength(5);
  });

  it("with --export first writes all that is held into a file for its owner alone", async () => {
    const file = join(temporaryFolder(), "person.json");
    const found = await answer("--crk", crk, "--export", file);
    expect(found).toMatchObject({ dryRun: true, exported: file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { responses } = JSON.parse(readFileSync(file, "utf8"));
    const of = (id: number) => responses.find((one: { id: unknown }) => one.id === id);
    expect(responses).toHaveLength(5);
    expect(of(planted.unreadable).entry.kept.records[0]).toMatchObject({ crk });
    expect(JSON.stringify(of(planted.unreadableLarge).objects)).toContain(crk);
    expect(Object.values(of(planted.large).objects)).toEqual([expect.arrayContaining([expect.anything()])]);
    expect((await run("--crk", crk, "--export", file)).stderr).toContain("is there already");
  });

  it("with --yes leaves bare entries, a receipt, and the key nowhere", async () => {
    const done = await answer("--crk", crk, "--yes");
    expect(done).toMatchObject({ dryRun: false, at: expect.stringMatching(/Z$/) });
    expect(done.responses.map(({ stays, problem }) => [stays?.reason, problem])).toEqual(
      Array(5).fill(["forgotten", null]),
    );

    const left = await everything();

    expect(left).not.toContain(crk);
    expect(left).not.toContain("answers/");
    expect(await answer("--crk", crk)).toMatchObject({ responses: [], unsearched: [] });
    expect(idsIn(await answer("--crk", "customer-1"))).toEqual([other]);
    // Nothing brings it back: not the next ticks either, which still see it listed.
    await poll(folder, args);
    expect(await everything()).not.toContain(crk);
    expect(idsIn(await answer("--crk", crk))).toEqual([]);
    const books = await survey(["status", "--data", folder.data, "--json"]);
    expect(books.json).toMatchObject({ verdict: "complete", surveys: [{ unaccounted: 0, now: { quarantined: 0 } }] });
  });
});

it("a source without findBy says that what went out is not found by a key", async () => {
  writeFileSync(config, JSON.stringify({ baseUrl: "http://127.0.0.1:1" }));
  const late = folder.simulator.complete(7, 1, { records: 2, patch: { crk, completed: "maybe" } })[0];
  folder.simulator.complete(7, 1, { records: 2, patch: { crk } });
  await poll(folder, args);
  const found = await answer("--crk", crk);
  expect(idsIn(found)).toEqual([late]);
  expect(found.unsearched).toEqual([{ source: "main", responses: 1 }]);
  const { code, stdout } = await run("--crk", crk);
  expect(code).toBe(3);
  expect(stdout).toContain("Source main: 1 response went out with no hash of crk (privacy.findBy)");
});
