import type { EmbeddedAws } from "../local/aws/index.ts";
import { pause } from "../local/pause.ts";
import { type Followed, responseKey, type Shadow, type Simulator } from "../local/simulator/index.ts";
import type { EventRow, Incident } from "./changes.ts";

interface TroubleOptions extends Omit<World, "counts">, IncidentsOptions {
  simulator: Simulator;
  /** To be seen on the strip. */
  flag(text: string): void;
}

/** All of them, one right after the other. */
const ALL = { kind: "all", title: "All at once" };

export function createTrouble({ tell, flag, shadow, ...given }: TroubleOptions) {
  const incidents = createIncidents({ ...given, shadow, tell });
  const world = { ...given, counts: given.simulator.settings().counts };
  return {
    list: [...knobs, ALL].map(({ kind, title }, i) => ({ kind, title, key: String((i + 1) % 10) })),
    /** False where there is no such trouble. */
    async pull(kind: string): Promise<boolean> {
      const chosen = kind === ALL.kind ? knobs : knobs.filter((knob) => knob.kind === kind);
      await Promise.all(
        chosen.map(async (knob) => {
          flag(knob.title);
          void incidents.open(knob, await knob.pull(world));
        }),
      );
      return chosen.length > 0;
    },
    event: incidents.event,
  };
}

interface IncidentsOptions extends Pick<World, "signal"> {
  simulator: Pick<Simulator, "counters">;
  shadow: Pick<Shadow, "fate">;
  /** Gets all cards, whenever one has changed. */
  tell(incidents: Incident[]): void;
}

/** Milliseconds for which the poller with the cursor may take its time after this one has found everything. */
const SHADOW_PATIENCE = 8_000;
const LOOK_EVERY = 250;
/** Cards that are kept. */
const MOST = 50;

/** Incident cards, which close when their responses have come to an end. */
export function createIncidents({ simulator, shadow, signal, tell }: IncidentsOptions) {
  /** What each incident that is not over does at the event of a response, which has this key. */
  const open = new Set<(key: string, event: EventRow) => void>();
  const cards = new Map<number, Incident>();
  const requests = (): number => simulator.counters().requests ?? 0;
  let made = 0;

  function show(card: Incident): void {
    cards.set(card.id, card);
    tell([...cards.values()].slice(-MOST));
  }

  return {
    /** Opens a card. It is closed once everything concerned has its event and `calm` has come. */
    async open({ kind, title }: Pick<Knob, "kind" | "title">, { what, concerned, calm, end }: Done): Promise<void> {
      made += 1;
      const openedAt = Date.now();
      const incident: Incident = { id: made, kind, title, what, openedAt, left: concerned.length };
      const keys = new Set(concerned.map(responseKey));
      const left = new Set(keys);
      const requestsBefore = requests();
      const found = Promise.withResolvers<void>();
      /** When all was found, and after how many requests. */
      let foundAt = openedAt;
      let asked = 0;
      let repeated = 0;
      const hear = (key: string, { at, isRepeat }: EventRow): void => {
        if (isRepeat && keys.has(key)) repeated += 1;
        if (!left.delete(key)) return;
        foundAt = at;
        asked = requests() - requestsBefore;
        show({ ...incident, left: left.size });
        if (left.size === 0) found.resolve();
      };
      if (keys.size === 0) found.resolve();
      open.add(hear);
      show(incident);
      await Promise.allSettled([calm, found.promise]);
      const fates = () => concerned.map(({ surveyId, responseId }) => shadow.fate(surveyId, responseId));
      while (fates().includes("onTheWay") && Date.now() - foundAt < SHADOW_PATIENCE && !signal.aborted) {
        await pause(LOOK_EVERY, signal);
      }
      open.delete(hear);
      end?.();
      const all = keys.size === 1 ? "Found" : `All ${keys.size} found`;
      const took = ((foundAt - openedAt) / 1_000).toFixed(1);
      const again = repeated === 0 ? "" : ` ${repeated} came twice, under the same event id.`;
      // Of a card that closes nothing is lost: it stays open until then.
      const sentence = `${all} after ${took} s, ${asked} requests. Lost 0.${again} ${ofShadow(fates())}`;
      show({ ...incident, left: 0, closed: { foundAt, sentence } });
    },
    event(event: EventRow): void {
      if (event.type === "response.completed") for (const hear of open) hear(responseKey(event), event);
    },
  };
}

