import { subscribe } from "node:diagnostics_channel";
import { parentPort, workerData } from "node:worker_threads";
import { errorCode } from "../../errors.ts";
import { openLogFile } from "./log-file.ts";

// The function in a thread of its own, whose environment is its own as well: what it is told there is not the command's business.

/** The request to the thread, and its answer. */
export interface Invocation {
  input: object;
  requestId: string;
}
export type InvocationEnd = { output: unknown } | { error: { code: string; message: string; hint: string } };

/** A message of the function on a diagnostics channel, and when (epoch milliseconds): the command listens in its own thread. */
export interface Told {
  channel: string;
  message: object;
  at: number;
}

const CHANNELS = ["request", "retry", "pause", "token", "progress"];
/** Lambda's own limit, in milliseconds. */
const INVOCATION_TIME = 15 * 60_000;
/** Milliseconds: the messages of so long go over together. A backlog has thousands a second. */
const TELL_EVERY = 50;

const port = parentPort;
const { file, dataDir } = workerData as { file: string; dataDir: string };
const flushLog = openLogFile(dataDir);
const { handler } = (await import(file)) as { handler(input: object, context: object): Promise<unknown> };
port?.postMessage("loaded");
let until = 0;

let untold: Told[] = [];

function tell(): void {
  if (untold.length > 0) port?.postMessage(untold);
  untold = [];
}

for (const name of CHANNELS) {
  subscribe(`survey-poller:${name}`, (message, channel) => {
    if (untold.length === 0) setTimeout(tell, TELL_EVERY);
    untold.push({ channel: String(channel), message: message as object, at: Date.now() });
  });
}

port?.on("message", (message: Invocation | "stop") => {
  if (message === "stop") until = 0;
  else
    void invoke(message).then((end) => {
      tell();
      port.postMessage(end);
    });
});

async function invoke({ input, requestId }: Invocation): Promise<InvocationEnd> {
  until = performance.now() + INVOCATION_TIME;
  const context = {
    awsRequestId: requestId,
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(until - performance.now())),
  };
  try {
    return { output: await handler(input, context) };
  } catch (error) {
    const { message = "", hint = "" } = error as { message?: string; hint?: string };
    return { error: { code: errorCode(error), message, hint } };
  } finally {
    flushLog();
  }
}
