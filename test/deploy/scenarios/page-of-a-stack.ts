import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { ConsoleAnswer } from "../../../cli/verbs/console.ts";
import type { StatusAnswer } from "../../../cli/verbs/status/answer.ts";
import { openBrowser } from "../../support/chromium.ts";
import { ROOT } from "../support/cdk.ts";
import { startGroup } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { COMMAND, type Operated, tailRules } from "./operated.ts";
import { output } from "./stage.ts";

/** The live page of the stack, in a browser. */
export async function pageIsServed(on: Operated): Promise<void> {
  const { stage, deployment } = on;
  const { report, aws } = stage;
  await report.step(
    "console: a page that shows what status answers, and events as they come, and only reads",
    async (note) => {
      await using served = await serve(on, []);
      assert.equal(served.answer.actions, false);
      await using browser = await openBrowser();
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const errors: string[] = [];
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", ({ message }) => errors.push(message));
      await page.goto(served.answer.url);
      await showsStatus(page, on);
      await showsWhatComes(page, on);
      await page.goto(served.answer.url.replace("/#", "/?view=ops#"));
      await until("it names no rule", async () => (await page.locator(".ops").innerText()).includes("target"));
      assert.equal(await page.getByRole("button", { name: "Pause polling" }).count(), 0);
      assert.equal((await served.post("/actions/pause")).status, 403);
      assert.deepEqual(errors, []);
      assert.equal(await served.interrupt(), 130);
      assert.equal(await tailRules(aws, output(deployment, "BusName")), 0);
      note(`no error in Chromium ${browser.version()}`);
    },
  );
  await report.step("console --allow-actions: pauses and resumes from the page", async (note) => {
    await using served = await serve(on, ["--allow-actions", "--no-events"]);
    const lines = async (kind: string): Promise<string> =>
      JSON.stringify(await (await served.post(`/actions/${kind}`)).json());
    assert.match(await lines("pause"), /main is paused/);
    assert.match(await lines("resume"), /main goes on/);
    assert.equal(await served.interrupt(), 130);
    note("paused, resumed");
  });
}

async function showsStatus(page: Page, { command }: Operated): Promise<void> {
  const { listed, sentence } = (await command(["status"])).json as StatusAnswer;
  await until("it does not show the verdict", async () => (await figure(page, "verdict")) === sentence.split(". ")[0]);
  assert.equal(await figure(page, "proved"), listed.toLocaleString("en-US"));
}

async function showsWhatComes(page: Page, { stage, deployment }: Operated): Promise<void> {
  const { simulator, aws } = stage;
  const [responseId] = simulator.complete(1);
  await aws.invoke(output(deployment, "PollFunctionName"));
  const row = page.locator(".event", { hasText: String(responseId) }).first();
  await until("the event is not shown", async () => (await row.count()) === 1);
  await row.click();
  await page.locator("#tab-story").click();
  // From the ledger, and from the log group.
  await until("its story is not told", async () => (await page.locator(".story").count()) === 1);
  const story = await page.locator("#tab-body").innerText();
  assert.match(story, /Emitted .* ago/);
  for (const part of ["listed", "page 1 \\(newest first\\)", "whole by its page", "bus", "ledger"])
    assert.match(story, new RegExp(part));
}

async function figure(page: Page, name: string): Promise<string> {
  return page.locator(`[data-figure="${name}"]`).first().innerText();
}

/** The command, until it is interrupted; it is killed where a step fails before. */
async function serve({ stage: { emulator } }: Operated, flags: readonly string[]) {
  const args = [COMMAND, "console", "--stack", "SurveyPoller", "--json", "--port", "47800", ...flags];
  const child = startGroup(process.execPath, args, { cwd: ROOT, env: emulator.env });
  let text = "";
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  await until(`it serves nothing: ${said}`, async () => text.includes("\n"));
  const { schemaVersion, ...answer } = JSON.parse(text) as Record<string, unknown>;
  assert.equal(schemaVersion, 1);
  const parsed = answer as unknown as ConsoleAnswer;
  if (!flags.includes("--no-events"))
    await until(`it hears nothing: ${said}`, async () => said.includes("Listening on"));
  const { origin, hash } = new URL(parsed.url);
  return {
    answer: parsed,
    post: (path: string): Promise<Response> =>
      fetch(`${origin}${path}`, {
        method: "POST",
        headers: { "x-console-token": hash.slice(1), "content-type": "application/json" },
        body: "{}",
      }),
    interrupt(): Promise<number | null> {
      child.kill("SIGINT");
      return ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
