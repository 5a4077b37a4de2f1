import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { closedBooks, ticksUntil } from "../../support/slow.ts";
import { at, deliveredIds, range, SECOND, worldWith } from "../../support/survey.ts";

/** The records of one response tie on the sort key: each read of a page gives them in another order, on the same page. */
function tie(world: MemoryWorld): void {
  const inner = world.ports.service;
  let reads = 0;
  world.ports.service = {
    ...inner,
    async page(survey, page, order) {
      const read = await inner.page(survey, page, order);
      reads += 1;
      if (read.kind !== "page") return read;
      const turn = <T>(some: T[]): T[] => [...some.slice(reads % some.length), ...some.slice(0, reads % some.length)];
      const runs = Map.groupBy(read.records, (record) => (record as { responseId: number }).responseId);
      return { kind: "page", records: [...runs.values()].flatMap(turn) };
    },
  };
}

describe("records that tie on the sort key", () => {
  it("in another order at each read of their page keep no response from going out, and no books from closing", async () => {
    // Response 34 of 67 lies across an edge in either order.
    const ids = range(1, 67);
    const world = worldWith(ids.map((responseId) => ({ responseId, completed: at(responseId * SECOND), size: 3 })));
    tie(world);
    await ticksUntil(world, () => world.mark(1).books !== undefined, { source: { backgroundRequests: 20 } }, 20);

    expect(deliveredIds(world).sort((a, b) => a - b)).toEqual(ids);
    expect(world.delivered.every(({ data }) => data.answers.length === 3)).toBe(true);
    expect(closedBooks(world)).toMatchObject({ listed: 67, emitted: 67, changed: 0, moved: false });
  });
});
