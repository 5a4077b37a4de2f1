import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { answerAsCalled, asCalled, BY_NPX, nameOf } from "../../../lib/cli/called-as.ts";
import { lineOf } from "../../../lib/cli/hearing/event.ts";
import { runCommand } from "../../../lib/cli/run-command.ts";
import { surveyLine } from "../../../lib/cli/verbs/audit/passes.ts";
import { verbs } from "../../../lib/cli/verbs/index.ts";
import { printableJson, printableLine, surveyName } from "../../../lib/cli/words.ts";
import { temporaryFolder } from "../../support/command.ts";
import { ioOf } from "./support/command.ts";

it.each([
  ["/usr/local/bin/survey-poller", "survey-poller"],
  ["/home/me/app/node_modules/.bin/survey-poller", BY_NPX],
  ["/home/me/survey-poller/cli/bin/survey-poller.mjs", BY_NPX],
  [undefined, BY_NPX],
])("called by %s it is %s", (program, name) => {
  expect(nameOf(program)).toBe(name);
});

it.each([
  ["Next: survey-poller doctor --data d", "Next: npx survey-poller doctor --data d"],
  ["`survey-poller --help` lists them", "`npx survey-poller --help` lists them"],
  ["Run npx survey-poller status", "Run npx survey-poller status"],
  ["survey-poller status --stack survey-poller --yes", "npx survey-poller status --stack survey-poller --yes"],
  ["bus survey-poller answers", "bus survey-poller answers"],
  ["in /srv/survey-poller data", "in /srv/survey-poller data"],
])("%j becomes %j", (text, said) => {
  expect(asCalled(text, BY_NPX)).toBe(said);
});

it("knows every verb", () => {
  for (const make of verbs) {
    const line = `survey-poller ${make(async () => undefined).name()} --json`;
    expect(asCalled(line, BY_NPX)).toBe(`npx ${line}`);
  }
});

it("in an answer the fields that hold commands alone are changed", () => {
  const answer = { next: "survey-poller status", name: "survey-poller status", checks: [{ todo: null }] };
  expect(answerAsCalled(answer, BY_NPX)).toEqual({ ...answer, next: "npx survey-poller status" });
});

it("a hint can be typed as it stands", async () => {
  const { io, said, lines } = ioOf();
  const data = temporaryFolder();

  await runCommand(["frobnicate"], { ...io, command: BY_NPX });
  await runCommand(["status", "--help"], { ...io, command: BY_NPX });
  await runCommand(["status", "--data", data, "--frobnicate", "--json"], { ...io, command: BY_NPX });

  expect(said()).toContain(" npx survey-poller --help lists the verbs");
  expect(lines.join("\n")).toContain("  npx survey-poller status --stack SurveyPoller");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
    error: { hint: expect.stringMatching(/^npx survey-poller/) },
  });
});

/** Clears the screen, sets title and clipboard, forges a verdict and turns what follows round. */
const HOSTILE = "A\u001b[2J\u001b]0;title\u0007\u009b31m\n● Complete.\u202e\u2066\u2028B\ud800";
const steers = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

it("shows a name as others have written it, without what steers a terminal", () => {
  const shown = surveyName({ surveyId: 7, name: HOSTILE });
  expect(shown).not.toMatch(steers);
  expect(shown).toMatch(/^A�\[2J.*● Complete.*B� \(7\)$/);
  expect(surveyName({ surveyId: 7, name: "Zażółć 👩‍🔬 شما" })).toBe("Zażółć 👩‍🔬 شما (7)");
});

it.each([null, "", " \u200f\n"])("says that a survey has no name: %j", (name) => {
  const shown = surveyName({ surveyId: 70_007, name });
  expect(shown).toMatch(/^(\(no name\) 70007|� \(70007\))$/);
});

it("cuts a name that nobody reads to its end", () => {
  expect(surveyName({ surveyId: 7, name: "x".repeat(5_000) })).toHaveLength(64);
});

it("leaves the colours of a line, and nothing else that a terminal obeys", () => {
  const line = printableLine(`\u001b[31m■\u001b[39m ${HOSTILE}`);
  expect(line.startsWith("\u001b[31m■\u001b[39m A�[2J")).toBe(true);
  expect(line.replaceAll("\u001b[31m", "").replaceAll("\u001b[39m", "")).not.toMatch(steers);
});

it("prints JSON that says the same and steers nothing", () => {
  const value = { name: HOSTILE, tag: "\u{e0001}" };
  const json = printableJson(JSON.stringify(value));
  expect(json).not.toMatch(steers);
  expect(JSON.parse(json)).toEqual(value);
});

it("holds for whatever a verb says", async () => {
  const { io, lines, said } = ioOf();
  const code = await runCommand(["status", "--data", `/nowhere/${HOSTILE}`], io);
  expect(code).toBe(1);
  expect(said()).toContain("/nowhere/A");
  expect(said().trimEnd().split("\n")).toHaveLength(1);
  expect([...lines, said().trimEnd()].join("")).not.toMatch(steers);
});

it("holds for audits and for events that are heard", () => {
  const golden = JSON.parse(readFileSync("contract/golden/detractor.json", "utf8"));
  golden.detail.data.survey.name = HOSTILE;
  expect(lineOf(golden, { style: (_, text) => text, now: () => 0 })).not.toMatch(steers);
  const survey = { surveyId: 7, name: HOSTILE, pages: 1, outcome: "open" as const, why: "x" };
  const of = { ...survey, listed: null, found: null, closedAt: null, unaccounted: null };
  expect(surveyLine(of)).not.toMatch(steers);
});
