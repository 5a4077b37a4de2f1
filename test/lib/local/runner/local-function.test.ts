import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createLocalFunction, startFunction } from "../../../../lib/local/runner/function-thread.ts";
import { temporaryFolder } from "../../../support/command.ts";

/** Its source says what is to become of an invocation; it never comes to an end by itself when it is asked to hang. */
const CODE = `let calls = 0;
export const handler = async ({ source }, { awsRequestId, getRemainingTimeInMillis }) => {
  calls += 1;
  if (source === "fail") throw Object.assign(new Error("no list"), { code: "NO_LIST", hint: "Look." });
  if (source.startsWith("break")) setTimeout(() => { throw new Error("broken"); });
  if (source === "break" || source === "hang") await new Promise(() => setInterval(() => {}, 1_000));
  if (source === "wait") while (getRemainingTimeInMillis() > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  return { calls, name: awsRequestId, minutes: Math.round(getRemainingTimeInMillis() / 60_000) };
};`;

async function load() {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "index.mjs"), CODE);
  const { invoke, kill } = await createLocalFunction(() => startFunction(folder, {}, folder));
  onTestFinished(() => void kill());
  const ask = (source: string, stop = new AbortController().signal): Promise<unknown> => invoke({ source }, stop);
  return { ask, kill };
}

it("has one environment as long as invocations follow each other, with Lambda's fifteen minutes for each", async () => {
  const { ask } = await load();
  expect(await ask("a")).toEqual({ calls: 1, name: "local-1", minutes: 15 });
  await expect(ask("fail")).rejects.toMatchObject({ code: "NO_LIST", message: "no list", hint: "Look." });
  expect(await ask("a")).toEqual({ calls: 3, name: "local-1", minutes: 15 });
});

it("has one for each invocation at work, by a name of its own, and uses those again that are free", async () => {
  const { ask } = await load();
  const stop = new AbortController();
  const waiting = [ask("wait", stop.signal), ask("wait", stop.signal)];
  expect(await ask("a")).toMatchObject({ calls: 1, name: "local-3" });
  expect(await ask("a")).toMatchObject({ calls: 2, name: "local-3" });

  // Once the run is to stop no time is left.
  stop.abort();
  expect(await Promise.all(waiting)).toMatchObject([
    { name: "local-1", minutes: 0 },
    { name: "local-2", minutes: 0 },
  ]);
});

it("ends where it stands when it is killed, and begins anew at the next invocation", async () => {
  const { ask, kill } = await load();
  await ask("a");
  const hanging = ask("hang").catch((error: unknown) => error);
  await ask("a");
  expect(await kill()).toBe(1);
  expect(await hanging).toMatchObject({ code: "FUNCTION_KILLED" });
  expect(await kill()).toBe(0);
  expect(await ask("a")).toMatchObject({ calls: 1, name: "local-1" });
});

it.each(["break", "break later"])("begins anew after it has broken down: %s", async (how) => {
  const { ask } = await load();
  // Whoever asks it while it breaks down, or next, is told.
  const answers = [ask(how), new Promise((resolve) => setTimeout(resolve, 200)).then(() => ask("a"))];
  const outcomes = await Promise.allSettled(answers);
  expect(outcomes.filter(({ status }) => status === "rejected")).toMatchObject([{ reason: { message: "broken" } }]);
  expect(await ask("a")).toMatchObject({ name: expect.stringMatching(/local-[23]/) });
});
