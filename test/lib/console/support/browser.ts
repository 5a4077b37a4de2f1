import type { Browser, ConsoleMessage, Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** What the policy of the page refuses becomes an error on the console. */
const REPORTS = `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error("policy: " + violatedDirective + " " + blockedURI));`;

/** A page that is closed when the test ends. */
export async function openPage(browser: Browser, url: string, { scheme = "light", width = 1280, height = 800 } = {}) {
  const colorScheme = scheme as "light" | "dark";
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  /** Errors on the console, uncaught ones, and reports of the content security policy. */
  const errors: string[] = [];
  page.on("console", (message: ConsoleMessage) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  await page.addInitScript(REPORTS);
  await page.goto(url);
  return { page, errors };
}

/** A figure of the page, by its name. */
export async function figure(page: Page, name: string): Promise<number> {
  return Number((await page.locator(`[data-figure="${name}"]`).first().innerText()).replaceAll(",", ""));
}
