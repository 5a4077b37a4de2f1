import { pathToFileURL } from "node:url";
import type { PollHandler } from "../../local/runner/environments.ts";
import type { Invocation } from "./poll-environment.ts";

// An execution environment in a process of its own: see poll-environment.ts.

const [file = ""] = process.argv.slice(2);
const { handler } = (await import(pathToFileURL(file).href)) as { handler: PollHandler };
process.on("message", async ({ input, awsRequestId, until }: Invocation) => {
  const context = { awsRequestId, getRemainingTimeInMillis: () => until - Date.now() };
  try {
    process.send?.({ output: await handler(input, context) });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.send?.("loaded");
