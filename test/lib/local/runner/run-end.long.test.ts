import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import type { StatusAnswer } from "../../../../lib/cli/verbs/status/answer.ts";
import { readLastRun } from "../../../../lib/local/runner/last-run.ts";
import { startSimulator } from "../../../../lib/local/simulator/index.ts";
import { readEvents, runCommand, startCommand, temporaryFolder } from "../../../support/command.ts";
import { answerOf, survey } from "../../cli/support/command.ts";

async function ground() {
  const simulator = await startSimulator({ surveys: [{ surveyId: 7, responses: 20 }] });
  onTestFinished(() => simulator.close());
  const data = join(temporaryFolder(), "data");
  const env = { SURVEY_CLIENT_ID: simulator.clientId, SURVEY_CLIENT_SECRET: simulator.clientSecret };
  const place = ["--base-url", simulator.url, "--data", data, "--start-from", "beginning"];
  return { simulator, data, env, args: ["--ticks", "1", "--interval", "0s", ...place, "--no-console"] };
}

/** The same, tick after tick. */
const endless = (args: string[]): string[] => ["--interval", "200ms", ...args.slice(4)];

const status = async (data: string) => {
  const ran = await survey(["status", "--data", data]);
  const json = await survey(["status", "--data", data, "--json"]);
  return { ...ran, answer: answerOf<StatusAnswer>(json) };
};

it("an end as it should be is noted as such, and proves nothing for ever", async () => {
  const { data, args, env } = await ground();
  expect(await runCommand(args, { env })).toMatchObject({ code: 0, stderr: "" });

  // The access key of the run lies there.
  expect(statSync(join(data, "run.json")).mode & 0o777).toBe(0o600);
  const { answer, stdout } = await status(data);
  expect(answer).toMatchObject({ verdict: "complete", run: "ended", end: { cause: null } });
  expect(stdout).toMatch(/No run is at work on the data folder: the last one ended .*, as it should\.$/m);

  const later = await survey(["status", "--data", data], { now: () => Date.now() + 86_400_000 });
  expect(later.code).toBe(3);
  expect(later.stdout).toMatch(/Not polled for 1 d: the last run on main ended as it should\. Start it again\./);
});

it("the cause of an end is in the folder, and status tells it", async () => {
  const { data, args, env, simulator } = await ground();
  await runCommand(args, { env });
  const wrong = { ...env, SURVEY_CLIENT_SECRET: "hunter2-of-the-client" };
  simulator.revokeToken();

  const ran = await runCommand(args, { env: wrong });

  expect(ran.code).toBe(1);
  const { answer, stdout, code } = await status(data);
  expect(code).toBe(3);
  expect(answer).toMatchObject({ verdict: "late", end: { cause: ran.stderr.trim() } });
  expect(answer.sentence).toMatch(/^Late: the last run ended .* ago: .*refused the client id or the client secret/);
  expect(stdout).not.toContain("hunter2");
});

it("a run that was killed has broken off, and the one after it has not", async () => {
  const { data, args, env } = await ground();
  const command = startCommand(endless(args), { env });
  await command.printed(/ 20 responses/);
  command.kill("SIGKILL");
  await command.done;
  expect((await status(data)).stdout).toContain("the last one broke off.");

  await runCommand(args, { env });
  expect((await status(data)).stdout).toContain("as it should.");
});

it("a survey that is to be polled and is not listed is named by the run, by status and by doctor", async () => {
  const { data, args, env } = await ground();
  const line = "survey 999 is not in the survey list: correct the id, or give the credentials access";

  const ran = await runCommand([...args, "--surveys", "7,999"], { env });

  expect(ran.stdout.split("\n")).toContain(line);
  const { answer, code } = await status(data);
  expect(code).toBe(3);
  expect(answer).toMatchObject({
    verdict: "unknown",
    sentence: `Not proved: ${line}.`,
    sources: [{ unlisted: [999] }],
  });
  const doctor = await survey(["doctor", "--data", data]);
  expect(doctor.stdout).toContain(line);
});

it("doctor looks at no survey that is not polled", async () => {
  const { data, args, env, simulator } = await ground();
  simulator.addSurvey({ surveyId: 8, responses: 900 });
  await runCommand([...args, "--surveys", "7"], { env });
  simulator.resetCounters();

  const ran = await survey(["doctor", "--data", data, "--json"]);

  expect(ran.json).toMatchObject({ services: [{ surveyId: 7 }] });
});

/** Runs the command, whose standard output is read no further than to its first words, or not at all. */
async function readNoFurther(args: string[], env: Record<string, string>, isRead: boolean) {
  const child = spawn(process.execPath, ["lib/local/start.ts", ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SURVEY_POLLER_FUNCTIONS: process.env.BUNDLED_ONCE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = text(child.stderr);
  if (isRead) await once(child.stdout, "data");
  child.stdout.destroy();
  const [code] = await once(child, "exit");
  return { code, stderr: await said };
}

it("a reader of standard output that has seen enough ends the run in order", async () => {
  const { data, args, env } = await ground();
  expect(await readNoFurther(endless(args), env, true)).toEqual({ code: 0, stderr: "" });
  expect(readLastRun(data)?.end).toEqual({ at: expect.any(Number) });
});

it("a reader of the events that has seen enough ends the run in order, and the rest goes out later", async () => {
  const { args, env, data } = await ground();
  const { code, stderr } = await readNoFurther([...args, "--events", "-"], env, false);
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/EPIPE|did not take|^\s+at /m);
  const file = join(temporaryFolder(), "events.jsonl");
  await runCommand([...args, "--events", file], { env });
  expect(readEvents(file)).toHaveLength(20);
  expect(readLastRun(data)?.events).toBe(file);
});

it.runIf(existsSync("/dev/full"))(
  "an events file on a full disk ends the run with one line that names it",
  async () => {
    const { args, env, data } = await ground();

    const { code, stderr } = await runCommand([...args, "--events", "/dev/full"], { env });

    expect(code).toBe(1);
    expect(stderr).toMatch(/^the events file \/dev\/full takes no more events \(ENOSPC\)\. Make room.*\n$/);
    expect(readLastRun(data)?.end?.cause).toBe(stderr.trim());
    const file = join(temporaryFolder(), "events.jsonl");
    await runCommand([...args, "--events", file], { env });
    expect(readEvents(file)).toHaveLength(20);
  },
);
