import { describe, expect, it, vi } from "vitest";
import type { createSourceGraph, Role } from "../../lib/run/wiring.ts";

const roles = vi.hoisted((): (Role | undefined)[] => []);

vi.mock("../../lib/run/wiring.ts", async (original) => {
  const wiring = await original<{ createSourceGraph: typeof createSourceGraph }>();
  return {
    ...wiring,
    createSourceGraph: (...given: Parameters<typeof createSourceGraph>) => {
      const graph = wiring.createSourceGraph(...given);
      roles.push(given[3]);
      return graph;
    },
  };
});
vi.mock("../../lib/config/read-file.ts", () => ({ readConfigFile: () => ({ baseUrl: "http://127.0.0.1:9" }) }));

vi.stubEnv("TABLE_NAME", "table");
vi.stubEnv("BUS_NAME", "bus");
vi.stubEnv("CLAIM_CHECK_BUCKET", "bucket");
vi.stubEnv("SECRETS", JSON.stringify({ main: { credentials: "credentials", token: "token" } }));
vi.stubEnv("AWS_REGION", "eu-central-1");

describe("the share of the service's rate", () => {
  it("is that of a catch-up for the worker, and that of news for the tick", async () => {
    await import("../../functions/poll-survey.ts");
    await import("../../functions/poll.ts");
    expect(roles).toEqual(["slice", undefined]);
  });
});
