import { PassThrough } from "node:stream";
import {
  CancelReplayCommand,
  DescribeReplayCommand,
  DescribeRuleCommand,
  type EventBridgeClient,
  ListRulesCommand,
  StartReplayCommand,
} from "@aws-sdk/client-eventbridge";
import { expect, it } from "vitest";
import type { Io } from "../../../../cli/io.ts";
import { replayAnswer } from "../../../../cli/verbs/replay/answer.ts";
import { cancelReplay, describeReplay } from "../../../../cli/verbs/replay/archive.ts";
import { byArchive } from "../../../../cli/verbs/replay/replay.ts";
import { watchReplay } from "../../../../cli/verbs/replay/watch.ts";

const from = Date.UTC(2026, 10, 21, 8);
const to = Date.UTC(2026, 10, 21, 12);
const notFound = Object.assign(new Error("gone"), { name: "ResourceNotFoundException" });

/** EventBridge as far as replays need it: each look finds the next one of `states`. */
function eventBridge(states: readonly string[], rules: readonly string[] = ["crm"]) {
  const asked: unknown[] = [];
  const left = [...states];
  const send = async (command: { input: unknown }): Promise<unknown> => {
    asked.push(command);
    if (command instanceof StartReplayCommand || command instanceof CancelReplayCommand) return {};
    if (command instanceof ListRulesCommand) return { Rules: rules.map((Name) => ({ Name })) };
    if (command instanceof DescribeRuleCommand) {
      if (!rules.includes(command.input.Name ?? "")) throw notFound;
      return { Arn: `arn:rule/${command.input.Name}` };
    }
    if (!(command instanceof DescribeReplayCommand)) throw new Error("asked for something else");
    const State = left.length > 1 ? left.shift() : left[0];
    if (State === undefined) throw notFound;
    return {
      State,
      EventStartTime: new Date(from),
      EventEndTime: new Date(to),
      EventLastReplayedTime: new Date(from + 3_600_000),
    };
  };
  return { client: { send } as unknown as Pick<EventBridgeClient, "send">, asked };
}

function fakeIo(signal = new AbortController().signal) {
  const said: string[] = [];
  const talk = Object.assign(new PassThrough(), { isTTY: true });
  let shown = "";
  talk.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  const io = { talk, signal, now: Date.now, say: (line: string) => void said.push(line) } as unknown as Io;
  return { io, said, shown: () => shown };
}

const place = (client: Pick<EventBridgeClient, "send">) => ({
  archive: "arn:archive",
  bus: "arn:bus",
  busName: "surveys",
  flags: "--stack Eu",
  client,
});
const options = { from, to, watch: false, yes: false };

it("says in a dry run what would be replayed to whom, and starts nothing", async () => {
  const { client, asked } = eventBridge([]);
  const { io, said } = fakeIo();
  const { data, text } = await byArchive(place(client), io, { ...options, rule: "crm" }, 1_234);
  expect(text).toEqual([
    "Would replay what the archive holds from 2026-11-21T08:00:00.000Z to 2026-11-21T12:00:00.000Z to the rule crm: 1,234 events of responses, and those of other kinds.",
  ]);
  expect(replayAnswer.parse(data)).toMatchObject({ dryRun: true, archive: { rule: "arn:rule/crm", state: null } });
  expect(said[0]).toContain("Dry run");
  expect(asked.some((command) => command instanceof StartReplayCommand)).toBe(false);
});

it("starts a replay to one rule, and says how to watch it", async () => {
  const { client, asked } = eventBridge([]);
  const { io } = fakeIo();
  const { data, text, exit } = await byArchive(
    place(client),
    io,
    { ...options, rule: "crm", name: "again-1", yes: true },
    3,
  );
  const [start] = asked.flatMap((command) => (command instanceof StartReplayCommand ? [command.input] : []));
  expect(start).toEqual({
    ReplayName: "again-1",
    EventSourceArn: "arn:archive",
    EventStartTime: new Date(from),
    EventEndTime: new Date(to),
    Destination: { Arn: "arn:bus", FilterArns: ["arn:rule/crm"] },
  });
  expect(text).toContain("Next: survey-poller replay --watch again-1 --stack Eu");
  expect(replayAnswer.parse(data).dryRun).toBe(false);
  expect(exit).toBe(0);
});

it("names the rules of the bus where there is none of that name", async () => {
  const { client } = eventBridge([], ["crm", "lake"]);
  await expect(byArchive(place(client), fakeIo().io, { ...options, rule: "nope" }, 3)).rejects.toMatchObject({
    code: "BAD_USAGE",
    hint: "Its rules: crm, lake.",
  });
});

it.each([
  ["COMPLETED", 0],
  ["FAILED", 1],
])("watches it until it is %s", async (end, exit) => {
  const { client } = eventBridge(["STARTING", end]);
  const { io, shown } = fakeIo();
  const replay = await watchReplay(client, "again-1", { flags: "", io, every: 0 });
  expect(replay).toMatchObject({ state: end, lastReplayed: from + 3_600_000 });
  expect(shown()).toContain("25 % starting, up to 2026-11-21T09:00:00.000Z");
  const answer = await byArchive(place(eventBridge([end]).client), io, { ...options, yes: true, watch: true }, 3);
  expect(answer.exit).toBe(exit);
});

it("goes on where the looking is interrupted, and says how to end it", async () => {
  const stop = new AbortController();
  const { io, said } = fakeIo(stop.signal);
  const watching = watchReplay(eventBridge(["RUNNING"]).client, "again-1", { flags: "--stack Eu", io, every: 60_000 });
  stop.abort();
  await expect(watching).rejects.toMatchObject({ code: "INTERRUPTED" });
  expect(said).toEqual(["The replay again-1 goes on. To end it: survey-poller replay --cancel again-1 --stack Eu"]);
});

it("cancels it, and says so where there is none of that name", async () => {
  const { client, asked } = eventBridge([]);
  await cancelReplay(client, "again-1");
  expect(asked).toEqual([expect.objectContaining({ input: { ReplayName: "again-1" } })]);
  await expect(describeReplay(client, "again-1")).rejects.toMatchObject({ code: "REPLAY_NOT_FOUND" });
});
