import type { ResponsePlan } from "../plan/surveys.ts";
import type { World } from "../world.ts";
import { countChange } from "./counts.ts";
import { changed, insert, leastPage, listedRecords, recordsNow, remove } from "./listing.ts";
import { recordsOf } from "./records.ts";
import type { Detail, Noticed, SimResponse, SimSurvey, Version } from "./survey-model.ts";

export function start(world: World, survey: SimSurvey, plan: ResponsePlan, time: number): SimResponse {
  const response: SimResponse = {
    id: plan.id,
    survey,
    startedAt: time,
    endedAt: undefined,
    completedAt: undefined,
    removedAt: undefined,
    answers: plan.answers,
    odd: plan.odd,
    edition: 0,
    versions: [],
    single: plan.single,
    metrics: plan.metrics,
    metadata: plan.metadata,
    sortKey: 0,
    listed: false,
    listedFrom: undefined,
    noticed: undefined,
  };
  survey.responses.push(response);
  world.responses.set(response.id, response);
  if (plan.odd !== undefined) world.meet(`odd:${plan.odd}`);
  if (plan.completesAt === undefined) world.meet("stays-open");
  addVersion(world, response, "open", time);
  if (survey.traits.listsOpen) list(world, response, time);
  countChange(world, survey, { started: 1 });
  return response;
}

/** The first time it ends; the second time its `completed` becomes readable. */
export function complete(world: World, response: SimResponse, time: number): void {
  const { survey, odd } = response;
  const again = response.endedAt !== undefined;
  response.endedAt ??= time;
  const readable = odd !== "unreadable" && (odd !== "unreadable-first" || again);
  const wasListed = response.listed;
  const listedOpenSince = wasListed ? response.readOpenAt : undefined;
  if (response.listed) remove(survey, response);
  addVersion(world, response, readable ? "completed" : "unreadable", time);
  list(world, response, time);
  const counted = again ? false : countChange(world, survey, { completed: 1 });
  if (!readable) return;
  response.completedAt = time;
  for (const detail of ["metrics", "metadata", "single"] as const) {
    response[detail] = fromMoment(response[detail], time);
    if (Number.isFinite(response[detail].presentFrom)) world.meet(`${detail}:late`);
    else if (response[detail].presentFrom > time) world.meet(`${detail}:never`);
  }
  const isFirst = !wasListed && survey.listed.at(-1) === response;
  response.noticed = { ...placeOf(response), isFirst, counted, listedOpenSince };
  if (!wasListed && !response.noticed.atHead && time - response.startedAt > 600_000) {
    world.meet("unlisted-late-completion");
  }
}

function fromMoment({ presentFrom, failsUntil, ...detail }: Detail, time: number): Detail {
  return { ...detail, presentFrom: presentFrom + time, failsUntil: failsUntil + time };
}

export function change(world: World, response: SimResponse, kind: "grows" | "edited", time: number): void {
  const version = response.versions.at(-1);
  if (version === undefined || !response.listed) return;
  world.meet(kind);
  if (kind === "grows") response.answers += 1 + (response.id % 4);
  else response.edition += 1;
  addVersion(world, response, version.state, time);
  changed(response.survey);
}

export function removeResponse(world: World, response: SimResponse): void {
  world.meet("deleted");
  world.trace?.(() => `response ${response.survey.id}/${response.id} is deleted`);
  remove(response.survey, response);
  response.removedAt = world.scheduler.now();
  countChange(world, response.survey, { removed: 1 });
}

function addVersion(world: World, response: SimResponse, state: Version["state"], from: number): void {
  const records = recordsOf(response, state, world.plan.clock, response.edition);
  response.versions.push({ from, state, records });
  world.trace?.(() => `response ${response.survey.id}/${response.id} is ${state}, ${records.length} records`);
}

function list(world: World, response: SimResponse, time: number): void {
  response.listedFrom ??= time;
  insert(response.survey, response, world.plan.clock);
}

/** Where it stands from the head, with room for what other responses may push there until it is looked for. */
/** Where a response stands, seen from the head. */
export function placeOf(response: SimResponse): Pick<Noticed, "atHead" | "page"> {
  const { survey } = response;
  const { sortKey } = survey.traits;
  const own = new Set(recordsNow(response));
  const listed = listedRecords(survey, "desc");
  const last = listed.findLastIndex((record) => own.has(record));
  const size = leastPage(survey.traits);
  // Where news do not appear at the head, they push others off it unseen.
  const isHead = sortKey !== "hash" && sortKey !== "reversed";
  // There the poller may have learned to begin at the other end.
  const fromEnd = sortKey === "reversed" ? listed.length - 1 - listed.findIndex((record) => own.has(record)) : 0;
  return { atHead: isHead && last < 0.8 * size, page: Math.floor(Math.max(last, fromEnd) / size) + 2 };
}
