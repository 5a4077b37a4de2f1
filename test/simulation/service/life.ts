import { createModel, type Model } from "../../../lib/local/simulator/model.ts";
import type { ResponseOverrides } from "../../../lib/local/simulator/responses.ts";
import { mix } from "../engine/random.ts";
import { START } from "../plan/plan.ts";
import type { ResponsePlan, SurveyPlan } from "../plan/surveys.ts";
import type { World } from "../world.ts";
import { aheadBy, deviationOf } from "./odd-records.ts";
import { settingsOf } from "./settings.ts";
import {
  BEHIND,
  type Detail,
  editionNow,
  isListed,
  type Json,
  leastPage,
  listedRecords,
  type Noticed,
  type SimResponse,
  type SimSurvey,
  type Version,
} from "./survey-model.ts";

interface Coming {
  time: number;
  run: () => void;
}

/** A change may be brought forward by this share of a tick. */
const NEAR = 2;
/** Ids above all those of responses, for records that belong to none. */
const ORPHANS = 2 ** 39;

export type Life = ReturnType<typeof bringToLife>;

/** Brings the service into being as it was at the beginning, and plans everything that is going to change from then on, in the order of time. */
export function bringToLife(world: World) {
  const coming: Coming[] = [];
  const { scheduler, plan, livenessFrom } = world;
  /** What lies before the beginning happens before it; what is brought forward happens now. */
  let past = Infinity;
  const now = (): number => Math.min(past, scheduler.now());
  const at = (time: number, run: () => void): void => {
    if (time <= livenessFrom) coming.push({ time: Math.floor(time), run });
  };
  for (const surveyPlan of plan.surveys) {
    const survey = createSurvey(world, surveyPlan, now);
    if (surveyPlan.isDeep) world.meet("late-deep");
    const changes = createChanges(world, survey, now);
    at(START + surveyPlan.createdAt, () => {
      changes.edit();
      world.surveys.set(survey.id, survey);
      world.trace?.(() => `survey ${survey.id} is created`);
    });
    planSurveyLife(world, survey, surveyPlan, at, changes);
    for (const responsePlan of surveyPlan.responses) planResponseLife(world, responsePlan, at, changes);
  }
  coming.sort((a, b) => a.time - b.time);
  let next = 0;
  const runNext = (): void => {
    const one = coming[next];
    next += 1;
    past = one?.time ?? Infinity;
    one?.run();
    past = Infinity;
  };
  for (let one = coming[next]; one !== undefined && one.time <= START; one = coming[next]) runNext();
  for (const one of coming.slice(next)) {
    scheduler.at(one.time, () => {
      const due = coming[next];
      if (due !== undefined && due.time <= scheduler.now()) runNext();
    });
  }
  return {
    /** Lets the next change happen now, if it is near: so that changes fall between any two reads. */
    hurry(): void {
      const one = coming[next];
      if (one !== undefined && one.time <= scheduler.now() + NEAR * plan.source.interval) runNext();
    },
  };
}

function createSurvey(world: World, plan: SurveyPlan, now: () => number): SimSurvey {
  const { id, traits, words } = plan;
  const createdAt = START + plan.createdAt;
  const told = { id, plan, traits, words, orphans: 0 };
  const modelOf = (): Model =>
    createModel({
      seed: world.plan.seed,
      now,
      settings: settingsOf(told, world.plan.clock, now),
      surveys: [{ surveyId: id, name: `Survey ${id}`, createdAt }],
    });
  return Object.assign(told, {
    model: modelOf(),
    ...(traits.replicas ? { copy: modelOf() } : {}),
    isCopysTurn: false,
    responses: [],
    editions: [],
    hidden: false,
    gone: false,
    goneFrom: Infinity,
    goneTo: Infinity,
    failsFrom: Infinity,
    emptyAt: -Infinity,
  });
}

type At = (time: number, run: () => void) => void;

type Changes = ReturnType<typeof createChanges>;

