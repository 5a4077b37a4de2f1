import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parseConfig } from "../../../../lib/config/index.ts";
import { RESERVE } from "../../../../lib/run/poll-sources.ts";
import { runSlices } from "../../../../lib/run/slices/run-slices.ts";
import type { MemoryWorld } from "../../../support/memory-ports.ts";
import { at, deliveredIds, MINUTE, range, runTick, SECOND, takes, worldWith } from "../../../support/survey.ts";
import { memoryLog } from "../../support/log.ts";

/** A survey of which a tick had no time to read more than a page or two. */
async function backlog(): Promise<{ world: MemoryWorld; graph: ReturnType<typeof graphOf> }> {
  const world = worldWith(range(1, 300).map((responseId) => ({ responseId, completed: at(responseId * SECOND) })));
  world.ports.slices = { send: async () => {} };
  takes(world, SECOND, ({ operation }) => operation === "page");
  await runTick(world, { ownTime: 0 });
  return { world, graph: graphOf("main", world) };
}

function graphOf(name: string, world: MemoryWorld) {
  const [source] = parseConfig(
    { name, baseUrl: "https://surveys.example.com", startFrom: "beginning" },
    { deployed: true },
  ).sources;
  if (source === undefined) throw new Error("no source");
  return { source, ports: world.ports, service: "service-1", settle: vi.fn(async () => {}) };
}

const message = (world: MemoryWorld, changes: Record<string, unknown> = {}, messageId = "m1") => ({
  messageId,
  body: JSON.stringify({ source: "main", surveyId: 1, until: world.time.now + MINUTE, ...changes }),
});
const remaining = () => 5 * MINUTE;

/** Time goes on by itself, for what waits. */
function advanceBy(world: MemoryWorld, milliseconds: number): void {
  const advance = setInterval(() => {
    world.time.now += milliseconds;
  }, 0);
  onTestFinished(() => clearInterval(advance));
}

