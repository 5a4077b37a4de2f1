import type { ExplainAnswer } from "../cli/verbs/explain/story.ts";
import type { EventRow, Flag } from "./changes.ts";

/** A row of the waterfall. Times are epoch milliseconds. */
export interface Span {
  name: string;
  /** The event in words. */
  said: string;
  /** Null for what has no time of its own. */
  from: number | null;
  /** Equal to `from` for a moment. */
  to: number | null;
  /** `waiting`: nothing was at work on it. `pause`: the service was left alone. */
  kind: "waiting" | "pause" | "work" | "moment";
}

export interface Story {
  sentence: string;
  /** When that was so. */
  at: number;
  spans: Span[];
  /** Facts beside it, and those that the log lacks. */
  facts: [name: string, value: string][];
  /** Whether the log has told its part: of what has just gone out it does so a moment later. */
  isWhole: boolean;
}

export interface StoryOf {
  row: EventRow;
  /** The answer of `explain` about its response; undefined where the event is of none, or nothing could be read. */
  told: ExplainAnswer | undefined;
  /** Names of the rules that the event matches; undefined where they could not be read. */
  rules: readonly string[] | undefined;
  flags: readonly Flag[];
  now: number;
}

/** Milliseconds in which the log has told of an event, if it ever does. */
const LOG_PATIENCE = 10_000;
/** Milliseconds between being listed and going on from which on it is said that a response has waited. */
const A_WAIT = 1_000;

/** The way of an event, as `explain` tells it, with a length for each part that the log has measured. */
export function storyOf({ row, told, rules, flags, now }: StoryOf): Story {
  const spans = told === undefined ? [] : waterfall(told.steps);
  const known = spans.flatMap(({ from, to }) => (from === null || to === null ? [] : [from, to]));
  const [first, last] = [Math.min(...known), Math.max(...known)];
  const pauses = flags.flatMap(({ span: [from, to] = [0, 0], text }) =>
    to > first && from < last ? [spanOf("pause", text, Math.max(from, first), Math.min(to, last), "pause")] : [],
  );
  const facts: [string, string][] = [
    ["Delivered", row.isRepeat ? "more than once, under the same event id" : "once, as far as this page has heard"],
    ["Missing", row.missing.length === 0 ? "nothing" : row.missing.join(", ")],
    ["Rules matched", rules === undefined ? "not known" : rules.length === 0 ? "none" : rules.join(", ")],
  ];
  if (told?.log.note) facts.push(["Log", told.log.note]);
  return {
    at: now,
    sentence: told?.sentence ?? "Heard on the bus. It is no event of one response.",
    spans: [...spans, ...pauses],
    facts,
    isWhole: told === undefined || told.verdict !== "emitted" || told.log.lines > 0 || now - row.at > LOG_PATIENCE,
  };
}

function spanOf(name: string, said: string, from: number | null, to: number | null, kind: Span["kind"]): Span {
  return { name, said, from, to, kind };
}

function waterfall(steps: ExplainAnswer["steps"]): Span[] {
  return steps.flatMap((step, i) => {
    const { at, what, detail, took } = step;
    const next = steps.slice(i + 1);
    if (what === "completed") {
      return [spanOf("at the service", detail, at, at === null ? null : (startOf(next) ?? at), "waiting")];
    }
    if (what === "details") return detailSpans(step, next);
    const ms = took.reduce((sum, one) => sum + one.ms, 0);
    if (at !== null && ms > 0) return [spanOf(what, detail, at - ms, at, "work")];
    const waited = what === "listed" && at !== null ? waitBehind(at, next) : [];
    return [spanOf(what, detail, at, at, "moment"), ...waited];
  });
}

/** Metrics and metadata come side by side, right before their event goes out: the log has their lengths alone. */
function detailSpans({ took, detail }: ExplainAnswer["steps"][number], next: ExplainAnswer["steps"]): Span[] {
  const end = startOf(next);
  if (end === undefined || took.length === 0) return [spanOf("details", detail, null, null, "moment")];
  return took.map(({ what, ms }) => spanOf(what, took.length > 1 ? "" : detail, end - ms, end, "work"));
}

/** Where it was listed, and went on much later only. */
function waitBehind(listedAt: number, next: ExplainAnswer["steps"]): Span[] {
  const bus = next.findIndex(({ what }) => what === "bus");
  const end = startOf(next.slice(bus));
  if (bus < 0 || end === undefined) return [];
  const details = next.slice(0, bus).find(({ what }) => what === "details");
  const from = end - Math.max(0, ...(details?.took ?? []).map(({ ms }) => ms));
  return from - listedAt < A_WAIT
    ? []
    : [spanOf("waited", details?.detail ?? "until it could go out", listedAt, from, "waiting")];
}

/** When the next step that has a time began. */
function startOf(steps: ExplainAnswer["steps"]): number | undefined {
  const step = steps.find(({ at }) => at !== null);
  if (step === undefined || step.at === null) return undefined;
  return step.at - step.took.reduce((sum, { ms }) => sum + ms, 0);
}
