import type { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { olderEventIds } from "../../ids/event-ids.ts";
import type { Io } from "../../io.ts";
import { includes, type Stretch } from "../../moments.ts";
import { showProgress } from "../../progress.ts";
import { eachEmitted, ledgersOf } from "../../target/emitted.ts";
import type { Target } from "../../target/target.ts";
import { type Answer, DRY_RUN } from "../../verb.ts";
import { count } from "../../words.ts";
import type { ResentItem } from "../resend/answer.ts";
import { wantedOf } from "../resend/resolve.ts";
import { sendAgain } from "../resend/send-again.ts";
import { exitOf, itemLines, sentenceOf } from "../resend/text.ts";
import type { ReplayAnswer, ReplayState } from "./answer.ts";
import { ruleArn, startReplay } from "./archive.ts";
import { exitOfState, stateSentence, stretchText } from "./text.ts";
import { watchReplay } from "./watch.ts";

export interface ReplayOptions extends Stretch {
  source?: string | undefined;
  survey?: number | undefined;
  rule?: string | undefined;
  name?: string | undefined;
  watch: boolean;
  yes: boolean;
}

/** The events of a stretch of time, by the ledger, oldest first. */
export async function emittedIn(target: Target, io: Io, options: ReplayOptions): Promise<ResentItem[]> {
  const progress = showProgress(io);
  const found: { at: number; item: ResentItem }[] = [];
  try {
    await eachEmitted(target, await ledgersOf(target, options), io, ({ source, surveyId }, entries) => {
      for (const { id, eventId, emittedAt } of entries) {
        if (!includes(options, emittedAt)) continue;
        const older = olderEventIds(source, surveyId, id, eventId);
        const revision = older === undefined ? null : older.length + 1;
        const about = { source, surveyId, responseId: id, eventId, revision };
        found.push({ at: emittedAt, item: { ...about, outcome: "would-send", reason: null, update: null } });
      }
      progress.update(`${count(found.length, "event")} found`);
    });
  } finally {
    progress.end();
  }
  return found.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

/** Where a replay is started. */
export interface ArchivePlace {
  archive: string;
  bus: string;
  busName: string;
  flags: string;
  client: Pick<EventBridgeClient, "send">;
}

/** Has EventBridge replay its archive. `events`: how many the ledger has of that time. */
export async function byArchive(
  { archive, bus, busName, flags, client }: ArchivePlace,
  io: Io,
  options: ReplayOptions,
  events: number,
): Promise<Answer<ReplayAnswer>> {
  const { from, to, yes, watch } = options;
  const rule = options.rule === undefined ? null : await ruleArn(client, busName, options.rule);
  const name = options.name ?? (yes ? nameAt(io.now()) : null);
  const whom = rule === null ? "all rules of the bus" : `the rule ${options.rule}`;
  const what = `what the archive holds ${stretchText(options)} to ${whom}: ${count(events, "event")} of responses, and those of other kinds`;
  const about = { by: "archive" as const, from, to, events, items: null };
  if (!yes || name === null) {
    io.say(DRY_RUN);
    const sentence = `Would replay ${what}.`;
    const planned = { name, archive, bus, rule, state: null, reason: null, lastReplayed: null };
    return { data: { dryRun: true, sentence, next: null, ...about, archive: planned }, text: [sentence] };
  }
  await startReplay(client, { name, archive, bus, rule, from, to });
  io.say(`Started the replay ${name} of ${what}.`);
  const started = { name, archive, bus, rule, state: "STARTING", reason: null, lastReplayed: null };
  const {
    from: _,
    to: __,
    ...replay
  }: ReplayState = watch ? await watchReplay(client, name, { flags, io }) : { ...started, from, to };
  const next = watch ? null : `survey-poller replay --watch ${name} ${flags}`;
  const sentence = stateSentence(replay);
  return {
    data: { dryRun: false, sentence, next, ...about, archive: replay },
    text: [sentence, ...(next === null ? [] : [`Next: ${next}`])],
    exit: exitOfState(replay),
  };
}

/** A name that no earlier replay has: by the second. */
function nameAt(now: number): string {
  return `survey-poller-${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}`;
}

/** Sends each of the events again, as the service shows them now. */
export async function byLedger(
  target: Target,
  io: Io,
  { from, to, yes }: ReplayOptions,
  found: readonly ResentItem[],
): Promise<Answer<ReplayAnswer>> {
  if (!yes) io.say(DRY_RUN);
  const items = yes ? await sendAgain(target, io, wantedOf(found)) : [...found];
  const sentence = sentenceOf(items, !yes);
  const about = { by: "ledger" as const, from, to, events: found.length, archive: null };
  const left = items.filter(({ outcome }) => outcome !== "sent");
  return {
    data: { dryRun: !yes, sentence, next: null, ...about, items },
    text: [sentence, ...itemLines(yes ? left : items, target)],
    exit: exitOf(items),
  };
}
