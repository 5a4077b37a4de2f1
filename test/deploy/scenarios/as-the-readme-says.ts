import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import type { ResponseCompleted } from "../../../lib/events/index.ts";
import { startSimulator } from "../../../local/simulator/index.ts";
import { createAws } from "../support/aws.ts";
import { ROOT } from "../support/cdk.ts";
import { startEmulator } from "../support/emulator.ts";
import { succeed } from "../support/processes.ts";
import type { Python } from "../support/python.ts";
import { type Block, readSteps } from "../support/read-steps.ts";
import type { Report } from "../support/report.ts";

const HEADING = "## Deploy in five steps";
/** What is made in a checkout, and its history. */
const NOT_COPIED = new Set(["node_modules", ".git", ".venv", "cdk.out", "dist", "target", ".bundle", ".survey-poller"]);
const TERMINAL = join(import.meta.dirname, "..", "support", "terminal.py");
/** Of the service, in the README. */
const ADDRESS = "https://surveys.example.com";
const SURVEY = 101;

/** The README's five steps, each code block as it stands there, in a copy of the project. */
export async function asTheReadmeSays(given: { report: Report; python: Python; folder: string }): Promise<void> {
  const { report, python } = given;
  const folder = join(given.folder, "readme");
  const checkout = join(folder, "my projects", "survey-poller");
  mkdirSync(folder);
  cpSync(ROOT, checkout, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
  const [install, configuration, deploy, credentials, subscribe, look] = blocksOf(join(checkout, "README.md"));
  const simulator = await startSimulator({ surveys: [{ surveyId: SURVEY, responses: 20 }], logLimit: 0 });
  const emulator = await startEmulator(python, folder);
  const aws = createAws(emulator.url);
  // The programs that the reader has: none of this checkout's.
  const PATH = (emulator.env.PATH ?? "")
    .split(delimiter)
    .filter((one) => !one.includes("node_modules"))
    .join(delimiter);
  const env = { ...emulator.env, PATH };
  const options = { cwd: checkout, env, limit: 180_000 };
  const bash = (code: string) => ["bash", "--norc", "-eo", "pipefail", "-c", code] as const;
  const shell = ({ code }: Block) => succeed("env", bash(code), options);
  // The only word that is not the README's.
  const addressed = ({ code }: Block): string => {
    assert.ok(code.includes(ADDRESS), code);
    return code.replace(ADDRESS, simulator.url);
  };

  report.part(`As the README says: "${HEADING.slice(3)}"`);
  try {
    await report.step("1. install", async (note) => {
      // Once more would be half a gigabyte: this could not run if the very command had not been run here.
      assert.equal(install.code, "npm ci\n");
      symlinkSync(realpathSync(join(ROOT, "node_modules")), join(checkout, "node_modules"));
      note("npm ci: as it was run here");
    });
    await report.step("2. configure, for the address of the simulator", async () => {
      writeFileSync(join(checkout, "my-survey.json"), addressed(configuration));
    });
    const tick = await report.step("3. bootstrap and deploy", async () => {
      const { stdout, stderr } = await shell(deploy);
      const name = /SurveyPoller\.PollFunctionName = (\S+)/.exec(stdout + stderr)?.[1];
      assert.ok(name, stdout + stderr);
      return name;
    });
    await report.step("4. credentials, typed at a terminal", async () => {
      const { clientId, clientSecret } = simulator;
      const input = JSON.stringify([
        ["client id: ", clientId],
        ["client secret: ", clientSecret],
      ]);
      const { stdout } = await succeed(python.python, [TERMINAL, ...bash(addressed(credentials))], {
        ...options,
        input,
      });
      assert.match(stdout, /filled: .*accepted by the service/s);
      assert.ok(!stdout.includes(clientSecret), "the secret is shown");
    });
    await report.step("5. subscribe", () => shell(subscribe));
    await report.step("   the first event is received", async (note) => {
      // Not from the history: what completed before the first tick is not emitted.
      for (const _ of ["the first", "another"]) {
        const { failed, payload } = await aws.invoke(tick);
        assert.equal(failed, false, JSON.stringify(payload));
        simulator.complete(SURVEY);
      }
      const { Messages = [] } = JSON.parse((await shell(look)).stdout) as { Messages?: { Body: string }[] };
      const { detail } = JSON.parse(Messages[0]?.Body ?? "{}") as { detail?: ResponseCompleted };
      assert.equal(detail?.data.surveyId, SURVEY);
      note(`response ${detail?.data.responseId} of survey ${detail?.data.surveyId}`);
    });
  } finally {
    aws.close();
    await emulator.stop();
    await simulator.close();
  }
}

/** Six, in this order: whoever changes the steps has to look at what is made of them here. */
function blocksOf(file: string): [Block, Block, Block, Block, Block, Block] {
  const steps = readSteps(readFileSync(file, "utf8"), HEADING).map((blocks) =>
    // Without a language stands what a command prints.
    blocks.filter(({ language }) => language !== ""),
  );
  const languages = steps.map((blocks) => blocks.map(({ language }) => language));
  assert.deepEqual(languages, [["sh"], ["json"], ["sh"], ["sh"], ["sh", "sh"]]);
  return steps.flat() as [Block, Block, Block, Block, Block, Block];
}
