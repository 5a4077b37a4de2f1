import assert from "node:assert/strict";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { openBrowser } from "../../support/chromium.ts";
import { answerOf, COMMAND, isListening, survey } from "../support/command.ts";
import { startGroup } from "../support/processes.ts";
import type { Deployed } from "../support/stage.ts";
import { tick } from "../support/ticks.ts";
import { until } from "../support/until.ts";

/** The live page of the stack, in a browser. */
export async function consolePage(on: Deployed): Promise<void> {
  const { report, simulator } = on;
  await report.step("console: a page that shows what status answers, and events as they come", async (note) => {
    await using served = await serve(on);
    await using browser = await openBrowser();
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("pageerror", ({ message }) => errors.push(message));
    await page.goto(served.url);

    const figure = (name: string) => page.locator(`[data-figure="${name}"]`).first().innerText();
    const { listed, sentence } = await survey(on, "status");
    const [verdict] = String(sentence).split(". ");
    await until("it does not show the verdict", async () => (await figure("verdict")) === verdict);
    assert.equal(await figure("proved"), Number(listed).toLocaleString("en-US"));

    const [responseId] = simulator.complete(1);
    await tick(on);
    const row = page.locator(".event", { hasText: String(responseId) }).first();
    await until("the event is not shown", async () => (await row.count()) === 1);
    await row.click();
    await page.locator("#tab-story").click();
    // From the ledger, and from the log group.
    await until("its story is not told", async () => (await page.locator(".story").count()) === 1);
    const story = await page.locator("#tab-body").innerText();
    for (const part of ["Emitted .* ago", "listed", "page 1 \\(newest first\\)", "whole by its page", "bus", "ledger"])
      assert.match(story, new RegExp(part));

    await page.goto(served.url.replace("/#", "/?view=ops#"));
    await until("it names no rule", async () => (await page.locator(".ops").innerText()).includes("target"));
    assert.equal(await page.getByRole("button", { name: "Pause polling" }).count(), 0);
    assert.deepEqual(errors, []);
    assert.equal(await served.interrupt(), 130);
    assert.equal(await isListening(on), false);
    note(`no error in Chromium ${browser.version()}`);
  });
}

/** The command, until it is interrupted; it is killed where a step fails before. */
async function serve({ emulator, folder }: Deployed) {
  const args = [COMMAND, "console", "--stack", "SurveyPoller", "--json", "--port", "47800"];
  const child = startGroup(process.execPath, args, { cwd: folder, env: emulator.env });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [answer] = (await once(createInterface(child.stdout), "line")) as [string];
  await until("it hears nothing", () => said.includes("Listening on"));
  const { url, actions } = answerOf(answer);
  assert.equal(actions, false);
  return {
    url: String(url),
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
