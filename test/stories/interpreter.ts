import type { EventType } from "../../lib/events/index.ts";
import type { Model } from "../../lib/local/simulator/model.ts";
import type { ResponseOverrides } from "../../lib/local/simulator/responses.ts";
import { backfill } from "../../lib/operator/backfill.ts";
import { type LedgerEntry, type PollingSource, sayWhyOpen, type TickSummary } from "../../lib/polling/index.ts";
import { memoryGraph } from "../lib/support/graph.ts";
import { operate } from "../lib/support/operation.ts";
import { type MemoryWorld, memoryWorld, type PortCall } from "../support/memory-ports.ts";
import { failure, HOUR, MINUTE, noon, runTick, SECOND, sourceDefaults, takes } from "../support/survey.ts";

/** Everything that one story is about. */
interface Stage {
  model: Model;
  world: MemoryWorld;
  source: PollingSource;
  /** The id of the next response. */
  nextId: number;
  /** What fails now, such as "page 3" or "metrics". */
  failing: Set<string>;
  /** How many events, and events without contents, were shown already. */
  shown: { delivered: number; told: number };
}

/**
 * Plays a story: a text of commands, one a line, and the indented lines that each has printed. Gives the text with what is printed now.
 * `README.md` beside it lists the commands.
 */
export async function play(story: string): Promise<string> {
  const stage = createStage();
  const lines: string[] = [];
  for (const line of story.trimEnd().split("\n")) {
    if (line.startsWith("  ")) continue;
    lines.push(line);
    if (line === "" || line.startsWith("#")) continue;
    const printed = await run(stage, line);
    lines.push(...printed.map((text) => `  ${text}`));
  }
  return `${lines.join("\n")}\n`;
}

function createStage(): Stage {
  const world = memoryWorld(noon);
  const { model } = world;
  const completed = { responses: "completed", correct: "completed", unpaidResponses: "zero" } as const;
  model.set({ recordsPerResponse: 3, openListed: false, openDateCompleted: null, counts: completed });
  model.addSurvey({ surveyId: 1, name: "One", createdAt: noon - 90 * 24 * HOUR });
  const failing = new Set<string>();
  world.before.push((call) => {
    if (whatIs(call).some((what) => failing.has(what))) throw failure("SERVER_ERROR");
  });
  const source = { ...sourceDefaults, events: new Set([...sourceDefaults.events, "survey.changed" as const]) };
  return { model, world, source, nextId: 1, failing, shown: { delivered: 0, told: 0 } };
}

/** The names by which a story says that such a call fails. */
function whatIs({ port, operation, args }: PortCall): string[] {
  if (port !== "service") return [];
  return operation === "page" ? ["page", `page ${args[1]}`, `page ${args[1]} ${args[2]}`] : [operation];
}

/** Carries out a command, at a time if it begins with one, and gives what it prints. */
async function run(stage: Stage, line: string): Promise<string[]> {
  const [, time, command = ""] = /^(\d\d:\d\d(?::\d\d)? )?(.*)$/.exec(line) ?? [];
  const { world } = stage;
  if (time !== undefined) {
    const moment = timeOf(world.time.now, time.trim());
    if (moment < world.time.now) throw new RangeError(`"${line}" is in the past`);
    world.time.now = moment;
  }
  const words = command.split(" ");
  const [verb = "", ...rest] = words;
  switch (verb) {
    case "tick":
      return tickOnce(stage);
    case "ticks":
      return ticks(stage, Number(rest[0]));
    case "wait":
      world.time.now += durationOf(rest.join(""));
      return [];
    case "status":
      return statusOf(stage, Number(rest[0] ?? 1));
    case "requests":
      return [asked(stage)];
    case "list":
      return listOf(stage, Number(rest[0] ?? 1));
    case "backfill":
      return startBackfill(stage, rest);
    case "another":
      await world.ports.state.acquire(Number(rest[2]), "another", durationOf(rest[4] ?? ""));
      return [];
    default:
      change(stage, command);
      return [];
  }
}

