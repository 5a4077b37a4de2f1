import { randomBytes, randomUUID } from "node:crypto";
import type { Target } from "../cli/target/target.ts";
import { readStatus } from "../cli/verbs/status/read.ts";
import { oneLine } from "../lib/errors.ts";
import type { EmbeddedAws, EventEnvelope } from "../local/aws/index.ts";
import type { Simulator } from "../local/simulator/index.ts";
import { createApp } from "./app.ts";
import { bundleOnce } from "./assets.ts";
import type { ServiceView, StripPoint } from "./changes.ts";
import { createEvents } from "./events.ts";
import { createFeed } from "./feed.ts";
import { followShadow } from "./follow.ts";
import { observe } from "./observe.ts";
import { type RuleView, readRules } from "./rules.ts";
import { serve } from "./server.ts";
import { createStrip } from "./strip.ts";
import { createTrouble } from "./trouble/trouble.ts";

/** What a demo has beside a poller: a service and an AWS in which troubles can be made, and a poller that can be killed. */
export interface Demo {
  simulator: Simulator;
  aws: Pick<EmbeddedAws, "faults">;
  kill(): Promise<number>;
}

export interface ConsoleOptions {
  /** This one, or the next that is free. */
  port: number;
  /** What is polled, for people. */
  polled: string;
  /** How a command line names the poller. */
  flags: string;
  demo?: Demo | undefined;
}

/** The live page of a run. */
export interface LiveConsole {
  /** With the token, without which the page can only be read. */
  url: string;
  /** An event that the bus has taken. */
  event(envelope: EventEnvelope): void;
  /** From now on the state can be read. */
  ready(target: Target): void;
  close(): Promise<void>;
}

/** Milliseconds between two looks at the state, at least: a long look has a longer pause. */
const LOOK_EVERY = 1_000;
const PAUSE_PER_LOOK = 10;
const POINT_EVERY = 1_000;
/** Milliseconds between two looks whether somebody has opened the page. */
const UNWATCHED = 200;

/** Starts the live page. */
export async function startConsole(options: ConsoleOptions): Promise<LiveConsole> {
  const { demo } = options;
  const stop = new AbortController();
  const token = randomBytes(16).toString("base64url");
  const events = createEvents();
  const strip = createStrip();
  const follower = demo === undefined ? undefined : followShadow(demo.simulator);
  const trouble =
    demo === undefined || follower === undefined
      ? undefined
      : createTrouble({
          simulator: demo.simulator,
          aws: demo.aws.faults,
          shadow: follower.shadow,
          signal: stop.signal,
          kill: async () => {
            const count = await demo.kill();
            feed.tell({ kind: "flag", flag: { at: Date.now(), kind: "restart", text: "poller killed" } });
            return count;
          },
          tell: (incident) => feed.tell({ kind: "incident", incident }),
          flag: (flag) => feed.tell({ kind: "flag", flag }),
        });
  const feed = createFeed({
    ground: {
      run: randomUUID(),
      startedAt: Date.now(),
      polled: options.polled,
      flags: options.flags,
      troubles: trouble?.list ?? [],
    },
  });

  let service: ServiceView = { tokenAt: null, rate: null, requestsToday: 0 };
  let day = dayOf(Date.now());
  let told = "";
  const countRequest = (): void => {
    const today = dayOf(Date.now());
    service = { ...service, requestsToday: today === day ? service.requestsToday + 1 : 1 };
    day = today;
  };
  const ends = [
    observe({
      request({ status }) {
        strip.request(status);
        countRequest();
      },
      activity: (surveyId, activity) => feed.tell({ kind: "activity", surveyId, activity }),
      flag: (flag) => feed.tell({ kind: "flag", flag }),
      token(at) {
        service = { ...service, tokenAt: at };
      },
      rate(perSecond) {
        service = { ...service, rate: perSecond ?? null };
      },
    }),
  ];

  const timer = setInterval(() => {
    feed.tell({ kind: "point", point: strip.take(Date.now()) satisfies StripPoint });
    const shadow = follower?.view(events.repeated());
    const saying = JSON.stringify([service, shadow]);
    if (saying === told) return;
    told = saying;
    feed.tell({ kind: "service", service });
    if (shadow !== undefined) feed.tell({ kind: "shadow", shadow });
  }, POINT_EVERY);
  timer.unref();

  async function look(target: Target): Promise<void> {
    const { sources } = await target.config();
    while (!stop.signal.aborted) {
      // Nobody looks: then a poller that works off a backlog has all of the table to itself.
      if (feed.readers() === 0) {
        await rest(UNWATCHED, stop.signal);
        continue;
      }
      const began = Date.now();
      try {
        const status = await readStatus(target, sources, Date.now());
        feed.tell({ kind: "status", status, readAt: Date.now() });
      } catch (error) {
        if (!stop.signal.aborted)
          feed.tell({ kind: "status failed", message: oneLine(error, () => "The state cannot be read.") });
      }
      await rest(Math.max(LOOK_EVERY, PAUSE_PER_LOOK * (Date.now() - began)), stop.signal);
    }
  }

  let opened: Target | undefined;
  const rules = async (): Promise<RuleView[]> => (opened === undefined ? [] : readRules(opened));
  const app = createApp({ feed, events, assets: bundleOnce(), token, rules, pull: trouble?.pull });
  const server = await serve(app, options.port);
  return {
    url: `http://127.0.0.1:${server.port}/#${token}`,
    event(envelope) {
      const row = events.add(envelope, Date.now());
      if (row.lag !== null && row.type === "response.completed") strip.lag(row.lag, row.at);
      feed.tell({ kind: "event", row });
      follower?.event(row);
      trouble?.event(row);
    },
    ready(target) {
      opened = target;
      void look(target);
    },
    async close() {
      stop.abort();
      clearInterval(timer);
      for (const end of ends) end();
      follower?.stop();
      await server.close();
    },
  };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  timer.unref();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