function ofShadow(fates: readonly unknown[]): string {
  const which = (wanted: string): number | "it" => {
    const count = fates.filter((fate) => fate === wanted).length;
    return fates.length === 1 && count === 1 ? "it" : count;
  };
  if (fates.includes("onTheWay")) return `The cursor poller has not found ${which("onTheWay")} yet.`;
  return `The cursor poller missed ${which("missed") || "none"}.`;
}

export interface World {
  simulator: Simulator;
  aws: Pick<EmbeddedAws, "use">;
  /** Ends the poller where it stands, as kill -9 does. */
  kill(): Promise<void>;
  /** How the survey list counts when nobody lies. */
  counts: ReturnType<Simulator["settings"]>["counts"];
  signal: AbortSignal;
}

/** A response that a trouble concerns: it has to become an event. */
type Concerned = Pick<Followed, "surveyId" | "responseId">;

/** The effect of a knob: its description, which responses have to become events, and when it is over. */
export interface Done {
  what: string;
  concerned: Concerned[];
  calm?: Promise<void>;
  /** Called when the card closes. */
  end?: (() => void) | undefined;
}

export interface Knob {
  kind: string;
  title: string;
  pull(world: World): Promise<Done>;
}

const READERS = 45;
/** So many that whole responses move across the edge of a page. */
const DELETED = 3;

/** Completes some responses in each survey, so that somebody answers while something is wrong. */
function completeSome({ simulator }: World): Concerned[] {
  return simulator.surveyIds().flatMap((surveyId) => completeIn(simulator, surveyId, 1));
}

function completeIn(simulator: Simulator, surveyId: number, count: number): Concerned[] {
  return simulator.complete(surveyId, count).map((responseId) => ({ surveyId, responseId }));
}

function largestSurvey({ surveyIds, tally }: Simulator): number {
  return surveyIds().sort((a, b) => tally(b).completed - tally(a).completed)[0] ?? 0;
}

/** A fault of the service while responses complete. It ends with the run too: then there is nobody left to wait for. */
function faulty(fault: Parameters<Simulator["fault"]>[0], milliseconds: number, what: string): Knob["pull"] {
  return async (world) => {
    const clear = world.simulator.fault(fault);
    const calm = pause(milliseconds, world.signal).then(clear);
    return { what: `${what}, while responses complete.`, concerned: completeSome(world), calm };
  };
}

async function late(world: World): Promise<Done> {
  const surveyId = largestSurvey(world.simulator);
  const place = freeIdOnPage(world.simulator, surveyId, 3);
  const [responseId = 0] = world.simulator.complete(surveyId, 1, place);
  const what = `Response ${responseId}, begun days ago, has completed on page ${place.page}.`;
  return { what, concerned: [{ surveyId, responseId }] };
}

/** A free response id on a page of the list, or on one behind it; with it, when such a response has begun. */
function freeIdOnPage(simulator: Simulator, surveyId: number, from: number) {
  const all = simulator.surveyIds();
  const isTaken = (id: number): boolean =>
    all.some((survey) => simulator.truthOf(survey, id) !== undefined || simulator.openIds(survey).includes(id));
  for (let page = from; ; page += 1) {
    const records = simulator.peek(surveyId, page, "desc").records;
    if (records.length === 0) throw new Error(`no id is free on page ${from} of survey ${surveyId} or behind it`);
    // Its first and last responses may stand on two pages.
    for (const { responseId: taken, dateStart } of records.slice(20, -20)) {
      const responseId = Number(taken) - 1;
      if (!isTaken(responseId)) return { page, responseId, startedAt: Date.parse(`${dateStart}Z`) };
    }
  }
}

