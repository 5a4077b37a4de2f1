import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { CLIENT_SECRET, clientOf, startService, TOKEN } from "./support/service.ts";

describe("neither token nor secret", () => {
  it("is in any error, however closely it is looked at", async () => {
    const service = await startService();
    const echo = { error: `${CLIENT_SECRET} ${TOKEN}` };
    const errors: unknown[] = [];
    const fail = async (call: Promise<unknown>): Promise<void> => {
      await expect(call.catch((error: unknown) => Promise.reject(errors[errors.push(error) - 1]))).rejects.toThrow();
    };
    for (const status of [400, 401, 403, 404, 429, 500]) {
      service.answers.set("/api/v3/surveys/7/", () => ({ status, json: echo }));
      await fail(clientOf(service).api.metrics(7, 1));
    }
    service.answers.set("/api/v3/surveys/7/", () => ({ body: `${TOKEN} is not JSON, nor is ${CLIENT_SECRET}` }));
    await fail(clientOf(service).api.metrics(7, 1));
    service.answers.set("/api/v3/surveys/7/", () => (response) => response.destroy());
    await fail(clientOf(service).api.metrics(7, 1));
    for (const status of [200, 400, 401, 404, 500]) {
      service.answers.set("/oauth/token/", () => ({ status, json: echo }));
      await fail(clientOf(service).api.surveys());
    }

    expect(errors).toHaveLength(13);
    const seen = errors
      .map((error) => `${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}`)
      .join();
    expect(seen).not.toContain(CLIENT_SECRET);
    expect(seen).not.toContain(TOKEN);
  });
});
