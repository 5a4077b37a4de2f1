import { type Mock, vi } from "vitest";
import { parseConfig } from "../../../lib/config/index.ts";
import { eventsOf, type SourceGraph } from "../../../lib/run/wiring.ts";
import { createSurveyApi } from "../../../lib/survey-api/index.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";

/** The graph of a source, and what was called of it. */
export interface MemoryGraph extends SourceGraph {
  begin: Mock<SourceGraph["begin"]>;
  settle: Mock<SourceGraph["settle"]>;
}

/** The graph of a source over ports in memory; `fields` are those of its configuration that are not the usual ones. */
export function memoryGraph(
  { ports, objects = new Map() }: Pick<MemoryWorld, "ports"> & Partial<Pick<MemoryWorld, "objects">>,
  fields: Record<string, unknown> = {},
): MemoryGraph {
  const { sources, events } = parseConfig(
    { baseUrl: "https://surveys.example.com", startFrom: "beginning", timeZone: "UTC", ...fields },
    { deployed: true },
  );
  const [source] = sources;
  if (source === undefined) throw new Error("no source");
  return {
    source: { ...source, events: eventsOf(events) },
    service: "service-1",
    api: createSurveyApi({ baseUrl: source.baseUrl, credentials: { clientId: "c", clientSecret: "s" } }),
    bucket: {
      ...ports.vault,
      putJson: async (key, body) => void objects.set(key, JSON.parse(body)),
      putOnce: async <T>(key: string, value: T) => {
        if (!objects.has(key)) objects.set(key, value);
        return objects.get(key) as T;
      },
      keysUnder: async (prefix) => [...objects.keys()].filter((key) => key.startsWith(prefix)),
    },
    begin: vi.fn(() => ports),
    settle: vi.fn(async () => {}),
  };
}
