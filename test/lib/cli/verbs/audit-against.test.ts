import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AgainstAnswer } from "../../../../lib/cli/verbs/audit/against.ts";
import type { Simulator, SimulatorOptions } from "../../../../lib/local/simulator/index.ts";
import { temporaryFolder } from "../../../support/command.ts";
import { answerOf, environmentOf, type Ran, type RunOptions, simulated, survey } from "../support/command.ts";
import { dayOfCursor } from "../support/day-of-cursor.ts";

/** Compares a file of this content with a service. */
async function against(
  simulator: Simulator,
  content: string,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<Ran> {
  const file = join(temporaryFolder(), "ids.csv");
  writeFileSync(file, content);
  const environment = environmentOf(simulator);
  return survey(["audit", "--against", file, "--base-url", simulator.url, ...args], { environment, ...options });
}

const csvOf = (ids: Iterable<number>): string => ["response_id", ...ids].join("\n");
const idsOf = (simulator: Simulator, surveyId?: number): number[] =>
  simulator.truth(surveyId).map(({ responseId }) => responseId);

it("names exactly what a poller with a cursor has lost, and the right cause where it gives one", async () => {
  const stated = new Map<string, number>();
  for (let seed = 1; seed <= 10; seed += 1) {
    await using day = await dayOfCursor(seed);
    const { simulator, ids, lost } = day;

    const ran = await against(simulator, csvOf(ids), ["--json"]);

    const { surveys, isSure } = answerOf<AgainstAnswer>(ran);
    const missing = surveys.flatMap((one) => one.missing);
    expect({ seed, isSure, code: ran.code }).toEqual({ seed, isSure: true, code: 5 });
    expect(missing.map(({ responseId }) => responseId).sort()).toEqual([...lost.keys()].sort());
    for (const { responseId, cause } of missing) {
      stated.set(cause, (stated.get(cause) ?? 0) + 1);
      // What completes late in a list of open ones was open when it was read.
      if (cause !== "unknown")
        expect([seed, responseId, cause === "open" ? "late" : cause, lost.get(responseId)]).toEqual([
          seed,
          responseId,
          lost.get(responseId),
          lost.get(responseId),
        ]);
    }
  }
  for (const cause of ["late", "open", "tie", "unknown"])
    expect([cause, stated.get(cause) ?? 0]).not.toEqual([cause, 0]);
  expect([...stated.keys()].sort()).toEqual(["late", "open", "tie", "unknown"]);
}, 120_000);

it("names what is lost by chance, and no cause for it, though most responses complete behind newer ones", async () => {
  const simulator = await simulated({
    surveys: [{ surveyId: 7, responses: 2_000 }],
    settings: { recordsPerResponse: 2 },
  });
  const all = idsOf(simulator);

  const ran = await against(simulator, csvOf(all.filter((_, i) => i % 100 !== 37)), ["--json"]);

  expect(answerOf<AgainstAnswer>(ran).totals).toMatchObject({ missing: 20, causes: { unknown: 20 } });
});

const TWO: SimulatorOptions = {
  surveys: [
    { surveyId: 7, responses: 150, name: "Onboarding" },
    { surveyId: 8, responses: 30 },
  ],
};

it.each<[name: string, listOf: (ids: number[], others: number[]) => string, code: number, totals: object]>([
  ["complete", (ids, others) => csvOf([...ids, ...others]), 0, { missing: 0, unknown: 0, twice: 0, ids: 180 }],
  ["one twice", (ids, others) => csvOf([...ids, ...others, ids[3] ?? 0]), 0, { missing: 0, twice: 1, rows: 181 }],
  ["one unknown", (ids, others) => csvOf([...ids, ...others, 1]), 0, { missing: 0, unknown: 1 }],
  ["of another survey", (_, others) => csvOf(others), 5, { missing: 150, unknown: 0, ids: 30 }],
  ["numbers as text", (ids, others) => ndjson([...ids, ...others].map(String)), 0, { missing: 0, ids: 180 }],
  ["empty", () => "", 5, { missing: 180, ids: 0, rows: 0 }],
])("compares a list: %s", async (_, listOf, code, totals) => {
  const simulator = await simulated(TWO);

  const ran = await against(simulator, listOf(idsOf(simulator, 7), idsOf(simulator, 8)), ["--json"]);

  expect(answerOf<AgainstAnswer>(ran)).toMatchObject({ isSure: true, totals: { completed: 180, ...totals } });
  expect(ran.code).toBe(code);
});

const ndjson = (ids: readonly unknown[]): string => ids.map((responseId) => JSON.stringify({ responseId })).join("\n");

it("reads one survey alone, and says what each missing one is", async () => {
  const simulator = await simulated(TWO);
  const ids = idsOf(simulator, 7);
  const lost = ids[70] ?? 0;

  const ran = await against(simulator, csvOf(ids.filter((id) => id !== lost)), ["--survey", "7"]);

  expect(ran.code).toBe(5);
  expect(ran.stdout).toMatch(
    /^Listed by the service: 150, of which 150 are completed and 0 open\.\nIn your list: 149 ids in 149 rows\.\nMissing in yours: 1\.\n/,
  );
  expect(ran.stdout).toMatch(
    new RegExp(
      `^  missing: survey 7, response ${lost}, completed \\d{4}-.* \\d\\d:\\d\\d:\\d\\d, 71 of 150 on page \\d: `,
      "m",
    ),
  );
});

it.each<[name: string, content: (id: number) => string, args: string[]]>([
  ["CSV of a spreadsheet", (id) => `\uFEFF"Name";"Response ID"\r\n"a;""b""";"${id}"\r\n\r\nc;${id + 0.5}\r\n`, []],
  ["a column by its name", (id) => `id,ref\n1,${id}\n2,\n`, ["--column", "ref"]],
  ["one a line, without a header", (id) => `${id}\n${id}x\n`, []],
  ["numbers of a table without whole numbers", (id) => `response_id\n${id}.0\n${id}.5`, []],
  [
    "events",
    (id) => `{"detail":{"data":{"responseId":${id}}}}\n{"detail":null}\n`,
    ["--column", "detail.data.responseId"],
  ],
])("reads a file of ids: %s", async (_, content, args) => {
  const simulator = await simulated({ surveys: [{ surveyId: 7, responses: 1 }] });
  const [id = 0] = idsOf(simulator);

  const ran = await against(simulator, content(id), [...args, "--json"]);

  expect(answerOf<AgainstAnswer>(ran).totals).toMatchObject({ ids: 1, rows: 2, unreadable: 1, missing: 0, unknown: 0 });
});

it.each<[why: string, content: string, args: string[]]>([
  ["which column", "a,b\n1,2\n", []],
  ["no such column", "a,b\n1,2\n", ["--column", "secret"]],
  ["no response id in any of them", "response_id\nhunter2\n", []],
  ["lists no survey 9", "1", ["--survey", "9"]],
  ["--sample", "1", ["--sample", "3%"]],
])("is called wrongly: %s", async (why, content, args) => {
  const simulator = await simulated({ surveys: [{ surveyId: 7, responses: 1 }] });

  const { code, stdout, stderr } = await against(simulator, content, args);

  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(why);
  expect(stderr).not.toContain("hunter2");
});

it.each([
  ["--against none.csv", "--base-url"],
  ["--against none.csv --base-url https://surveys.example.com", "none.csv cannot be read"],
  ["--column id", "go with --against"],
])("needs the service, and a file: %s", async (line, said) => {
  const ran = await survey(["audit", ...line.split(" ")]);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
});

it("ends with 3 where a page cannot be read, and with 5 once something is missing on the others", async () => {
  const simulator = await simulated(TWO);
  const ids = idsOf(simulator);
  simulator.fault({ kind: "status", status: 400, operation: "responses-order", surveyId: 8 });

  const ran = await against(simulator, csvOf(ids));
  expect(ran.code).toBe(3);
  // Those of survey 8 are in the file.
  expect(ran.stdout).toContain("Unknown to the service: nobody can say before every list is read.");
  expect(ran.stdout).toMatch(/^Not sure: there may be more that is missing\.\nSurvey 8 \(8\): page 1 unreachable\.$/m);

  expect((await against(simulator, csvOf(ids.slice(1)))).code).toBe(5);
});

it("goes on where it was interrupted, and keeps nothing once it is done", async () => {
  const simulator = await simulated({ surveys: [{ surveyId: 7, responses: 1_500 }] });
  const ids = idsOf(simulator);
  const data = temporaryFolder();
  const stop = new AbortController();
  simulator.onPageRead((_, page) => {
    if (page === 40) stop.abort();
  });

  const begun = Date.UTC(2026, 2, 10, 12);
  const first = await against(simulator, csvOf(ids), ["--data", data], { signal: stop.signal, now: () => begun });
  expect(first.code).toBe(130);
  expect(readdirSync(join(data, "against"))).toEqual(["7.json"]);
  simulator.resetCounters();
  const second = await against(simulator, csvOf(ids), ["--data", data, "--json"]);

  expect(second.code).toBe(0);
  const { surveys, requests, startedAt } = answerOf<AgainstAnswer>(second);
  expect(startedAt).toBe(begun);
  expect(surveys).toMatchObject([{ completed: 1_500, missing: [] }]);
  // Those that were read before are not read again.
  expect(requests).toBeLessThan(2.3 * ((surveys[0]?.pages ?? 0) - 25) + 10);
  expect(readdirSync(data)).toEqual([]);
});

it("reads anew what was read whole once there was an answer, and goes on where pages failed to the end", async () => {
  const simulator = await simulated({
    surveys: [
      { surveyId: 7, responses: 150 },
      { surveyId: 8, responses: 1_500 },
    ],
  });
  const content = csvOf(idsOf(simulator));
  const data = temporaryFolder();
  simulator.fault({ kind: "status", status: 403, operation: "responses-order", surveyId: 8, after: 40 });
  expect((await against(simulator, content, ["--data", data])).code).toBe(3);
  expect(readdirSync(join(data, "against"))).toEqual(["8.json"]);
  const later = simulator.complete(7, 3);

  simulator.clearFaults();
  const second = await against(simulator, content, ["--data", data, "--json"]);

  const { surveys, totals } = answerOf<AgainstAnswer>(second);
  expect(surveys.flatMap(({ missing }) => missing.map(({ responseId }) => responseId))).toEqual(later);
  expect(totals).toMatchObject({ completed: 1_653, unknown: 0 });
  expect(readdirSync(data)).toEqual([]);
});

it("writes a report that needs nothing else and has nothing personal", async () => {
  const simulator = await simulated({
    surveys: [{ surveyId: 7, responses: 20, name: "<b>Onboarding</b>" }],
  });
  const [lost = 0, ...ids] = idsOf(simulator);
  const report = join(temporaryFolder(), "report.html");

  const ran = await against(simulator, csvOf([...ids, ids[0] ?? 0]), ["--report", report]);

  expect(ran.code).toBe(5);
  const page = readFileSync(report, "utf8");
  expect(page).toContain('<h1 class="bad">1 completed response is missing</h1>');
  expect(page).toContain(`<td class="n">${lost}</td>`);
  expect(page).toContain("&lt;b&gt;Onboarding&lt;/b&gt; (7)");
  expect(page).not.toMatch(/<script|<link|src=|https?:\/\//);
  for (const { records } of simulator.truth(7))
    for (const { crk, comment } of records)
      for (const text of [crk, comment]) if (typeof text === "string" && text !== "") expect(page).not.toContain(text);
});

it.each(["--report", "--data"])("is refused before anything is read where %s cannot be written", async (option) => {
  const simulator = await simulated({ surveys: [{ surveyId: 7, responses: 2 }] });
  const ran = await against(simulator, csvOf(idsOf(simulator)), [option, "/dev/null/nowhere"]);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(`Give another ${option}`);
  expect(simulator.log()).toEqual([]);
});

it.runIf(existsSync("/dev/full"))("tells what it has found where the report finds no room", async () => {
  const simulator = await simulated({ surveys: [{ surveyId: 7, responses: 2 }] });
  const ran = await against(simulator, csvOf(idsOf(simulator)), ["--report", "/dev/full"]);
  expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining("Missing in yours: 0.") });
  expect(ran.stderr).toContain("Give another --report");
});
