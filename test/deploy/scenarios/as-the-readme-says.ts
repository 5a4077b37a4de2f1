import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";
import { startSimulator } from "../../../local/simulator/index.ts";
import { createAws } from "../support/aws.ts";
import { ROOT } from "../support/cdk.ts";
import { startEmulator } from "../support/emulator.ts";
import { bashArguments, shell, succeed } from "../support/processes.ts";
import { type Block, readSteps } from "../support/read-steps.ts";
import { firstEvents } from "./first-events.ts";
import type { Given } from "./open-stage.ts";

const HEADING = "## Deploy in five steps";
/** What is made in a checkout, and its history. */
const NOT_COPIED = new Set(["node_modules", ".git", ".venv", "cdk.out", "dist", ".bundle", ".survey-poller"]);
const TERMINAL = join(import.meta.dirname, "..", "support", "terminal.py");
/** Of the service, in the README. */
const ADDRESS = "https://surveys.example.com";
const SURVEY = 101;

/** The README's five steps, each code block as it stands there, in a copy of the project that has nothing installed. */
export async function asTheReadmeSays(
  given: Given & {
    /** Is called when there is nothing more to do than to wait for the schedule. */
    onlyWaits: () => void;
  },
): Promise<void> {
  const { report } = given;
  const folder = join(given.folder, "readme");
  const checkout = join(folder, "my projects", "survey-poller");
  mkdirSync(folder);
  cpSync(ROOT, checkout, {
    recursive: true,
    filter: (path) => !NOT_COPIED.has(basename(path)),
  });
  const [install, configuration, deploy, credentials, subscribe, look] = blocksOf(join(checkout, "README.md"));

  report.part(`As the README says: "${HEADING.slice(3)}"`);
  await report.step("1. install", async (note) => {
    const env = { ...outsideOfNpm(), PATH: withoutModules(process.env.PATH), npm_config_prefer_offline: "true" };
    const { stdout } = await shell(install.code, { cwd: checkout, env, limit: 240_000 });
    note(/added .*/.exec(stdout)?.[0] ?? stdout);
  });
  const python = await given.installing;
  const simulator = await startSimulator({ surveys: [{ surveyId: SURVEY, responses: 20 }], logLimit: 0 });
  const emulator = await startEmulator(python, folder);
  const aws = createAws(emulator.url);
  const env = { ...emulator.env, PATH: withoutModules(emulator.env.PATH) };
  const options = { cwd: checkout, env, limit: 180_000 };
  const follow = ({ code }: Block) => shell(code, options);
  // The only word that is not the README's.
  const addressed = ({ code }: Block): string => {
    assert.ok(code.includes(ADDRESS), code);
    return code.replace(ADDRESS, simulator.url);
  };

  try {
    await report.step("2. configure, for the address of the simulator", async () => {
      writeFileSync(join(checkout, "my-survey.json"), addressed(configuration));
    });
    const outputs = await report.step("3. bootstrap and deploy", async () => {
      const { stdout, stderr } = await follow(deploy);
      return Object.fromEntries(
        [...`${stdout}${stderr}`.matchAll(/^SurveyPoller\.(\w+) = (\S+)/gm)].map(([, ...one]) => one),
      );
    });
    await report.step("4. credentials, typed at a terminal", async () => {
      const { clientId, clientSecret } = simulator;
      const input = JSON.stringify([
        ["client id: ", clientId],
        ["client secret: ", clientSecret],
      ]);
      const { stdout } = await succeed(python.python, [TERMINAL, "bash", ...bashArguments(addressed(credentials))], {
        ...options,
        input,
      });
      assert.match(stdout, /filled: .*accepted by the service/s);
      assert.ok(!stdout.includes(clientSecret), "the secret is shown");
    });
    await report.step("5. subscribe", () => follow(subscribe));
    given.onlyWaits();
    const seen = async () => (await follow(look)).stdout;
    await firstEvents({ report, aws, simulator, surveyId: SURVEY, deployment: { configFile: "", outputs }, seen });
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
function blocksOf(file: string): [Block, Block, Block, Block, Block, Block] {
  const steps = readSteps(readFileSync(file, "utf8"), HEADING).map((blocks) =>
    // What a command prints is "text".
    blocks.filter(({ language }) => language !== "text"),
  );
  const languages = steps.map((blocks) => blocks.map(({ language }) => language));
  assert.deepEqual(languages, [["sh"], ["json"], ["sh"], ["sh"], ["sh", "sh"]]);
  return steps.flat() as [Block, Block, Block, Block, Block, Block];
}
