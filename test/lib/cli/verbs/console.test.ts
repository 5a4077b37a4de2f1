import { describe, expect, it, onTestFinished } from "vitest";
import { runCommand } from "../../../../lib/cli/run-command.ts";
import type { ConsoleAnswer } from "../../../../lib/cli/verbs/console.ts";
import { TOKEN_HEADER } from "../../../../lib/console/app.ts";
import { type Change, type Snapshot, withChange } from "../../../../lib/console/changes.ts";
import { ioOf, survey } from "../support/command.ts";
import { runningFolder, useRunningFolder } from "../support/running-folder.ts";

const test = useRunningFolder();

/** A page that is served until the test ends. */
async function served(...args: string[]) {
  const stop = new AbortController();
  const { io, lines, said } = ioOf({ signal: stop.signal });
  const ended = runCommand(["console", "--data", test.folder.data, "--port", "47600", "--json", ...args], io);
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  await expect.poll(() => lines.length, { timeout: 10_000 }).toBe(1);
  const { schemaVersion, ...answer } = JSON.parse(lines[0] ?? "");
  const { origin, hash } = new URL(answer.url);
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${origin}${path}`, {
      method: "POST",
      headers: { [TOKEN_HEADER]: hash.slice(1), "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { answer: answer as ConsoleAnswer, schemaVersion, origin, post, stop, ended, said };
}

/** What a page that opens now knows, once that is enough: its frames one after the other. */
async function shownTo({ url }: { url: string }, isEnough: (shown: Snapshot) => boolean): Promise<Snapshot> {
  const { origin, hash } = new URL(url);
  const gone = new AbortController();
  const answer = await fetch(`${origin}/feed`, { headers: { [TOKEN_HEADER]: hash.slice(1) }, signal: gone.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let [text, shown] = ["", {} as Snapshot];
  while (shown.events === undefined || !isEnough(shown)) {
    text += (await reader?.read())?.value ?? "";
    const frames = [...text.matchAll(/^data: (.*)\n\n/gm)].map(([, json = ""]) => JSON.parse(json) as Change);
    shown = frames.reduce(withChange, {}) as Snapshot;
  }
  gone.abort();
  return shown;
}

describe("the page of a run", () => {
  it("is served until Ctrl-C: exit code 130, and its rule and queue are gone", async () => {
    const { answer, schemaVersion, origin, stop, ended, said } = await served();
    await test.folder.heardBy(1);

    expect(schemaVersion).toBe(1);
    expect(answer).toEqual({ ...answer, poller: `data folder ${test.folder.data}`, actions: true, events: true });
    expect(await (await fetch(origin)).text()).toContain("survey-poller");
    stop.abort();

    expect(await ended).toBe(130);
    expect(said()).toContain("Heard 0 events");
    expect([test.folder.rules(), await test.folder.queues()]).toEqual([[], []]);
    await expect(fetch(origin)).rejects.toThrow();
  });

  it("shows the state, and events as they come", async () => {
    const { answer } = await served();
    await test.folder.heardBy(1);
    await survey(["trigger", "detractor", "--data", test.folder.data, "--yes"]);

    const shown = await shownTo(answer, ({ events, status }) => events.length > 0 && status !== null);
    expect(shown).toMatchObject({ mayAct: true, elsewhere: { isHeard: true }, troubles: [], requestsToday: null });
    expect(shown.events).toMatchObject([{ responseId: 46375, nps: { class: "detractor" } }]);
    expect(shown.status?.verdict).toBe("unknown");
  });

  it("pauses and resumes as the verbs do, and makes no rule with --no-events", async () => {
    const { answer, post } = await served("--no-events");
    expect(answer.events).toBe(false);
    expect(test.folder.rules()).toEqual([]);

    const paused = (await (await post("/actions", { kind: "pause" })).json()) as { lines: string[] };
    const status = await survey(["status", "--data", test.folder.data, "--json"]);
    const resumed = (await (await post("/actions", { kind: "resume" })).json()) as { lines: string[] };

    expect(paused.lines).toEqual([expect.stringMatching(/^main is paused\./)]);
    expect(status.json).toMatchObject({ verdict: "late", sentence: expect.stringContaining("by an operator") });
    expect(resumed.lines).toEqual([expect.stringMatching(/^main goes on at its next tick/)]);
  });
});

it("ends with its run, also where it hears nothing: exit code 3", async () => {
  const run = await runningFolder();
  onTestFinished(() => run[Symbol.asyncDispose]());
  const { io, lines, said } = ioOf();
  const ended = runCommand(["console", "--data", run.data, "--port", "47650", "--no-events"], io);
  await expect.poll(() => lines.length, { timeout: 10_000 }).toBe(1);
  await run.aws.close();

  expect(await ended).toBe(3);
  expect(said()).toContain("has ended");
});

it("says that there is nothing to show live where no run is at work: exit code 3", async () => {
  const ended = await runningFolder();
  await ended.aws.close();

  const ran = await survey(["console", "--data", ended.data]);

  expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining("survey-poller status tells")]);
});
