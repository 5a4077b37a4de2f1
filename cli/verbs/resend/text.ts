import { EXIT } from "../../exit-codes.ts";
import type { Target } from "../../target/target.ts";
import type { Answer } from "../../verb.ts";
import { columns, count } from "../../words.ts";
import type { ResentItem } from "./answer.ts";

/** Whether trying again later may help. */
const MAY_PASS: ReadonlySet<ResentItem["outcome"]> = new Set(["unproved", "failed", "left"]);
const DONE: ReadonlySet<ResentItem["outcome"]> = new Set(["sent", "would-send"]);

/** Sent: all of them. Not now: some may go out later. Failed: none of what is left ever will. */
export function exitOf(items: readonly ResentItem[]): NonNullable<Answer["exit"]> {
  if (items.some(({ outcome }) => MAY_PASS.has(outcome))) return EXIT.notNow;
  return items.every(({ outcome }) => DONE.has(outcome)) ? EXIT.done : EXIT.failed;
}

export function countDone(items: readonly ResentItem[]): number {
  return items.filter(({ outcome }) => DONE.has(outcome)).length;
}

/** "Sent 2 of 3 events again: 1 could not be sent now, try again in a minute." */
export function sentenceOf(items: readonly ResentItem[], dryRun: boolean): string {
  const done = countDone(items);
  const part = done === items.length ? count(done, "event") : `${done} of ${count(items.length, "event")}`;
  const later = items.filter(({ outcome }) => MAY_PASS.has(outcome)).length;
  const hint = later === 0 ? "" : `; ${later} could not be sent now, try again in a minute`;
  return `${dryRun ? "Would send" : "Sent"} ${part} again${hint}.`;
}

/** A line for each event. */
export function itemLines(items: readonly ResentItem[], target: Pick<Target, "stack">): string[] {
  return columns(
    items.map((item) => [
      item.surveyId === null ? "-" : `${item.surveyId}`,
      item.responseId === null ? "-" : `${item.responseId}`,
      item.eventId ?? "-",
      wordsOf(item, target),
    ]),
  );
}

/** The outcome of one event, for people. */
export function wordsOf({ outcome, reason, revision, update }: ResentItem, { stack }: Pick<Target, "stack">): string {
  const words: Record<ResentItem["outcome"], string> = {
    sent: `sent, revision ${revision}`,
    "would-send": `would be sent, revision ${revision}`,
    replaced: `not sent: revision ${update} has taken its place`,
    changed:
      update === null
        ? "not sent: changed since its event, and updates are switched off"
        : `not sent: changed since its event; its update will come, or came, as revision ${update}`,
    gone:
      stack?.outputs.ArchiveArn === undefined
        ? "not sent: gone at the service, so that it cannot be made again"
        : "not sent: gone at the service; the archive has it: aws events start-replay",
    "not-emitted": `not sent: it has no event (${reason})`,
    unknown: "not sent: no ledger has this id",
    unproved: `not sent: cannot be proved now (${reason})`,
    failed: `not sent: failed (${reason})`,
    refused: `not sent: the bus refuses it (${reason})`,
    left: `not sent: ${reason}`,
  };
  return words[outcome];
}