/** More than a page of news: whoever reads them has to turn a page, and meanwhile all of them move up. */
async function deleteWhileRead(world: World): Promise<Done> {
  const { simulator } = world;
  const surveyId = largestSurvey(simulator);
  // A second in which nothing else completes: the poller with a cursor is to stumble over nothing but the pages.
  await pause(1_100, world.signal);
  const news = completeIn(simulator, surveyId, READERS).sort((a, b) => b.responseId - a.responseId);
  const read = Promise.withResolvers<void>();
  const unhook = simulator.onPageRead((id, page) => {
    if (id !== surveyId || page !== 1) return;
    unhook();
    for (const { responseId } of news.slice(0, DELETED)) simulator.remove(surveyId, responseId);
    read.resolve();
  });
  const what = `${news.length} responses have completed, more than a page. The ${DELETED} newest are deleted right after page 1 was read: all others move up.`;
  return { what, concerned: news.slice(DELETED), calm: read.promise };
}

async function lie({ simulator, counts }: World): Promise<Done> {
  simulator.set({ counts: { responses: "frozen", correct: "frozen", unpaidResponses: "frozen" } });
  const concerned = completeIn(simulator, largestSurvey(simulator), 3);
  const what = "The survey list's counts stand still while 3 responses complete.";
  return { what, concerned, end: () => simulator.set({ counts }) };
}

async function revoke(world: World): Promise<Done> {
  world.simulator.revokeToken();
  return { what: "The token is a wrong one from now on.", concerned: completeSome(world) };
}

async function loseAnswer(world: World): Promise<Done> {
  let isLost = false;
  const restore = world.aws.use((service, request, response, next) => {
    const isPut = service === "eventbridge" && request.headers["x-amz-target"] === "AWSEvents.PutEvents";
    // Its work is done, and the connection breaks in the place of the answer.
    if (isPut && !isLost) response.end = () => response.destroy();
    isLost ||= isPut;
    next(request, response);
  });
  const concerned = completeSome(world);
  const what = "The bus takes the events, and its answer is lost: nobody knows whether they went out.";
  const hit = async (): Promise<void> => {
    while (!isLost && !world.signal.aborted) await pause(100, world.signal);
    // The bus is asked again within moments.
    await pause(1_500, world.signal);
    restore();
  };
  return { what, concerned, calm: hit() };
}

/** Strikes right after the poller was given a page, or after a few seconds in which it has asked for none. */
async function kill(world: World): Promise<Done> {
  const asked = Promise.withResolvers<void>();
  const unhook = world.simulator.onPageRead(() => asked.resolve());
  const calm = Promise.race([asked.promise, pause(6_000, world.signal)]).then(async () => {
    unhook();
    await world.kill();
  });
  const what = "The poller is killed in the middle of its work, right after it was given a page.";
  return { what, concerned: completeSome(world), calm };
}

const refusal = { kind: "status", status: 429, retryAfter: 20 } as const;

/** In the order of the keys that pull them, from 1 on. */
export const knobs: readonly Knob[] = [
  { kind: "late", title: "Complete late, page 3", pull: late },
  { kind: "delete", title: "Delete while it reads", pull: deleteWhileRead },
  { kind: "counts", title: "Lie about counts", pull: lie },
  { kind: "429", title: "429 for 20 s", pull: faulty(refusal, 20_000, "Every request is refused for 20 s (429)") },
  {
    kind: "500",
    title: "500 for 10 s",
    pull: faulty({ kind: "status", status: 500 }, 10_000, "Every request fails for 10 s (500)"),
  },
  {
    kind: "slow",
    title: "Slow for 12 s",
    pull: faulty({ kind: "latency", ms: [800, 2_000] }, 12_000, "Every answer takes up to 2 s for 12 s"),
  },
  { kind: "token", title: "Revoke the token", pull: revoke },
  { kind: "answer", title: "PutEvents unanswered", pull: loseAnswer },
  { kind: "kill", title: "kill −9 the poller", pull: kill },
];
