import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ExplainAnswer } from "../../../lib/cli/verbs/explain/story.ts";
import { COUNTED, type StatusAnswer, sumOf } from "../../../lib/cli/verbs/status/answer.ts";
import { createApp, serve } from "../../../lib/console/app.ts";
import { bundleOnce } from "../../../lib/console/assets.ts";
import { createEvents } from "../../../lib/console/events.ts";
import { createFeed } from "../../../lib/console/feed.ts";
import { knobs } from "../../../lib/console/trouble.ts";
import type { EventEnvelope } from "../../../lib/local/aws/index.ts";
import { openBrowser } from "../../support/chromium.ts";
import { startCommand, temporaryFolder } from "../../support/command.ts";
import { answerOf, survey } from "../cli/support/command.ts";
import { figure, openPage } from "./support/browser.ts";
import { ground } from "./support/ground.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

type DemoRun = Awaited<ReturnType<typeof demo>>;

/** A demo, up to the moment at which it says where its page is. */
async function demo(port = 5_100 + Math.floor(Math.random() * 800), data = temporaryFolder()) {
  const started = performance.now();
  const command = startCommand(["--data", data, "--port", String(port)], { limit: 600_000 });
  command.done.catch(() => undefined);
  await command.printed(/live page: \S+/);
  // Three seconds on a machine of one's own.
  expect(performance.now() - started).toBeLessThan(15_000);
  const url = /live page: (\S+)/.exec(command.output().stdout)?.[1] ?? "";
  return { url, port: Number(new URL(url).port), data, kill: () => command.kill("SIGKILL") };
}

const complete = (page: Page): Promise<void> =>
  expect.poll(() => page.locator('[data-figure="verdict"]').innerText(), { timeout: 60_000 }).toBe("Complete");
const rowsOf = (page: Page) => page.locator(".event");

/** What `status --json` says, at a moment at which the page says the same: a demo stands still for no test. */
async function expectStatus(page: Page, { data }: DemoRun): Promise<void> {
  await vi.waitFor(
    async () => {
      const status = answerOf<StatusAnswer>(await survey(["status", "--data", data, "--json"]));
      const { listed, accounted, surveys } = status;
      const sum = (part: (typeof COUNTED)[number]): number => sumOf(surveys, ({ now }) => now[part]);
      const wanted: Record<string, number> = {
        ...{ proved: listed, accounted, unaccounted: listed - accounted },
        beforeStart: sumOf(surveys, ({ books }) => books?.beforeStart ?? 0),
        ...Object.fromEntries(COUNTED.filter((part) => part !== "refused").map((part) => [part, sum(part)])),
      };
      const shown: Record<string, number> = {};
      for (const name of Object.keys(wanted)) shown[name] = await figure(page, name);
      expect(shown).toEqual(wanted);
      const names = await page.locator(".survey .name").allInnerTexts();
      expect(names.map((name) => name.replace(/^\S+\s/, "")).sort()).toEqual(surveys.map(({ name }) => name).sort());
      const verdict = await page.locator('[data-figure="verdict"]').innerText();
      expect(verdict).toBe(status.sentence.split(/[.:] /)[0]);
    },
    { timeout: 60_000, interval: 500 },
  );
}

/** Whether found, on the way and missed are all that was completed, for each of the two pollers. */
async function rowsAddUp(page: Page): Promise<boolean[]> {
  const cells = async (who: string): Promise<number[]> =>
    (await page.locator(`[data-row="${who}"] td`).allInnerTexts()).map((text) => Number(text.replaceAll(",", "")));
  const completed = await figure(page, "completed");
  const rows = await Promise.all(["cursor", "ours"].map(cells));
  return rows.map(([found = 0, onTheWay = 0, missed = 0]) => found + onTheWay + missed === completed);
}

