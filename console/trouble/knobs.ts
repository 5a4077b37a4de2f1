import type { EmbeddedAws } from "../../local/aws/index.ts";
import { pause } from "../../local/pause.ts";
import type { Simulator } from "../../local/simulator/index.ts";
import type { Concerned } from "./incidents.ts";
import { freeIdOnPage } from "./places.ts";

/** The parts of the demo that knobs act upon. */
export interface World {
  simulator: Simulator;
  aws: Pick<EmbeddedAws, "use">;
  /** Ends the poller where it stands, as kill -9 does. Gives how many invocations were at work. */
  kill(): Promise<number>;
  /** Makes the counts of the survey list stand still, until what it gives is called. Several at a time end with the last. */
  freezeCounts(): () => void;
  /** Resolves once this response has become an event. */
  emitted(concerned: Concerned): Promise<void>;
  signal: AbortSignal;
}

/** The effect of a knob: its description, which responses have to become events, and when it is over. */
export interface Done {
  what: string;
  concerned: Concerned[];
  calm?: Promise<void>;
}

export interface Knob {
  kind: string;
  title: string;
  /** One letter on the keyboard while the knobs are open. */
  key: string;
  pull(world: World): Promise<Done>;
}

/** Milliseconds. */
const LASTS = { refusal: 20_000, failure: 10_000, slowness: 12_000, patience: 6_000 } as const;
const READERS = 45;
/** So many that whole responses move across the edge of a page. */
const DELETED = 3;
const A_SECOND = 1_100;

/** Completes some responses, so that somebody answers while something is wrong. */
function completeSome({ simulator }: World, each = 1): Concerned[] {
  return simulator
    .surveyIds()
    .flatMap((surveyId) => simulator.complete(surveyId, each).map((responseId) => ({ surveyId, responseId })));
}

function largestSurvey({ simulator }: World): number {
  const ids = simulator.surveyIds();
  const size = (id: number): number => simulator.tally(id).completed;
  return ids.reduce((most, id) => (size(id) > size(most) ? id : most), ids[0] ?? 0);
}

/** Ends with the run: then there is nobody left to wait for. */
async function during(milliseconds: number, signal: AbortSignal, end: () => void): Promise<void> {
  await pause(milliseconds, signal);
  end();
}

async function late(world: World): Promise<Done> {
  const surveyId = largestSurvey(world);
  const place = freeIdOnPage(world.simulator, surveyId, 3);
  const [responseId = 0] = world.simulator.complete(surveyId, 1, place);
  const what = `Response ${responseId}, begun days ago, has completed on page ${place.page}.`;
  return { what, concerned: [{ surveyId, responseId }] };
}

/** More than a page of news: whoever reads them has to turn a page, and meanwhile all of them move up. */
async function deleteWhileRead(world: World): Promise<Done> {
  const { simulator } = world;
  const surveyId = largestSurvey(world);
  // A second in which nothing else completes: the poller with a cursor is to stumble over nothing but the pages.
  await during(A_SECOND, world.signal, () => undefined);
  const news = simulator.complete(surveyId, READERS);
  const newest = news.toSorted((a, b) => b - a).slice(0, DELETED);
  const left = news.filter((responseId) => !newest.includes(responseId));
  const read = Promise.withResolvers<void>();
  const unhook = simulator.onPageRead((id, page) => {
    if (id !== surveyId || page !== 1) return;
    unhook();
    for (const responseId of newest) simulator.remove(surveyId, responseId);
    read.resolve();
  });
  const what = `${news.length} responses have completed, more than a page. The ${DELETED} newest are deleted right after page 1 was read: all others move up.`;
  return { what, concerned: left.map((responseId) => ({ surveyId, responseId })), calm: read.promise };
}

async function lie(world: World): Promise<Done> {
  const { simulator } = world;
  const surveyId = largestSurvey(world);
  const thaw = world.freezeCounts();
  const concerned = simulator.complete(surveyId, 3).map((responseId) => ({ surveyId, responseId }));
  const found = Promise.all(concerned.map(world.emitted)).then(thaw);
  return { what: "The survey list's counts stand still while 3 responses complete.", concerned, calm: found };
}

async function refuse(world: World): Promise<Done> {
  const clear = world.simulator.fault({ kind: "status", status: 429, retryAfter: LASTS.refusal / 1_000 });
  const concerned = completeSome(world);
  const what = "Every request is refused for 20 s (429), while responses complete.";
  return { what, concerned, calm: during(LASTS.refusal, world.signal, clear) };
}

async function fail(world: World): Promise<Done> {
  const clear = world.simulator.fault({ kind: "status", status: 500 });
  const concerned = completeSome(world);
  const what = "Every request fails for 10 s (500), while responses complete.";
  return { what, concerned, calm: during(LASTS.failure, world.signal, clear) };
}

async function slow(world: World): Promise<Done> {
  const clear = world.simulator.fault({ kind: "latency", ms: [800, 2_000] });
  const concerned = completeSome(world);
  const what = "Every answer takes up to 2 s for 12 s, while responses complete.";
  return { what, concerned, calm: during(LASTS.slowness, world.signal, clear) };
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
    await during(1_500, world.signal, restore);
  };
  return { what, concerned, calm: hit() };
}

async function kill(world: World): Promise<Done> {
  const { simulator } = world;
  const killed = Promise.withResolvers<void>();
  let isStruck = false;
  const strike = (): void => {
    unhook();
    if (isStruck) return;
    isStruck = true;
    void world.kill().then(() => killed.resolve());
  };
  const unhook = simulator.onPageRead(strike);
  void during(LASTS.patience, world.signal, strike);
  const concerned = completeSome(world);
  const what = "The poller is killed in the middle of its work, right after it was given a page.";
  return { what, concerned, calm: killed.promise };
}

export const knobs: readonly Knob[] = [
  { kind: "late", title: "Complete late, page 3", key: "1", pull: late },
  { kind: "delete", title: "Delete while it reads", key: "2", pull: deleteWhileRead },
  { kind: "counts", title: "Lie about counts", key: "3", pull: lie },
  { kind: "429", title: "429 for 20 s", key: "4", pull: refuse },
  { kind: "500", title: "500 for 10 s", key: "5", pull: fail },
  { kind: "slow", title: "Slow for 12 s", key: "6", pull: slow },
  { kind: "token", title: "Revoke the token", key: "7", pull: revoke },
  { kind: "answer", title: "PutEvents unanswered", key: "8", pull: loseAnswer },
  { kind: "kill", title: "kill −9 the poller", key: "9", pull: kill },
];

/** All of them, one right after the other. */
export const ALL = { kind: "all", title: "All at once", key: "0" } as const;