/** A command that changes the service, the bus or the source, and prints nothing. */
function change(stage: Stage, command: string): void {
  const { model, world, failing } = stage;
  const [verb, first = "", ...rest] = command.split(" ");
  switch (verb) {
    case "survey":
      model.addSurvey({ surveyId: Number(first), name: rest.join(" "), createdAt: world.time.now });
      return;
    case "complete":
    case "start": {
      const options = optionsOf(rest);
      stage.nextId = Number(options.get("id") ?? stage.nextId);
      for (let left = Number(first); left > 0; left -= 1) come(stage, verb, options, left - 1);
      return;
    }
    case "finish":
      for (const id of idsOf(first)) model.finish(surveyWith(model, id), id, overridesOf(stage, optionsOf(rest)));
      return;
    case "edit":
      if (first === "survey") model.editSurvey(Number(rest[0]));
      else for (const id of idsOf(first)) model.edit(surveyWith(model, id), id, editOf(stage, rest));
      return;
    case "delete":
      for (const id of idsOf(first)) model.remove(surveyWith(model, id), id);
      return;
    case "service":
      if (first === "page" && rest[0] === "takes")
        takes(world, durationOf(rest[1] ?? ""), ({ operation }) => operation === "page");
      else if (first === "counts") model.set({ counts: { responses: readValue(rest), correct: readValue(rest) } });
      else model.set({ [first]: readValue(rest) });
      return;
    case "source":
      stage.source = { ...stage.source, ...nested(first.split("."), readValue(rest), stage.source) };
      return;
    case "tell":
      stage.source = { ...stage.source, events: new Set([...stage.source.events, first as EventType]) };
      return;
    case "view":
      model.visit(1, Number(first));
      return;
    case "fail":
      failing.add([first, ...rest].join(" "));
      return;
    case "mend":
      failing.clear();
      return;
    case "bus":
      world.bus.decide = ({ data }) => {
        if (rest[0] !== undefined && !idsOf(rest[0]).includes(data.responseId)) return undefined;
        if (first === "works") return undefined;
        return first === "refuses"
          ? { kind: "refused", code: "MalformedDetail" }
          : { kind: "failed", code: "Throttled" };
      };
      return;
    case "once": {
      // once page 2 is read: delete 5
      const [, page = "", then = ""] = /^once page (\d+) is read: (.*)$/.exec(command) ?? [];
      const stop = model.onPageRead((_survey, read) => {
        if (read !== Number(page)) return;
        stop();
        change(stage, then);
      });
      return;
    }
    default:
      throw new TypeError(`there is no command "${command}"`);
  }
}

type Options = ReadonlyMap<string, string>;

/** `at 09:00 records 5` as a map. */
function optionsOf(words: string[]): Options {
  const pairs = words.flatMap((word, i): [string, string][] => (i % 2 === 0 ? [[word, words[i + 1] ?? ""]] : []));
  return new Map(pairs);
}

/** `older`: how many younger ones come with it. They are a minute apart where it is told until when they came. */
function come(stage: Stage, verb: "complete" | "start", options: Options, older: number): void {
  const id = stage.nextId;
  stage.nextId += 1;
  const until = options.get("until");
  const completedAt = until === undefined ? {} : { completedAt: dateOf(stage, until) - older * MINUTE };
  const overrides = { responseId: id, startedAt: stage.world.time.now - 30 * MINUTE, ...completedAt };
  stage.model[verb](Number(options.get("survey") ?? 1), 1, { ...overrides, ...overridesOf(stage, options) });
}

function overridesOf(stage: Stage, options: Options): Partial<ResponseOverrides> {
  const overrides: Partial<ResponseOverrides> = {};
  for (const [name, value] of options) {
    if (name === "at") overrides.completedAt = dateOf(stage, value);
    if (name === "records") overrides.records = Number(value);
    if (name === "metrics" || name === "metadata") overrides[name] = detailOf(value);
  }
  return overrides;
}

/** `edit 5` changes its answers, `edit 5 records 4` their number, `edit 5 shows completed maybe` a field of its records. */
function editOf(stage: Stage, words: string[]): Partial<ResponseOverrides> | undefined {
  if (words.length === 0) return undefined;
  const [shows, field = "", ...value] = words;
  return shows === "shows" ? { patch: { [field]: readValue(value) } } : overridesOf(stage, optionsOf(words));
}