describe("messages of the work queue", () => {
  it("are worked off for the source that they name, which is told in one line", async () => {
    const { world, graph } = await backlog();
    const { graph: other } = await backlog();
    const logger = memoryLog();
    const graphs = [{ ...other, source: { ...other.source, name: "other" } }, graph];

    expect(await runSlices({ graphs, messages: [message(world)], owner: "w", remaining, logger })).toEqual([]);

    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, 300));
    expect(logger.lines).toMatchObject([{ level: "info", message: "slice", details: { source: "main", surveyId: 1 } }]);
    expect(graph.settle).toHaveBeenCalledTimes(1);
    expect(other.settle).not.toHaveBeenCalled();
  });

  it("fail one by one: the others are done, and what the failure quotes is not in the log", async () => {
    const { world, graph } = await backlog();
    const { world: broken, graph: brokenGraph } = await backlog();
    broken.before.push(({ operation }) => {
      if (operation === "account") throw Object.assign(new Error("jane@example.com"), { code: "ODD" });
    });
    const logger = memoryLog();
    const graphs = [{ ...brokenGraph, source: { ...brokenGraph.source, name: "broken" } }, graph];
    const messages = [message(world, { source: "broken" }, "m1"), message(world, {}, "m2")];

    const began = broken.time.now;
    advanceBy(broken, SECOND / 2);
    expect(await runSlices({ graphs, messages, owner: "w", remaining, logger })).toEqual(["m1"]);

    expect(broken.time.now - began).toBeLessThan(15 * SECOND);
    expect(deliveredIds(world)).toHaveLength(300);
    expect(brokenGraph.settle).toHaveBeenCalledTimes(1);
    expect(logger.lines[0]).toMatchObject({ level: "error", message: "slice failed", details: { code: "ODD" } });
    expect(JSON.stringify(logger.lines)).not.toContain("jane@example.com");
  });

  it.each(["account", "acquire"])(
    "are worked off although the table has refused a request before that (%s): the mark says that they are on their way",
    async (refused) => {
      const { world, graph } = await backlog();
      let refusals = 0;
      world.before.push(({ operation }) => {
        if (operation !== refused || refusals >= 2) return;
        refusals += 1;
        throw Object.assign(new Error("throttled"), { code: "THROTTLED" });
      });
      advanceBy(world, SECOND / 2);
      const request = { graphs: [graph], messages: [message(world)], owner: "w", remaining, logger: memoryLog() };

      expect(await runSlices(request)).toEqual([]);
      expect(refusals).toBe(2);
      expect(deliveredIds(world)).toHaveLength(300);
    },
  );

  it("that no tick has written fail, for the dead-letter queue", async () => {
    const { graph } = await backlog();
    const bodies = ["", "no JSON", "null", "{}", '{"source":"main","surveyId":"1","until":1}', '{"source":"main"}'];
    const messages = bodies.map((body, i) => ({ messageId: `m${i}`, body }));
    const logger = memoryLog();

    const failed = await runSlices({ graphs: [graph], messages, owner: "w", remaining, logger });

    expect(failed).toEqual(messages.map(({ messageId }) => messageId));
    expect(logger.lines.map(({ details }) => details.code)).toEqual(bodies.map(() => "BAD_MESSAGE"));
  });

  it("of a source or a survey that is not there any more are done", async () => {
    const { world, graph } = await backlog();
    const messages = [message(world, { source: "removed" }, "m1"), message(world, { surveyId: 99 }, "m2")];
    const logger = memoryLog();

    expect(await runSlices({ graphs: [graph], messages, owner: "w", remaining, logger })).toEqual([]);
    expect(logger.lines).toEqual([]);
  });

  describe("for a survey that someone else works on", () => {
    /** Works off a message while the survey is held for so long. Gives the milliseconds that it took. */
    async function whileHeld(duration: number, invocation: () => number) {
      const { world, graph } = await backlog();
      const before = deliveredIds(world).length;
      const began = world.time.now;
      await world.ports.state.acquire(1, "tick", duration);
      const advance = setInterval(() => {
        // What is done once it is free takes no time by itself.
        if (world.time.now <= began + duration) world.time.now += SECOND / 2;
      }, 0);
      onTestFinished(() => clearInterval(advance));
      const request = { graphs: [graph], messages: [message(world)], owner: "w", logger: memoryLog() };
      const failed = await runSlices({ ...request, remaining: invocation });
      const delivered = deliveredIds(world).length;
      return { failed, delivered, before, took: world.time.now - began };
    }

    it("wait for it as long as a failing bus may hold up a tick: ticks would queue no other for two minutes", async () => {
      const { failed, delivered } = await whileHeld(25 * SECOND, remaining);
      expect({ failed, delivered }).toEqual({ failed: [], delivered: 300 });
    });

    it("leave it to one that holds it for long", async () => {
      const { failed, delivered, before, took } = await whileHeld(10 * MINUTE, remaining);
      expect({ failed, delivered }).toEqual({ failed: [], delivered: before });
      expect(took).toBeGreaterThanOrEqual(30 * SECOND);
      expect(took).toBeLessThan(MINUTE);
    });

    it("do not wait beyond the time of the invocation", async () => {
      const { delivered, before, took } = await whileHeld(10 * MINUTE, () => RESERVE + 5 * SECOND);
      expect(delivered).toBe(before);
      expect(took).toBeLessThan(10 * SECOND);
    });
  });

  it("begin nothing new where the invocation has no time left, and leave the rest to the next slice", async () => {
    const { world, graph } = await backlog();
    const before = deliveredIds(world).length;
    const request = { graphs: [graph], messages: [message(world)], owner: "w", logger: memoryLog() };

    expect(await runSlices({ ...request, remaining: () => RESERVE })).toEqual([]);
    expect(deliveredIds(world)).toHaveLength(before);

    expect(await runSlices({ ...request, remaining })).toEqual([]);
    expect(deliveredIds(world).toSorted((a, b) => a - b)).toEqual(range(1, 300));
  });
});
