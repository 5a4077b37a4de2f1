import { searchLog } from "../../../../cli/target/event-log.ts";
import type { ExplainAnswer, Facts } from "../../../../cli/verbs/explain/answer.ts";
import { explain } from "../../../../cli/verbs/explain/read.ts";
import { decodeIds } from "../../../../lib/polling/books/id-set.ts";
import { pollScheduled } from "../../../../lib/run/poll-sources.ts";
import { writtenBy } from "../../../lib/monitoring/support/embedded-metrics.ts";
import { memoryGraph } from "../../../lib/support/graph.ts";
import type { MemoryWorld } from "../../../support/memory-ports.ts";
import { MINUTE, noon, type ResponseSpec, worldWith } from "../../../support/survey.ts";

/** A source in memory that is polled by the whole function, and what `explain` says of its responses. */
export interface Told {
  world: MemoryWorld;
  /** A tick, after so many milliseconds. */
  tick(after?: number): Promise<void>;
  /** The story of a response, from the ledger and the log as they are now. */
  story(id: number, more?: Partial<Facts>): Promise<ExplainAnswer>;
}

/** The source after its first tick, a minute before noon. */
export async function told(responses: ResponseSpec[], fields: Record<string, unknown> = {}): Promise<Told> {
  const world = worldWith(responses);
  const graph = memoryGraph(world, { timeZone: "UTC", ...fields });
  const events: { eventId: string; message: string }[] = [];
  const write =
    (level: string) =>
    (message: string, details: object): void => {
      const line = { level, message, timestamp: new Date(world.time.now).toISOString(), ...details };
      events.push({ eventId: `${events.length}`, message: JSON.stringify(line) });
    };
  const logger = { debug: write("DEBUG"), info: write("INFO"), warn: write("WARN"), error: write("ERROR") };
  const tick = async (after = 0): Promise<void> => {
    world.time.now += after;
    await writtenBy(() => pollScheduled({ graphs: [graph], owner: "o", remaining: () => 60_000, logger }));
  };
  world.time.now = noon - MINUTE;
  await tick();
  world.time.now = noon;
  return {
    world,
    tick,
    async story(id, more) {
      const { now } = world.time;
      const log = await searchLog({ source: "main", surveyId: 1, responseId: id, around: [] }, now, async () => ({
        events,
      }));
      const facts: Facts = {
        source: graph.source,
        tellsDeleted: true,
        surveyId: 1,
        id,
        entry: world.entry(1, id),
        mark: world.mark(1),
        account: await world.ports.state.account(),
        isListed: listedBy(world, id),
        log,
        looked: undefined,
        isStopped: false,
        flags: "--stack SurveyPoller",
        now,
        ...more,
      };
      return explain(facts) as ExplainAnswer;
    },
  };
}

function listedBy(world: MemoryWorld, id: number): boolean | undefined {
  const { books, listedIds } = world.mark(1);
  if (books === undefined || listedIds === undefined) return undefined;
  const text = "inline" in listedIds ? listedIds.inline : world.objects.get(listedIds.key);
  return typeof text === "string" ? decodeIds(text).has(id) : undefined;
}

/** What happened, without when and how. */
export function whats({ steps }: ExplainAnswer): string[] {
  return steps.map(({ what }) => what);
}
