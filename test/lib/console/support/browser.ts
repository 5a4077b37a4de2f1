import type { Browser, ConsoleMessage, Page } from "playwright-core";
import { onTestFinished } from "vitest";

/** What the policy of the page refuses becomes an error on the console. */
const REPORTS = `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error("policy: " + violatedDirective + " " + blockedURI));`;

export interface Opened {
  page: Page;
  /** Errors on the console, uncaught ones, and reports of the content security policy. */
  errors: string[];
}

export interface PageOptions {
  scheme?: "light" | "dark";
  width?: number;
  height?: number;
}

/** A page that is closed when the test ends. */
export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<Opened> {
  const { scheme = "light", width = 1280, height = 800 } = options;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  onTestFinished(() => context.close());
  const page = await context.newPage();
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
