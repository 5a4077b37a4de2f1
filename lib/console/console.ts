import { randomUUID } from "node:crypto";
import { answerAsCalled, asCalled } from "../cli/called-as.ts";
import type { Target } from "../cli/target/target.ts";
import type { ExplainAnswer } from "../cli/verbs/explain/story.ts";
import { readStory } from "../cli/verbs/explain/verb.ts";
import { oneLine } from "../errors.ts";
import type { EmbeddedAws, EventEnvelope } from "../local/aws/index.ts";
import { pause } from "../local/pause.ts";
import { runShadow, type Simulator } from "../local/simulator/index.ts";
import { type Asked, act } from "./actions.ts";
import { createApp, serve, tokenFor } from "./app.ts";
import { bundleOnce } from "./assets.ts";
import { followWork } from "./at-work.ts";
import type { Flag, Ground } from "./changes.ts";
import { createEvents } from "./events.ts";
import { createFeed, FRAME_EVERY } from "./feed.ts";
import { keepLooking } from "./look.ts";
import { matchedBy, type RuleView, readRules } from "./rules.ts";
import { type Story, storyOf } from "./story.ts";
import { createTrouble } from "./trouble.ts";

/** The parts that a demo has beside a poller: a service and an AWS in which troubles can be made, and a poller that can be killed. */
export interface Demo {
  simulator: Simulator;
  aws: Pick<EmbeddedAws, "use">;
  kill(): Promise<number>;
}

export interface ConsoleOptions extends Omit<Ground, "run" | "troubles"> {
  /** The port to use, or the next that is free. */
  port: number;
  demo?: Demo | undefined;
  /** Where the token is kept; without it each page has one of its own. */
  folder?: string | undefined;
}

/** The live page of a poller. */
export type LiveConsole = Awaited<ReturnType<typeof startConsole>>;

/** Milliseconds between two looks at what the function does. */
const EVERY = 1_000;
/** Milliseconds in which the pages hear of the end. */
const LAST_WORD = 2 * FRAME_EVERY;

export async function startConsole({ port, demo, folder, ...ground }: ConsoleOptions) {
  const stop = new AbortController();
  const token = tokenFor(folder);
  const events = createEvents();
  const work = followWork();
  const shadow = demo === undefined ? undefined : runShadow(demo.simulator);
  /** Something to be seen on the strip. */
  const flag = (kind: Flag["kind"], text: string): void => feed.tell({ flagged: [{ at: Date.now(), kind, text }] });
  const trouble =
    demo &&
    shadow &&
    createTrouble({
      ...{ simulator: demo.simulator, aws: demo.aws, shadow, signal: stop.signal },
      async kill() {
        await demo.kill();
        flag("restart", "poller killed");
      },
      tell: (incidents) => feed.tell({ incidents }),
      flag: (text) => flag("trouble", text),
    });
  const feed = createFeed({ run: randomUUID(), ...ground, troubles: trouble?.list ?? [] });

  const timer = setInterval(() => {
    const now = Date.now();
    feed.tell({
      points: [work.point(now)],
      activities: work.activities(now),
      requestsToday: ground.elsewhere === null ? work.requestsToday() : null,
      shadow: shadow?.view(events.repeated()) ?? null,
    });
  }, EVERY);
  timer.unref();

  let target: Target | undefined;
  const io = { now: Date.now, say: () => undefined, signal: stop.signal };
  const rules = async (): Promise<RuleView[]> => (target === undefined ? [] : readRules(target));

  async function story(eventId: string): Promise<Story | undefined> {
    const found = events.find(eventId);
    if (found === undefined) return undefined;
    const { row, envelope } = found;
    const { responseId: id, surveyId: survey, source } = row;
    const explained = async (): Promise<ExplainAnswer | undefined> => {
      if (target === undefined || id === null || survey === null) return undefined;
      const of = { by: { id }, survey, source: source ?? undefined, ask: false };
      return answerAsCalled(await readStory(target, of, io), ground.command);
    };
    const matched = rules().then((all) => matchedBy(envelope, all));
    // What cannot be read is left out.
    const none = (): undefined => undefined;
    const [told, names] = await Promise.all([explained().catch(none), matched.catch(none)]);
    return storyOf({ row, told, rules: names, flags: feed.snapshot().flagged, now: Date.now() });
  }

  async function action(of: Asked): Promise<string[]> {
    if (target === undefined) return ["The poller is being loaded: try again in a moment."];
    flag("action", `${of.kind} asked for on this page`);
    const lines = await act(of, target, io).catch((error: unknown) => [oneLine(error, () => `${of.kind} failed`)]);
    const said = lines.map((line) => asCalled(line, ground.command));
    for (const line of said) flag("action", line);
    return said;
  }

  const app = createApp({
    ...{ feed, events, assets: bundleOnce(), token, rules, story },
    action: ground.mayAct ? action : undefined,
    pull: trouble?.pull,
  });
  const server = await serve(app, port);
  return {
    /** With the token, without which the page shows nothing. */
    url: `http://127.0.0.1:${server.port}/#${token}`,
    event(envelope: EventEnvelope): void {
      const row = events.add(envelope, Date.now());
      if (row.lag !== null && row.type === "response.completed") work.lag(row.lag, row.at);
      feed.tell({ events: [row] });
      shadow?.event(row);
      trouble?.event(row);
    },
    flag,
    /** From now on the state can be read. */
    ready(opened: Target): void {
      target = opened;
      void keepLooking(opened, feed, events, { signal: stop.signal, command: ground.command });
    },
    /** Tells the pages that it ends: with what could not go on, or as it should. */
    async close(cause?: string): Promise<void> {
      feed.tell({ ended: { at: Date.now(), cause: cause ?? null } });
      if (feed.readers() > 0) await pause(LAST_WORD, stop.signal);
      stop.abort();
      clearInterval(timer);
      work.stop();
      await server.close();
    },
  };
}