function detailOf(value: string): ResponseOverrides["metrics"] {
  if (value === "absent") return { absent: "404" };
  if (value === "failing") return { fail: Number.POSITIVE_INFINITY };
  throw new TypeError(`details are not "${value}"`);
}

function surveyWith(model: Model, id: number): number {
  const found = model.surveyIds().find((surveyId) => model.has(surveyId, id));
  if (found === undefined) throw new RangeError(`there is no response ${id}`);
  return found;
}

async function tickOnce(stage: Stage): Promise<string[]> {
  const summary = await runTick(stage.world, { source: stage.source });
  return [...outcomes(summary), ...events(stage)];
}

/** Ticks a minute apart, from the next minute on, and the news that they had. What stays as it was is said once. */
async function ticks(stage: Stage, count: number): Promise<string[]> {
  const { world } = stage;
  const printed: string[] = [];
  let last: string[] = [];
  let quiet = 0;
  for (let i = 0; i < count; i += 1) {
    world.time.now += MINUTE;
    const summary = await runTick(world, { source: stage.source });
    const state = outcomes(summary);
    const news = [...state.filter((one) => !last.includes(one)), ...events(stage)];
    last = state;
    if (news.length === 0) quiet += 1;
    for (const one of news) printed.push(`${clockOf(world.time.now)} ${one}`);
  }
  return [...printed, `${quiet} of ${count} ticks without news`];
}

/** What a summary says that is not as usual. */
function outcomes({ surveys, awaitsStart, pausedSince, outages }: TickSummary): string[] {
  const lines: string[] = [];
  if (awaitsStart) lines.push("the start is not known yet");
  if (pausedSince !== undefined) lines.push("paused");
  for (const { surveyId, outcome, failure, booksOpen } of surveys) {
    if (outcome === "busy") lines.push(`survey ${surveyId} is polled by another worker`);
    if (failure !== undefined) lines.push(`survey ${surveyId} failed: ${failure.code}`);
    if (booksOpen !== undefined) lines.push(`the books of survey ${surveyId} stay open: ${sayWhyOpen(booksOpen)}`);
  }
  for (const operation of outages) lines.push(`an outage of ${operation}`);
  return lines;
}

/** The requests since the last time, counted. */
function asked({ world }: Stage): string {
  const calls = world.calls.splice(0).filter(({ port }) => port === "service");
  const count = (...operations: string[]): number =>
    calls.filter(({ operation }) => operations.includes(operation)).length;
  const counts: [number, string, string][] = [
    [count("surveys"), "list", "lists"],
    [count("page"), "page", "pages"],
    [count("response"), "single response", "single responses"],
    [count("metrics", "metadata"), "detail", "details"],
    [count("definition"), "definition", "definitions"],
  ];
  const some = counts
    .filter(([number]) => number > 0)
    .map(([number, one, many]) => `${number} ${number === 1 ? one : many}`);
  return some.length === 0 ? "none" : some.join(", ");
}

/** The events since the last time. Many of one kind are one line. */
function events({ world, shown }: Stage): string[] {
  const lines = new Map<string, number[]>();
  for (const { data, meta } of world.delivered.slice(shown.delivered)) {
    const revision = meta.revision === 1 ? "" : `, revision ${meta.revision}`;
    const origin = meta.origin === "head" ? "" : `, found by the ${meta.origin}`;
    const missing = meta.missing?.length ? `, without ${meta.missing.join(" and ")}` : "";
    const about = `${data.answers.length} answers${revision}${origin}${missing}`;
    lines.set(about, [...(lines.get(about) ?? []), data.responseId]);
  }
  shown.delivered = world.delivered.length;
  const told = world.told.slice(shown.told).map(toldLine);
  shown.told = world.told.length;
  return [...Array.from(lines, ([about, ids]) => `event ${rangesOf(ids)} (${about})`), ...told];
}