/** What may happen to a survey and its responses, now. */
function createChanges(world: World, survey: SimSurvey, now: () => number) {
  const { scheduler, plan } = world;
  const { id: surveyId, model, copy } = survey;

  /** What the service knows a copy learns later. */
  const apply = (change: (model: Model) => void): void => {
    change(model);
    if (copy === undefined) return;
    if (scheduler.now() === START) change(copy);
    else scheduler.at(scheduler.now() + BEHIND, () => change(copy));
  };

  const addVersion = (response: SimResponse, state: Version["state"]): void => {
    const records = model.records(surveyId, response.id) as readonly Json[];
    const truth = model.truthOf(surveyId, response.id);
    const [metrics = {}] = (truth?.metrics ?? []) as object[];
    const [metadata] = (truth?.metadata ?? []) as { ip: string }[];
    if (metadata !== undefined) response.ip = metadata.ip;
    response.versions.push({ from: now(), state, records, metrics: Object.values(metrics) });
    if (isListed(response)) response.listedFrom ??= now();
    world.trace?.(() => `response ${surveyId}/${response.id} is ${state}, ${records.length} records`);
  };

  return {
    start({ id, answers, odd, completesAt, single, metrics, metadata }: ResponsePlan): SimResponse {
      const response: SimResponse = {
        id,
        survey,
        startedAt: now(),
        answers,
        odd,
        grown: 0,
        versions: [],
        single,
        metrics,
        metadata,
      };
      survey.responses.push(response);
      world.responses.set(id, response);
      if (odd !== undefined) world.meet(`odd:${odd}`);
      if (completesAt === undefined) world.meet("stays-open");
      const overrides = {
        responseId: id,
        startedAt: now(),
        patch: deviationOf(odd),
        crk: id % 3 === 0 ? `crk-${id}` : null,
        ...recordsOf(response),
      };
      apply((one) => one.start(surveyId, 1, overrides));
      addVersion(response, "open");
      return response;
    },
    /** The first time it ends; the second time its `completed` becomes readable. */
    complete(response: SimResponse): void {
      const { id, odd } = response;
      const again = response.endedAt !== undefined;
      const wasListed = isListed(response);
      response.endedAt ??= now();
      const completedAt = response.endedAt + aheadBy(odd);
      if (again) apply((one) => one.edit(surveyId, id, { patch: {} }));
      else apply((one) => one.finish(surveyId, id, { completedAt }));
      const readable = odd !== "unreadable" && (odd !== "unreadable-first" || again);
      addVersion(response, readable ? "completed" : "unreadable");
      if (!readable) return;
      response.completedAt = now();
      for (const detail of ["metrics", "metadata", "single"] as const) {
        response[detail] = fromMoment(response[detail], now());
        if (Number.isFinite(response[detail].presentFrom)) world.meet(`${detail}:late`);
        else if (response[detail].presentFrom > now()) world.meet(`${detail}:never`);
      }
      const counted = !again && ["right", "one", "starts"].includes(survey.traits.counts);
      response.noticed = {
        ...placeOf(response, wasListed),
        counted,
        listedOpenSince: wasListed ? response.readOpenAt : undefined,
      };
      if (!wasListed && !response.noticed.atHead && now() - response.startedAt > 600_000)
        world.meet("unlisted-late-completion");
    },
    change(response: SimResponse, kind: "grows" | "edited"): void {
      const version = response.versions.at(-1);
      if (version === undefined || !isListed(response)) return;
      world.meet(kind);
      if (kind === "grows") {
        const more = 1 + (response.id % 4);
        response.answers += more;
        response.grown += more;
        const records = recordsOf(response);
        apply((one) => one.edit(surveyId, response.id, records));
      } else apply((one) => one.edit(surveyId, response.id));
      addVersion(response, version.state);
    },
    remove(response: SimResponse): void {
      world.meet("deleted");
      world.trace?.(() => `response ${surveyId}/${response.id} is deleted`);
      apply((one) => one.remove(surveyId, response.id));
      response.removedAt = scheduler.now();
    },
    addOrphan(responseId: unknown): void {
      world.meet("orphan-records");
      survey.orphans += 1;
      const overrides = { responseId: ORPHANS + survey.orphans, records: 1, patch: { responseId } };
      const dates = { startedAt: now(), completedAt: now() };
      apply((one) => one.complete(surveyId, 1, { ...overrides, ...dates }));
    },
    flip(change: Partial<SimSurvey["traits"]>): void {
      world.trace?.(() => `survey ${surveyId} flips: ${JSON.stringify(change)}`);
      survey.traits = { ...survey.traits, ...change };
      apply((one) => one.set(settingsOf(survey, plan.clock, now)));
    },
    edit(): void {
      if (survey.editions.length > 0) model.editSurvey(surveyId);
      survey.editions.push(editionNow(survey, now()));
    },
  };
}

