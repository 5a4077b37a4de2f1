import { describe, expect, it } from "vitest";
import { notYetActing, parseConfig } from "../../../lib/config.ts";

const baseUrl = "https://surveys.example.com";

function notices(input: unknown): string[] {
  return notYetActing(parseConfig(input, { deployed: true }));
}

describe("notYetActing", () => {
  it("says nothing of defaults", () => {
    expect(notices({ baseUrl })).toEqual([]);
  });

  it("gives one notice for each field that was set on purpose, by its path", () => {
    const found = notices({
      sources: [
        { baseUrl, questions: true, lookBack: { every: "2h", window: "1d" } },
        {
          baseUrl,
          name: "b",
          scrub: { every: "1d" },
          retention: { quarantine: "5d", archive: "20d", claimCheck: "90d" },
        },
      ],
      monitoring: { email: "ops@example.com" },
      webhooks: [{ name: "crm", url: "https://crm.example.com" }],
    });
    expect(found.map((notice) => notice.split(" ")[0]).sort()).toEqual([
      "monitoring",
      "sources[0].questions",
      "sources[1].retention.archive",
      "webhooks",
    ]);
    for (const notice of found) expect(notice).toMatch(/ does not act in this version: .+\.$/);
  });

  it("says nothing of a field that is set but asks for nothing", () => {
    expect(notices({ sources: [{ baseUrl, questions: false }], monitoring: {}, webhooks: [] })).toEqual([]);
  });

  it("says nothing of fields that act", () => {
    expect(
      notices({
        baseUrl,
        interval: "5m",
        maxRequestsPerSecond: 5,
        retention: { logs: "7d", claimCheck: "90d", quarantine: "5d" },
        privacy: { ip: "drop" },
      }),
    ).toEqual([]);
  });
});