function toldLine({ type, detail }: MemoryWorld["told"][number]): string {
  const { data } = detail as { data: Record<string, unknown> };
  if (type === "response.deleted") return `deleted ${data.responseId}`;
  if (type === "survey.changed") return `survey ${data.surveyId} changed`;
  if (type === "survey.counted")
    return `survey ${data.surveyId} counted: impressions ${data.impressions}, opened ${data.opened}, responses ${data.responses}`;
  const counts = Object.entries(data.counts as Record<string, number>).filter(([, count]) => count > 0);
  const { sequence } = (detail as { meta: { sequence?: number } }).meta;
  const figures = counts.map(([name, count]) => `${name} ${count}`).join(", ") || "nothing listed";
  return `books ${sequence} of survey ${data.surveyId} closed: ${figures}`;
}

/** The states of the responses that the poller knows. */
function statusOf({ world }: Stage, surveyId: number): string[] {
  const states = Map.groupBy(world.entries(surveyId), stateOf);
  const lines = [...states].map(([state, entries]) => `${state} ${rangesOf(entries.map(({ id }) => Number(id)))}`);
  return lines.length === 0 ? ["nothing is known yet"] : lines.sort();
}

const stateOf = ({ state }: LedgerEntry): string => (state === "before-start" ? "history" : state);

/** The ids that the service lists. */
function listOf({ model }: Stage, surveyId: number): string[] {
  const ids = new Set<number>();
  for (let page = 1, { records } = model.peek(surveyId, 1, "asc"); records.length > 0; page += 1) {
    for (const { responseId } of records) ids.add(Number(responseId));
    records = model.peek(surveyId, page + 1, "asc").records;
  }
  return [ids.size === 0 ? "nothing is listed" : `listed ${rangesOf([...ids])}`];
}

async function startBackfill({ world, source }: Stage, words: string[]): Promise<string[]> {
  const [, from = "", , to = ""] = words;
  const range = { from: from.replace("T", " "), to: to.replace("T", " ") };
  const graph = memoryGraph(world, { startFrom: source.startFrom });
  const { outcome } = await operate(world, backfill, { surveyId: 1, mode: "start", range }, { graph });
  return [outcome];
}

/** `1-3,7` as ids. */
function idsOf(text: string): number[] {
  return text.split(",").flatMap((part) => {
    const [from = 0, to = from] = part.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}

/** The other way round, sorted. */
function rangesOf(ids: number[]): string {
  const ranges: [number, number][] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === id - 1) last[1] = id;
    else ranges.push([id, id]);
  }
  const texts = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return texts.length <= 8 ? texts.join(", ") : `${texts.slice(0, 8).join(", ")}, … (${ids.length})`;
}

const units: Record<string, number> = { s: SECOND, min: MINUTE, h: HOUR, d: 24 * HOUR };

function durationOf(text: string): number {
  const [, number, unit = ""] = /^(\d+)(s|min|h|d)$/.exec(text) ?? [];
  const length = units[unit];
  if (length === undefined) throw new TypeError(`"${text}" is no duration`);
  return Number(number) * length;
}

/** A duration, JSON, or else the words themselves. */
function readValue(words: string[]): never {
  const text = words.join(" ");
  if (/^\d+(s|min|h|d)$/.test(text)) return durationOf(text) as never;
  try {
    return JSON.parse(text) as never;
  } catch {
    return text as never;
  }
}

function nested([name = "", ...path]: string[], value: unknown, all: object): object {
  const known = (all as Record<string, unknown>)[name];
  if (known === undefined && name !== "timeZone") throw new TypeError(`a source has no ${name}`);
  return { [name]: path.length === 0 ? value : { ...(known as object), ...nested(path, value, known as object) } };
}

/** A time of this day, or `YYYY-MM-DDTHH:MM`. */
const dateOf = ({ world }: Stage, text: string): number =>
  text.includes("T") ? Date.parse(`${text}:00Z`) : timeOf(world.time.now, text);

function timeOf(now: number, text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(":").map(Number);
  return now - (now % (24 * HOUR)) + hours * HOUR + minutes * MINUTE + seconds * SECOND;
}

const clockOf = (time: number): string => new Date(time).toISOString().slice(11, 16);