async function seriousProblems(page: Page): Promise<string[]> {
  // What the tools of the browser run is no part of the page, so that its policy lets it be.
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = (await page.evaluate("axe.run()")) as AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

describe("a demo", () => {
  it("shows events as they come, each knob closes its card, all at once as well, and all figures are those of status", async () => {
    const run = await demo();
    const { page, errors } = await openPage(browser, run.url);
    await complete(page);
    const before = await rowsOf(page).count();
    await expect.poll(() => rowsOf(page).count(), { timeout: 30_000 }).toBeGreaterThan(before);

    for (const { kind } of knobs) {
      await page.locator(`[data-knob="${kind}"]`).click();
      const card = page.locator(`[data-kind="${kind}"]`).first();
      await expect.poll(() => card.getAttribute("class"), { timeout: 120_000, message: kind }).toContain("closed");
      await expect.poll(() => card.innerText()).toMatch(/Lost 0\..*The cursor poller missed/s);
    }
    await page.locator('[data-knob="all"]').click();
    await expect.poll(() => page.locator(".card.closed").count(), { timeout: 240_000 }).toBe(2 * knobs.length);
    await complete(page);
    await expectStatus(page, run);
    expect(await figure(page, "cursor-missed")).toBeGreaterThan(0);
    // What the page says of both pollers is of the same responses.
    await expect.poll(() => rowsAddUp(page)).toEqual([true, true]);
    expect(await page.locator(".about").innerText()).toMatch(
      /^survey-poller Every completed response becomes one event\. .*it has missed \d+\. What is this\?$/,
    );
    expect(errors).toEqual([]);
  });

  it("tells the story of an event as explain does, and has an audit made from the page for operations", async () => {
    const run = await demo();
    const { page, errors } = await openPage(browser, run.url);
    await complete(page);
    // What completed before the first tick has no lag.
    const found = rowsOf(page).filter({ hasText: "head" });
    await expect.poll(() => found.count(), { timeout: 30_000 }).toBeGreaterThan(3);
    // A row that moves down between the press of the button and its release is not clicked.
    await expect
      .poll(async () => {
        await found.first().click();
        return page.locator("#tab-story").isVisible();
      })
      .toBe(true);
    await page.locator("#tab-story").click();
    await expect
      .poll(() => page.locator(".story b").allInnerTexts(), { timeout: 30_000 })
      .toEqual(expect.arrayContaining(["at the service", "listed", "proved", "metrics", "metadata", "bus", "ledger"]));
    const command = await page.locator("#tab-body code").innerText();
    const explained = await survey([...command.replace(/^npx survey-poller /, "").split(" "), "--json"]);
    const { steps } = answerOf<ExplainAnswer>(explained);
    const said = await page.locator("#tab-body").innerText();
    for (const what of ["listed", "bus", "ledger"]) {
      expect(said).toContain(steps.find((step) => step.what === what)?.detail);
    }

    // What is personal is shown only where that is asked for.
    await page.locator("#tab-event").click();
    const body = page.locator("#tab-body");
    await expect.poll(() => body.innerText()).toMatch(/ip\s+•••/);
    await page.getByRole("button", { name: "Reveal personal fields" }).click();
    await expect.poll(() => body.innerText()).toMatch(/ip\s+\d+\.\d+\.\d+\.\d+/);
    await page.getByRole("button", { name: "Mask again" }).click();
    await expect.poll(() => body.innerText()).toMatch(/ip\s+•••/);

    await page.goto(run.url.replace("/#", "/?view=ops#"));
    await page.getByRole("button", { name: "Audit all surveys now" }).click();
    const lines = page.locator(".actions-panel li");
    await expect.poll(() => lines.allInnerTexts(), { timeout: 60_000 }).toHaveLength(3);
    for (const line of await lines.allInnerTexts())
      expect(line).toMatch(/books closed, (\d+) listed, \1 accounted for/);
    expect(errors).toEqual([]);
  });

  it("says that it is paused, and goes on", async () => {
    const run = await demo();
    const { page, errors } = await openPage(browser, run.url);
    await complete(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Ops" }).click();
    await page.getByRole("button", { name: "Pause polling" }).click();
    await expect
      .poll(() => page.locator(".say").innerText(), { timeout: 30_000 })
      .toMatch(/^▲\s+Paused since .* by an operator/);
    await page.getByRole("button", { name: "Resume polling" }).click();
    await complete(page);
    await expect
      .poll(() => page.locator(".ops .marks").innerText())
      .toContain("goes on after the pause of an operator");
    await page.goBack();
    await page.locator('[data-knob="answer"]').click();
    await expect.poll(() => page.locator(".card.closed").count(), { timeout: 60_000 }).toBe(1);
    // A repeat has the event id of another row: each press goes one further all the same.
    await page.keyboard.press("Escape");
    const chosen: (string | null)[] = [];
    for (let i = 0; i < 8; i += 1) {
      await page.keyboard.press("j");
      await page.evaluate("new Promise(requestAnimationFrame)");
      chosen.push(await page.locator('.event[aria-selected="true"]').getAttribute("id"));
    }
    expect(new Set(chosen).size).toBe(8);
    expect(errors).toEqual([]);
  });

  it("says so when it hears nothing, and goes on by itself when there is somebody again", async () => {
    const run = await demo();
    const { page } = await openPage(browser, run.url);
    await complete(page);
    await page.evaluate("window.isTheSame = true");

    run.kill();
    await expect
      .poll(() => page.locator(".say").innerText(), { timeout: 8_000 })
      .toMatch(/^▨\s+This page has heard nothing for/);
    await demo(run.port, run.data);
    await complete(page);

    expect(await page.evaluate("window.isTheSame")).toBe(true);
    await expect.poll(() => rowsOf(page).count(), { timeout: 30_000 }).toBeGreaterThan(0);
  });

  it("can be used by the keyboard alone, and has no serious problem for anybody", async () => {
    const run = await demo();
    const { page, errors } = await openPage(browser, run.url);
    await complete(page);
    // Events of books have nothing personal to hide.
    const responses = rowsOf(page).filter({ has: page.locator(".chip") });
    await expect.poll(() => responses.count(), { timeout: 30_000 }).toBeGreaterThan(2);
    const { keyboard } = page;
    const seen = async (): Promise<void> => expect(await seriousProblems(page)).toEqual([]);
    await seen();

    const isResponse = page.locator('.event[aria-selected="true"] .chip');
    do await keyboard.press("j");
    while ((await isResponse.count()) === 0);
    await keyboard.press("Enter");
    await expect.poll(() => page.locator("#tab-body .json").count()).toBe(1);
    expect(await page.locator("#tab-body").innerText()).toContain("•••");
    await seen();
    await keyboard.press("Shift+Tab");
    await keyboard.press("Shift+Tab");
    for (const tab of ["story", "rule", "code", "event"]) {
      await keyboard.press("ArrowRight");
      await expect.poll(() => page.locator(`#tab-${tab}`).getAttribute("aria-selected")).toBe("true");
      await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe(`tab-${tab}`);
      await seen();
    }
    const [chosen] = new URL(page.url()).searchParams.getAll("event");
    expect(chosen).toMatch(/^[\w-]{36}$/);

    await keyboard.press("Escape");
    await expect.poll(() => page.locator("#trouble").isVisible()).toBe(true);
    await keyboard.press("/");
    await keyboard.type('{"detail":{"data":{"surveyId":[103]}}}');
    await expect
      .poll(async () => new Set(await page.locator(".event .cut").allInnerTexts()))
      .toEqual(new Set(["Employee pulse"]));
    await page.locator("#filter").fill("");
    await keyboard.press("Escape");
    await keyboard.press(" ");
    await expect.poll(() => page.locator(".stream [aria-pressed=true]").innerText()).toBe("Paused");
    await expect.poll(() => page.locator(".news").count(), { timeout: 30_000 }).toBe(1);
    await keyboard.press(" ");
    await expect.poll(() => page.locator(".news").count()).toBe(0);
    await keyboard.press("t");
    await keyboard.press("7");
    await expect.poll(() => page.locator('[data-kind="token"]').count()).toBe(1);

    const held = page.locator('[data-figure="held"]').locator("..");
    expect(await held.getAttribute("title")).toContain("Nothing proves their contents yet.");

    await page.goto(run.url.replace("/#", "/?view=ops&theme=dark#"));
    await complete(page);
    await seen();
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const spilled = `[...document.querySelectorAll(".ops .panel, .ops .panel > *")]
        .filter((one) => one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.outerHTML.slice(0, 80))`;
      expect(await page.evaluate(spilled), `${width} px`).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(run.url.replace("/#", "/?theme=dark#"));
    await complete(page);
    await seen();
    expect(errors).toEqual([]);
  });
});

it("stays small and quick through 100,000 events", async () => {
  const events = createEvents();
  const feed = createFeed(ground);
  const server = await serve(
    createApp({ feed, events, assets: bundleOnce(), token: "t", rules: async () => [], story: async () => undefined }),
    6_100,
  );
  onTestFinished(() => server.close());
  const { page, errors } = await openPage(browser, `http://127.0.0.1:${server.port}/#t`);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  // With a separator of lines that JSON leaves as it is.
  const text = readFileSync("contract/golden/detractor.json", "utf8").replace("After a visit", "After\u2028a visit");
  const golden = JSON.parse(text) as EventEnvelope;
  const detail = golden.detail as { meta: object; data: object };
  const slowest: number[] = [];

  for (let sent = 0; sent < 100_000; ) {
    for (let i = 0; i < 1_000; i += 1, sent += 1) {
      const meta = { ...detail.meta, eventId: `e-${sent}` };
      feed.tell({ events: [events.add({ ...golden, detail: { ...detail, meta } }, Date.now())] });
    }
    const began = performance.now();
    await page.keyboard.press("j");
    await page.evaluate("new Promise(requestAnimationFrame)");
    slowest.push(performance.now() - began);
    if (sent % 5_000 === 0) await page.keyboard.press(" ");
  }
  await page.keyboard.press("Escape");
  const held = page.locator(".news, .stream [aria-pressed=true]");
  await vi.waitFor(async () => {
    if ((await held.count()) > 0) await page.keyboard.press(" ");
    expect(await held.count()).toBe(0);
  });
  await expect.poll(() => figure(page, "events")).toBe(1_000);

  const { metrics } = await cdp.send("Performance.getMetrics");
  const heap = metrics.find(({ name }) => name === "JSHeapTotalSize")?.value ?? Number.POSITIVE_INFINITY;
  expect(heap).toBeLessThan(200e6);
  const sorted = slowest.toSorted((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length * 0.9)]).toBeLessThan(500);
  // The rows that were moved over are long gone from the server.
  expect(errors.filter((text) => !text.includes("404"))).toEqual([]);
});

it("plays a script of troubles, and has its picture taken: light, dark, narrow, and for operations", async () => {
  const { CONSOLE_PICTURES: folder = temporaryFolder() } = process.env;
  // On the pictures of the docs no folder of this machine is to be seen.
  const run = process.env.CONSOLE_PICTURES === undefined ? await demo() : await demo(4747, ".survey-poller");
  const shots = [
    ["light", "", { scheme: "light" }],
    ["dark", "", { scheme: "dark" }],
    ["narrow", "", { scheme: "light", width: 700, height: 900 }],
    ["ops", "view=ops", { scheme: "light" }],
  ] as const;
  const { page: first } = await openPage(browser, run.url.replace("/#", "/?trouble=late,kill,delete#"));
  await expect.poll(() => first.locator(".card.closed").count(), { timeout: 180_000 }).toBe(3);
  await complete(first);
  for (const [name, search, options] of shots) {
    const { page } = await openPage(browser, run.url.replace("/#", `/?${search}#`), options);
    await complete(page);
    if (name !== "ops") await expect.poll(() => rowsOf(page).count(), { timeout: 30_000 }).toBeGreaterThan(8);
    // All of it is in sight: nothing has to be scrolled for.
    const beyond = "Math.max(document.body.scrollHeight - innerHeight, document.body.scrollWidth - innerWidth)";
    expect(await page.evaluate(beyond), name).toBeLessThanOrEqual(0);
    if (name === "dark") {
      await rowsOf(page)
        .filter({ hasText: /promoter|passive|detractor/ })
        .first()
        .click();
      await page.locator("#tab-story").click();
      await expect.poll(() => page.locator(".story li").count()).toBeGreaterThan(1);
    }
    await page.screenshot({ path: join(folder, `${name}.png`) });
  }
});
