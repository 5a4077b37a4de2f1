import { expect, it } from "vitest";
import { answerAsCalled, asCalled, BY_NPX, nameOf } from "../../cli/called-as.ts";
import { runCommand, verbs } from "../../cli/run-command.ts";
import { temporaryFolder } from "../support/command.ts";
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
