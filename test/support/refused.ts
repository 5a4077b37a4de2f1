import type { PollingSource } from "../../lib/polling/index.ts";
import type { MemoryWorld } from "./memory-ports.ts";
import { type ResponseSpec, runTick, worldWith } from "./survey.ts";

/** Makes a response so large that its records are kept in the vault. */
export const large = { size: 60, fields: { comment: "x".repeat(2_000) } };

/** A world whose bus has refused all of these responses. */
export async function refused(responses: ResponseSpec[], source: Partial<PollingSource> = {}): Promise<MemoryWorld> {
  const world = worldWith(responses);
  world.bus.decide = () => ({ kind: "refused", code: "MalformedDetail" });
  await runTick(world, { source });
  world.bus.decide = () => undefined;
  return world;
}
