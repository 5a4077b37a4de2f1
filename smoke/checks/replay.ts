import {
  CancelReplayCommand,
  DescribeReplayCommand,
  DescribeRuleCommand,
  StartReplayCommand,
} from "@aws-sdk/client-eventbridge";
import { left, outputOf, type SmokeCheck } from "../context.ts";
import { NAMES, OUTPUTS } from "../names.ts";
import { mustBe } from "../run/check.ts";
import { LARGE } from "../service/plan.ts";

/** Milliseconds after which EventBridge has an event in its archive. */
const ARCHIVED_AFTER = 600_000;

/** A stretch of the archive once more, to one rule: the same events, by their event ids, and to nobody else. */
export const replay: SmokeCheck = {
  name: "replay",
  needs: [],
  after: ["schedule", "large-to-queue"],
  deadline: 2_400_000,
  async run(context, { until, signal }) {
    const { events } = context.aws;
    const foreign = left(context.foreign, "the foreign queue");
    const queue = left(context.queue, "the queue");
    const large = new Set(LARGE.map(({ responseId }) => responseId));
    const first = queue.events.filter(({ event }) => large.has(event.detail.data.responseId));
    const times = first.map(({ event }) => Date.parse(event.time));
    const wait = context.options.emulator ? 0 : ARCHIVED_AFTER;
    await until("that the archive has the events", async () =>
      Date.now() >= Math.max(...times) + wait ? true : undefined,
    );
    const { Arn: rule } = await events.send(
      new DescribeRuleCommand({ EventBusName: NAMES.bus, Name: outputOf(context, "foreignRule", OUTPUTS) }),
    );
    const ReplayName = `smoke-${Date.now()}`;
    await events.send(
      new StartReplayCommand({
        ReplayName,
        EventSourceArn: outputOf(context, "archiveArn", OUTPUTS),
        EventStartTime: new Date(Math.min(...times)),
        EventEndTime: new Date(Math.max(...times) + 1000),
        Destination: { Arn: outputOf(context, "busArn", OUTPUTS), FilterArns: rule === undefined ? [] : [rule] },
      }),
    );
    const stop = (): void => void events.send(new CancelReplayCommand({ ReplayName })).catch(() => {});
    signal.addEventListener("abort", stop, { once: true });
    const wanted = new Set(first.map(({ event }) => event.detail.meta.eventId));
    await until(`${wanted.size} events of the replay`, async () => {
      await foreign.drain();
      const again = foreign.events.filter(({ event }) => event["replay-name"] === ReplayName);
      const ids = new Set(again.map(({ event }) => event.detail.meta.eventId));
      return [...wanted].every((id) => ids.has(id)) ? true : undefined;
    });
    await until("the end of the replay", async () => {
      const { State } = await events.send(new DescribeReplayCommand({ ReplayName }));
      mustBe(
        State !== "FAILED" && State !== "CANCELLED",
        `the replay is ${State}`,
        "see it in the EventBridge console",
      );
      return State === "COMPLETED" ? true : undefined;
    });
    signal.removeEventListener("abort", stop);
    await queue.drain();
    const elsewhere = queue.events.filter(({ event }) => event["replay-name"] !== undefined).length;
    mustBe(elsewhere === 0, `${elsewhere} replayed events came to another rule`, "name the rule in FilterArns");
    return `${wanted.size} events again, by their event ids, to one rule and no other`;
  },
};
