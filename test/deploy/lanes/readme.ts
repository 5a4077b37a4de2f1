import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";
import { GetQueueUrlCommand } from "@aws-sdk/client-sqs";
import { startSimulator } from "../../../lib/local/simulator/index.ts";
import { readDocument } from "../../docs/support/markdown.ts";
import type { DeliveredEvent } from "../../support/command.ts";
import { compareWithTruth } from "../../wire/support/compare-with-truth.ts";
import { createAws } from "../support/aws.ts";
import { ROOT } from "../support/cdk.ts";
import { PYTHON, startEmulator } from "../support/emulator.ts";
import { bashArguments, shell, succeed } from "../support/processes.ts";
import { type Given, output } from "../support/stage.ts";
import { until } from "../support/until.ts";

const HEADING = "Deploy in five steps";
/** What is made in a checkout, and its history. */
const NOT_COPIED = new Set(["node_modules", ".git", ".venv", "cdk.out", "dist", ".bundle", ".survey-poller"]);
const TERMINAL = join(import.meta.dirname, "..", "support", "terminal.py");
/** Of the service, in the README. */
const ADDRESS = "https://surveys.example.com";
const SURVEY = 101;
const RESPONSES = 3;
/** Milliseconds: a minute of the schedule, the emulator's own rhythm of ten seconds, and the tick. */
const A_MINUTE_OR_SO = 90_000;

/**
 * The README's five steps, each code block as it stands there, in a copy of the project that has nothing installed.
 *
 * @param onlyWaits is called when there is nothing more to do than to wait for the schedule
 */
export async function readme({ report, installing, ...given }: Given, onlyWaits: () => void): Promise<void> {
  const folder = join(given.folder, "readme");
  const checkout = join(folder, "my projects", "survey-poller");
  mkdirSync(folder);
  cpSync(ROOT, checkout, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
  const [install, configuration, bootstrapAndDeploy, credentials, subscribe, look] = blocksOf(checkout);

  report.part(`As the README says: "${HEADING}"`);
  await report.step("1. install", async (note) => {
    const env = { ...outsideOfNpm(), PATH: withoutModules(process.env.PATH), npm_config_prefer_offline: "true" };
    const { stdout } = await shell(install, { cwd: checkout, env, limit: 240_000 });
    note(/added .*/.exec(stdout)?.[0] ?? stdout);
  });
  await installing;
  const simulator = await startSimulator({ surveys: [{ surveyId: SURVEY, responses: 20 }] });
  const emulator = await startEmulator(folder);
  const aws = createAws(emulator.url);
  const env = { ...emulator.env, PATH: withoutModules(emulator.env.PATH) };
  const options = { cwd: checkout, env, limit: 180_000 };
  // The only word that is not the README's.
  const addressed = (code: string): string => {
    assert.ok(code.includes(ADDRESS), code);
    return code.replace(ADDRESS, simulator.url);
  };

  try {
    await report.step("2. configure, for the address of the simulator", async () => {
      writeFileSync(join(checkout, "my-survey.json"), addressed(configuration));
    });
    const outputs = await report.step("3. bootstrap and deploy", async () => {
      const { stdout, stderr } = await shell(bootstrapAndDeploy, options);
      const printed = `${stdout}${stderr}`.matchAll(/^SurveyPoller\.(\w+) = (\S+)/gm);
      return Object.fromEntries([...printed].map(([, ...one]) => one));
    });
    await report.step("4. credentials, typed at a terminal", async () => {
      const { clientId, clientSecret } = simulator;
      const prompts = [
        ["client id: ", clientId],
        ["client secret: ", clientSecret],
      ];
      const typed = { ...options, input: JSON.stringify(prompts) };
      const { stdout } = await succeed(PYTHON, [TERMINAL, "bash", ...bashArguments(addressed(credentials))], typed);
      assert.match(stdout, /filled: .*accepted by the service/s);
      assert.ok(!stdout.includes(clientSecret), "the secret is shown");
    });
    await report.step("5. subscribe", () => shell(subscribe, options));
    onlyWaits();
    const { QueueUrl } = await aws.sqs.send(new GetQueueUrlCommand({ QueueName: "first-events" }));
    // After the first tick, which says where "now" is, nobody starts another.
    const completed = await report.step("   the first tick emits nothing of the history", async () => {
      const { failed, payload } = await aws.invoke(output({ outputs }, "PollFunctionName"));
      assert.equal(failed, false, JSON.stringify(payload));
      assert.equal(await aws.waiting(QueueUrl), 0);
      return new Set(simulator.complete(SURVEY, RESPONSES));
    });
    await report.step("   the schedule finds what is new by itself", () =>
      until("events are missing", async () => (await aws.waiting(QueueUrl)) >= RESPONSES, A_MINUTE_OR_SO),
    );
    await report.step("   the events are received, as they should be", async (note) => {
      const { Messages: shown = [] } = JSON.parse((await shell(look, options)).stdout) as {
        Messages?: { Body: string }[];
      };
      assert.equal(shown.length, 1);
      const messages = [...shown, ...(await aws.take(QueueUrl))];
      const events = messages.map(({ Body = "" }) => JSON.parse(Body) as DeliveredEvent);
      const truth = simulator.truth().filter(({ responseId }) => completed.has(responseId));
      assert.deepEqual(compareWithTruth(events, truth), []);
      note(events.map(({ detail }) => `response ${detail.data.responseId}`).join(", "));
    });
  } finally {
    aws.close();
    await emulator.stop();
    await simulator.close();
    // More than half a gigabyte: not left to the end, which somebody waits for.
    await rm(checkout, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The programs that the reader has: none of this checkout's. */
function withoutModules(path = ""): string {
  const folders = path.split(delimiter);
  return folders.filter((one) => !one.includes("node_modules")).join(delimiter);
}

/** The caller's own environment, which may name a proxy or a registry, without what `npm run` has added of this checkout. */
function outsideOfNpm(): Record<string, string> {
  const added = /^(INIT_CWD|NODE|npm_(?!config_).*|npm_config_(local_prefix|global_prefix|prefix|loglevel))$/;
  const entries = Object.entries(process.env) as [string, string][];
  return Object.fromEntries(entries.filter(([name]) => !added.test(name)));
}

/** Six, in this order: whoever changes the steps has to look at what is made of them here. */
function blocksOf(checkout: string): [string, string, string, string, string, string] {
  const { fenced } = readDocument(join(checkout, "README.md"));
  // What a command prints is "text".
  const blocks = fenced.filter(({ heading, language }) => heading === HEADING && language !== "text");
  assert.deepEqual(
    blocks.map(({ language }) => language),
    ["sh", "json", "sh", "sh", "sh", "sh"],
  );
  return blocks.map(({ code }) => code) as [string, string, string, string, string, string];
}
