import { describe, expect, it } from "vitest";
import { commandProblem } from "./support/known-commands.ts";
import { documents } from "./support/markdown.ts";
import { simpleCommands, type Words } from "./support/shell.ts";

const blocks = documents.flatMap(({ fenced }) => {
  const shell = fenced.filter(({ language }) => language === "sh");
  const functions = new Set(
    shell.flatMap(({ code }) => [...code.matchAll(/^(\w+)\(\)/gm)].map(([, name]) => name ?? "")),
  );
  return shell.map((block) => ({ ...block, functions }));
});

async function problemsOf(commands: readonly Words[], functions: ReadonlySet<string> = new Set()): Promise<string[]> {
  const found = await Promise.all(commands.map((words) => commandProblem(words, functions)));
  return found.flatMap((problem, i) => (problem === undefined ? [] : [`${commands[i]?.join(" ")}: ${problem}`]));
}

describe("the shell blocks of the documents", () => {
  it("are found", () => expect(blocks.length).toBeGreaterThan(30));

  it.each(blocks)("$place: every command is one that there is", async ({ code, functions }) => {
    expect(await problemsOf(simpleCommands(code), functions)).toEqual([]);
  });

  it.each([
    "npm run nothing",
    "npm start -- --tick 1",
    "npm start --ticks 1",
    "npx survey-poller statuss",
    "npx survey-poller status --stak SurveyPoller",
    "npx survey-poller credentials renew --sauce main",
    "npx quicktype --lang go",
    "npx cdk deplay",
    "npx cdk deploy --config x",
    "npx node examples/nothing.ts",
    "aws sqs receive-massage --queue-url x",
    "aws sqs receive-message --queue-uri x",
    "echo $(npm run nothing)",
    "frobnicate",
  ])("would be refused: %s", async (text) => {
    expect(await problemsOf(simpleCommands(text))).not.toEqual([]);
  });

  it.each([
    "npm ci && npm start -- --ticks 1 --base-url https://surveys.example.com",
    'npx cdk deploy --app "npx node examples/first-events.ts"',
    "npx survey-poller explain <responseId> --stack SurveyPoller",
    'aws sqs receive-message --queue-url "$(aws sqs get-queue-url --queue-name first-events --output text)"',
    "out() { aws cloudformation describe-stacks --stack-name A --query \"x[?y=='$1'].z\" --output text; }",
    "LOGS=$(date +%s)",
    "npm --silent start -- --events - > events.jsonl",
  ])("would be taken: %s", async (text) => {
    expect(await problemsOf(simpleCommands(text))).toEqual([]);
  });
});
