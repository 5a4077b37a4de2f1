import { fork } from "node:child_process";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { answer, startHostile } from "../support/hostile.ts";

vi.setConfig({ testTimeout: 120_000 });

// Bodies of some kilobytes that decompress to what fills the memory of a function. Each client is a process of its own with as much of it as
// the function has by default.

const MB = 1_000_000;
const CLIENT = join(import.meta.dirname, "../support/bomb-client.ts");

/** The outcomes of so many calls at once; rejects where the process does not outlive them. */
async function outcomes(body: string, operation: "page" | "surveys", calls: number): Promise<string[]> {
  const service = await startHostile(answer(gzipSync(body), { "content-encoding": "gzip" }));
  const child = fork(CLIENT, [service.url, operation, String(calls)], {
    execArgv: ["--max-old-space-size=400"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  return new Promise((resolve, reject) => {
    child.once("message", (told) => resolve(told as string[]));
    child.once("exit", (code, signal) => reject(new Error(`the process has ended: ${code ?? signal}`)));
  });
}

const times = (text: string, characters: number): string => text.repeat(Math.floor(characters / text.length));

describe("sixteen pages at once", () => {
  it.each([
    ["60 MB of lists in each other", times("[", 60 * MB), /longer than `maxBodyBytes`/],
    ["8 MB of lists in each other", times("[", 8 * MB), /nested deeper than 2000 levels/],
    ["8 MB of empty objects", `[${times("{},", 8 * MB)}{}]`, /holds more than 250000 objects and lists/],
  ])("of %s are refused, each with a sentence", async (_name, body, sentence) => {
    const told = await outcomes(body, "page", 16);
    expect(told).toHaveLength(16);
    for (const one of told) expect(one).toMatch(sentence);
  });
});

describe("a survey list", () => {
  it.each([
    ["60 MB of lists in each other", times("[", 60 * MB), /nested deeper than 2000 levels/],
    ["a million surveys", `[${times('{"surveyId":1},', 15 * MB)}{}]`, /holds more than 250000 objects/],
    ["70 MB of it", times(" ", 70 * MB), /longer than `maxBodyBytes`/],
  ])("of %s is refused with a sentence", async (_name, body, sentence) => {
    expect(await outcomes(body, "surveys", 1)).toEqual([expect.stringMatching(sentence)]);
  });
});
