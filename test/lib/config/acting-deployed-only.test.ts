import { expect, it } from "vitest";
import { actingDeployedOnly, parseConfig } from "../../../lib/config/index.ts";

const baseUrl = "https://surveys.example.com";

it("tells who runs it on one machine that webhooks are not called, and nothing otherwise", () => {
  const webhooks = [{ name: "crm", url: "https://crm.example.com" }];
  const notices = (input: object) =>
    actingDeployedOnly(parseConfig({ sources: [{ baseUrl }], ...input }, { deployed: false }));
  expect(notices({ webhooks })).toEqual([expect.stringMatching(/^webhooks is set but acts only when deployed/)]);
  expect(notices({ webhooks: [], bus: { archive: true } })).toEqual([]);
});
