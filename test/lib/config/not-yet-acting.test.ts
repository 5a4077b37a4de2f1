import { describe, expect, it } from "vitest";
import { actingDeployedOnly, notYetActing, parseConfig } from "../../../lib/config/index.ts";

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
        { baseUrl, patrol: { every: "2h", full: "1d" } },
        { baseUrl, name: "b", questions: true, patrol: { full: "1d" } },
      ],
    });
    expect(found.map((notice) => notice.split(" ")[0])).toEqual(["sources[1].questions"]);
    for (const notice of found) expect(notice).toMatch(/ does not act in this version: .+\.$/);
  });

  it("says nothing of a field that is set but asks for nothing", () => {
    expect(notices({ sources: [{ baseUrl, questions: false }], monitoring: {} })).toEqual([]);
  });

  it("says nothing of fields that act", () => {
    const source = {
      baseUrl,
      interval: "5m",
      maxRequestsPerSecond: 5,
      retention: { logs: "7d", claimCheck: "90d", quarantine: "5d", archive: "20d" },
      privacy: { ip: "drop" },
    };
    expect(
      notices({
        sources: [source],
        bus: { name: "team", logging: false },
        subscribers: { accounts: ["123456789012"] },
        monitoring: { email: "ops@example.com" },
        webhooks: [{ name: "crm", url: "https://crm.example.com" }],
      }),
    ).toEqual([]);
  });
});

describe("actingDeployedOnly", () => {
  it("tells who runs it on one machine that webhooks are not called, and nothing otherwise", () => {
    const webhooks = [{ name: "crm", url: "https://crm.example.com" }];
    const notices = (input: object) =>
      actingDeployedOnly(parseConfig({ sources: [{ baseUrl }], ...input }, { deployed: false }));
    expect(notices({ webhooks })).toEqual([expect.stringMatching(/^webhooks is set but acts only when deployed/)]);
    expect(notices({ webhooks: [], bus: { archive: true } })).toEqual([]);
  });
});
