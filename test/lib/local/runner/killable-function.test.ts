import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createKillableFunction } from "../../../../lib/local/runner/killable-function.ts";
import { temporaryFolder } from "../../../support/command.ts";

const context = { awsRequestId: "local-1", getRemainingTimeInMillis: () => 60_000, stop: new AbortController().signal };

it("ends the function where it stands, and begins anew at the next invocation", async () => {
  const file = join(temporaryFolder(), "index.mjs");
  // It never comes to an end by itself when it is asked for more.
  writeFileSync(
    file,
    `let calls = 0;
export const handler = async ({ source }, { awsRequestId }) => {
  calls += 1;
  return source === "hang" ? new Promise(() => setInterval(() => {}, 1_000)) : { calls, awsRequestId };
};`,
  );
  const killable = createKillableFunction();
  onTestFinished(() => void killable.kill());
  const handler = await killable.load(file)(1);
  const ask = (source: string): Promise<unknown> => handler({ source }, context);

  expect(await ask("a")).toEqual({ calls: 1, awsRequestId: "local-1" });
  expect(await ask("a")).toMatchObject({ calls: 2 });
  const hanging = ask("hang").catch((error: unknown) => error);
  expect(await killable.kill()).toBe(1);
  expect(await hanging).toMatchObject({ code: "FUNCTION_KILLED" });
  expect(await killable.kill()).toBe(0);

  // Nothing that it had in memory is there any more.
  expect(await ask("a")).toEqual({ calls: 1, awsRequestId: "local-1" });
});
