import type { World } from "../world.ts";
import type { Violations } from "./violations.ts";

/** Requests to the service, by tick. */
export interface RequestLog {
  note(operation: string): void;
  tickBegan(): void;
  total(): number;
  atEnd(): void;
}

/** Requests that a history may need for each response, page and tick, by a wide margin: what is beyond is a storm. */
const FOR_EACH_RESPONSE = 60;
const FOR_EACH_TICK = 40;

export function createRequestLog(world: World, violations: Violations): RequestLog {
  let total = 0;
  const byTick: number[] = [];
  return {
    note() {
      total += 1;
      const last = byTick.length - 1;
      if (last >= 0) byTick[last] = (byTick[last] ?? 0) + 1;
    },
    tickBegan: () => void byTick.push(0),
    total: () => total,
    atEnd() {
      const most = FOR_EACH_RESPONSE * world.responses.size + FOR_EACH_TICK * byTick.length;
      if (total > most) violations.add("requests", `${total} requests, more than ${most}`);
    },
  };
}