/** The records that a response has by now: those that it has got later answer the question of the last one anew. */
function recordsOf({ answers, grown, survey }: SimResponse): Pick<ResponseOverrides, "records" | "repeat"> {
  const begun = answers - grown;
  if (!survey.traits.twins) return { records: begun, repeat: { copies: grown, identical: false, slot: begun - 1 } };
  const equal = Math.floor(begun / 2);
  return { records: begun - equal, repeat: { copies: equal + grown, identical: true, slot: 0 } };
}

function fromMoment({ presentFrom, failsUntil, ...detail }: Detail, time: number): Detail {
  return { ...detail, presentFrom: presentFrom + time, failsUntil: failsUntil + time };
}

/** Where a response stands, seen from the head, with room for what other responses may push there until it is looked for. */
function placeOf({ id, survey }: SimResponse, wasListed: boolean): Pick<Noticed, "atHead" | "isFirst"> {
  const { sortKey } = survey.traits;
  const listed = listedRecords(survey).map(({ responseId }) => Number(responseId));
  // Where news do not appear at the head, they push others off it unseen.
  const isHead = sortKey !== "hash" && sortKey !== "reversed";
  return {
    atHead: isHead && listed.lastIndexOf(id) < 0.8 * leastPage(survey.traits),
    isFirst: !wasListed && listed.indexOf(id) === 0,
  };
}

function planSurveyLife(world: World, survey: SimSurvey, plan: SurveyPlan, at: At, changes: Changes): void {
  const { editedEvery } = plan.words;
  const phase = mix(survey.id, 5) % editedEvery;
  for (let time = START - phase - 3 * editedEvery; time < world.livenessFrom; time += editedEvery)
    if (time > START + plan.createdAt) at(time, changes.edit);
  for (const [i, time] of plan.orphansAt.entries())
    at(START + Math.max(time, plan.createdAt), () => changes.addOrphan([null, "n/a", -1][i % 3]));
  for (const flip of plan.flips) {
    at(START + flip.at, () => {
      world.meet(flip.name);
      changes.flip(flip.change);
    });
  }
  const during = (span: SurveyPlan["gone"], field: "hidden" | "gone"): void => {
    if (span === undefined) return;
    const set = (value: boolean) => (): void => {
      if (value) world.meet(`survey-${field}`);
      world.trace?.(() => `survey ${survey.id} ${field}: ${value}`);
      survey[field] = value;
      if (field === "gone") survey[value ? "goneFrom" : "goneTo"] = world.scheduler.now();
    };
    at(START + span.from, set(true));
    at(Math.min(START + span.to, world.livenessFrom), set(false));
  };
  during(plan.hidden, "hidden");
  during(plan.gone, "gone");
  if (plan.broken === undefined) return;
  const { from, to, page } = plan.broken;
  const setFails = (first: number) => (): void => {
    if (first === page) world.meet("pages-fail");
    world.trace?.(() => `survey ${survey.id} fails from page ${first} on`);
    survey.failsFrom = first;
  };
  at(START + from, setFails(page));
  at(Math.min(START + to, world.livenessFrom), setFails(Infinity));
}

function planResponseLife(world: World, plan: ResponsePlan, at: At, changes: Changes): void {
  let response: SimResponse | undefined;
  const then = (time: number, work: (one: SimResponse) => void): void =>
    at(time, () => {
      if (response !== undefined && response.removedAt === undefined) work(response);
    });
  at(START + plan.startsAt, () => {
    response = changes.start(plan);
  });
  if (plan.completesAt === undefined) return;
  const ends = START + plan.completesAt;
  then(ends, changes.complete);
  // What was there long before the history is not worth a change before it.
  const base = Math.max(START, ends);
  const { growsAfter, editedAfter, deletedAfter } = plan;
  if (plan.odd === "unreadable-first") then(base + 3 * world.plan.source.interval, changes.complete);
  if (growsAfter !== undefined) then(base + growsAfter, (one) => changes.change(one, "grows"));
  if (editedAfter !== undefined) then(base + editedAfter, (one) => changes.change(one, "edited"));
  if (deletedAfter !== undefined) then(base + deletedAfter, changes.remove);
}
