import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { DescribeArchiveCommand, StartReplayCommand } from "@aws-sdk/client-eventbridge";
import { type BooksClosed, EVENT_TYPES, verifyBooks } from "../../../lib/events/index.ts";
import type { DeliveredEvent } from "../../support/command.ts";
import { type Deployment, output, type Stage, type Subscribers } from "./stage.ts";

/** What the archive is to keep, and for how many days: the default. */
const PATTERN = { source: ["survey-poller"], "detail-type": [...EVENT_TYPES] };
const RETENTION = 30;
const REPLAY = "everything-again";

/** All that went out is in the archive, and can be had again from there. */
export async function archived(stage: Stage, deployment: Deployment, subscribers: Subscribers): Promise<void> {
  const { report, aws, webhook } = stage;
  const { everything, told, detractors } = subscribers;
  const archive = output(deployment, "ArchiveArn");
  const bus = output(deployment, "BusArn");
  await report.step("the archive holds as many events as have gone out, for 30 days", async (note) => {
    const ArchiveName = archive.split("/").at(-1);
    const found = await aws.events.send(new DescribeArchiveCommand({ ArchiveName }));
    const { EventSourceArn, EventPattern = "", RetentionDays, State, EventCount } = found;
    assert.deepEqual([EventSourceArn, RetentionDays, State], [bus, RETENTION, "ENABLED"]);
    assert.deepEqual(JSON.parse(EventPattern), PATTERN);
    await told.drain();
    assert.equal(EventCount, everything.events.length + told.events.length);
    note(`${EventCount} events of ${EventPattern}`);
  });
  await report.step("a subscriber sees by the books that closed last that it has everything", async (note) => {
    const events = [...told.events] as unknown as { "detail-type": string; detail: BooksClosed }[];
    const books = new Map(
      events.flatMap((event) =>
        event["detail-type"] === "books.closed" ? [[event.detail.data.surveyId, event.detail] as const] : [],
      ),
    );
    const verdicts = [...books].map(([surveyId, closed]) => {
      const mine = everything.events.filter(({ detail }) => detail.data.surveyId === surveyId);
      return verifyBooks(
        mine.map(({ detail }) => detail.meta.eventId),
        closed,
      );
    });
    assert.ok(verdicts.some(({ kind }) => kind === "complete"));
    // What went out since then is more than the books say.
    assert.deepEqual(
      verdicts.filter(({ kind }) => kind !== "complete" && kind !== "ahead"),
      [],
    );
    note(verdicts.map(({ kind }) => kind).join(", "));
  });
  await report.step("a replay of it gives every subscriber the same events again", async (note) => {
    await aws.events.send(
      new StartReplayCommand({
        ReplayName: REPLAY,
        EventSourceArn: archive,
        Destination: { Arn: bus },
        ...timesOf(everything.events),
      }),
    );
    const sent = webhook.taken().map(({ event }) => event);
    const isOver = (): boolean =>
      everything.replayed.length >= everything.events.length &&
      detractors.replayed.length >= detractors.events.length &&
      webhook.replayed().length >= sent.length;
    for (const end = Date.now() + 20_000; !isOver() && Date.now() < end; await pause(100)) {
      for (const queue of [everything, detractors]) await queue.drain();
    }
    assert.deepEqual(contents(everything.replayed), contents(everything.events));
    assert.deepEqual(contents(detractors.replayed), contents(detractors.events));
    assert.deepEqual(contents(webhook.replayed()), contents(sent));
    assert.deepEqual([...new Set(everything.replayed.map((event) => event["replay-name"]))], [REPLAY]);
    note(
      `${everything.replayed.length} events with the same eventId each, ${webhook.replayed().length} to the webhook`,
    );
  });
}

/** The stretch of a replay that these are in. An event's time has no fractions of a second. */
export function timesOf(events: readonly DeliveredEvent[]): { EventStartTime: Date; EventEndTime: Date } {
  const times = events.map(({ time }) => Date.parse(time));
  return { EventStartTime: new Date(Math.min(...times)), EventEndTime: new Date(Math.max(...times) + 1000) };
}

/** By the id that a subscriber knows a repeat by. */
function contents(events: readonly DeliveredEvent[]): string[] {
  return events.map(({ detail }) => `${detail.meta.eventId} ${JSON.stringify(detail)}`).sort();
}
