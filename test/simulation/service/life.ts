import { START } from "../plan/plan.ts";
import type { ResponsePlan, SurveyPlan } from "../plan/surveys.ts";
import type { World } from "../world.ts";
import { change, complete, removeResponse, start } from "./changes.ts";
import { changed, sortAgain } from "./listing.ts";
import type { SimResponse, SimSurvey } from "./survey-model.ts";

/** Everything that is going to change at the service, in the order of time. */
export interface Life {
  /** Lets the next change happen now, if it is near: so that changes fall between any two reads. */
  hurry(): void;
}

interface Coming {
  time: number;
  run: () => void;
}

/** A change may be brought forward by this share of a tick. */
const NEAR = 2;

/** Brings the service into being as it was at the beginning, and plans what happens from then on. */
export function bringToLife(world: World): Life {
  const coming: Coming[] = [];
  const { scheduler, plan, livenessFrom } = world;
  const at = (time: number, run: () => void): void => {
    if (time <= livenessFrom) coming.push({ time, run });
  };
  for (const surveyPlan of plan.surveys) {
    const survey = createSurvey(surveyPlan, scheduler.now);
    if (surveyPlan.isDeep) world.meet("late-deep");
    at(START + surveyPlan.createdAt, () => {
      world.surveys.set(survey.id, survey);
      world.trace?.(() => `survey ${survey.id} is created`);
    });
    planSurveyLife(world, survey, surveyPlan, at);
    for (const responsePlan of surveyPlan.responses) planResponseLife(world, survey, responsePlan, at);
  }
  coming.sort((a, b) => a.time - b.time);
  let next = 0;
  const runNext = (): void => {
    const one = coming[next];
    next += 1;
    one?.run();
  };
  // What lies before the beginning has happened when the history begins.
  for (let one = coming[next]; one !== undefined && one.time <= START; one = coming[next]) runNext();
  for (const one of coming.slice(next)) {
    scheduler.at(one.time, () => {
      const due = coming[next];
      if (due !== undefined && due.time <= scheduler.now()) runNext();
    });
  }
  return {
    hurry() {
      const one = coming[next];
      if (one !== undefined && one.time <= scheduler.now() + NEAR * plan.source.interval) runNext();
    },
  };
}

function createSurvey(plan: SurveyPlan, now: () => number): SimSurvey {
  return {
    id: plan.id,
    now,
    createdAt: START + plan.createdAt,
    oddCreated: plan.oddCreated,
    traits: plan.traits,
    words: plan.words,
    responses: [],
    listed: [],
    orphans: [],
    flat: undefined,
    flatDesc: undefined,
    past: [],
    isCopysTurn: false,
    counted: { started: 0, completed: 0 },
    shown: { started: 0, completed: 0 },
    hidden: false,
    gone: false,
    goneFrom: Infinity,
    goneTo: Infinity,
    failsFrom: Infinity,
    emptyAt: -Infinity,
    firstReadAt: undefined,
  };
}

function planSurveyLife(
  world: World,
  survey: SimSurvey,
  plan: SurveyPlan,
  at: (time: number, run: () => void) => void,
): void {
  for (const [i, time] of plan.orphansAt.entries()) {
    at(START + Math.max(time, plan.createdAt), () => {
      world.meet("orphan-records");
      const id = [null, "n/a", -1][i % 3];
      survey.orphans.push(Object.freeze({ responseId: id, surveyId: survey.id, completed: 1, questionId: i }));
      changed(survey);
    });
  }
  for (const flip of plan.flips) {
    at(START + flip.at, () => {
      world.meet(flip.name);
      world.trace?.(() => `survey ${survey.id} flips: ${JSON.stringify(flip.change)}`);
      survey.traits = { ...survey.traits, ...flip.change };
      sortAgain(survey, world.plan.clock);
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

function planResponseLife(
  world: World,
  survey: SimSurvey,
  plan: ResponsePlan,
  at: (time: number, run: () => void) => void,
): void {
  let response: SimResponse | undefined;
  const then = (time: number, work: (one: SimResponse, time: number) => void): void =>
    at(time, () => {
      // Brought forward it happens now; what lay before the beginning happened then.
      if (response?.removedAt === undefined && response !== undefined) work(response, earlier(world, time));
    });
  const startsAt = START + plan.startsAt;
  at(startsAt, () => {
    response = start(world, survey, plan, earlier(world, startsAt));
  });
  if (plan.completesAt === undefined) return;
  const ends = START + plan.completesAt;
  then(ends, (one, time) => complete(world, one, time));
  // What was there long before the history is not worth a change before it.
  const base = Math.max(START, ends);
  const { growsAfter, editedAfter, deletedAfter } = plan;
  if (plan.odd === "unreadable-first")
    then(base + 3 * world.plan.source.interval, (one, time) => complete(world, one, time));
  if (growsAfter !== undefined) then(base + growsAfter, (one, time) => change(world, one, "grows", time));
  if (editedAfter !== undefined) then(base + editedAfter, (one, time) => change(world, one, "edited", time));
  if (deletedAfter !== undefined) then(base + deletedAfter, (one) => removeResponse(world, one));
}

const earlier = (world: World, time: number): number => Math.min(world.scheduler.now(), Math.floor(time));
