import { left, type SmokeCheck } from "../context.ts";
import { mustBe } from "../run/check.ts";
import { HISTORY, LARGE } from "../service/plan.ts";
import { duplicates, responsesOf } from "./events.ts";

/** Nobody has invoked the function before this: what arrives, the schedule has brought. */
export const schedule: SmokeCheck = {
  name: "schedule",
  needs: [],
  after: ["poller"],
  deadline: 300_000,
  async run(context, { until }) {
    const queue = left(context.queue, "the queue");
    const wanted = HISTORY + LARGE.length;
    await until("an event that the schedule has brought", async () => {
      await queue.drain();
      return queue.events.length >= wanted ? true : undefined;
    });
    const again = duplicates(queue.events);
    mustBe(
      again.length === 0,
      `${again.length} events were emitted twice: ${again.slice(0, 3)}`,
      "see docs/runbook.md",
    );
    return `${responsesOf(queue.events).size} responses, nobody having invoked the function`;
  },
};
