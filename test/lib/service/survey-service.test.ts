import { describe, expect, it } from "vitest";
import { readRecord } from "../../../lib/polling/index.ts";
import { toSurveyService } from "../../../lib/service/survey-service.ts";
import { clientOf, startService } from "../survey-api/support/service.ts";

const page = "/api/v3/surveys/7/responses/page/";

describe("the service port over the API client", () => {
  it("keeps records apart whose ids are too great for a number, though all else in them is the same", async () => {
    const service = await startService();
    const body = '[{"responseId":9007199254740992,"completed":1},{"responseId":9007199254740993,"completed":1}]';
    service.answers.set(page, () => ({ body }));
    const read = await toSurveyService(clientOf(service).api).page(7, 1, "desc");
    // What cannot be told by an id is told by its digest: of two that were the same one would be lost.
    const records = read.kind === "page" ? read.records.map((record) => readRecord(record)) : [];
    expect(records.map(({ responseId }) => responseId)).toEqual([undefined, undefined]);
    expect(new Set(records.map(({ digest }) => digest)).size).toBe(2);
  });

  it("takes 400 for the end of a list, but not on its first page", async () => {
    const service = await startService();
    service.answers.set(page, () => ({ status: 400, json: {} }));
    const port = toSurveyService(clientOf(service).api);
    expect(await port.page(7, 2, "asc")).toEqual({ kind: "none" });
    await expect(port.page(7, 1, "asc")).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});

describe("a token request that fails while pages are read", () => {
  it.each([
    [400, "the end of the list"],
    [404, "the end of the list"],
  ])("with %i is an error, and not taken for %s", async (status) => {
    const service = await startService();
    service.answers.set(page, () => ({ json: [{ responseId: 1 }] }));
    const { api } = clientOf(service);
    const port = toSurveyService(api);
    await port.page(7, 1, "asc");
    service.token.value = "revoked";
    service.answers.set("/oauth/token/", () => ({ status, json: {} }));

    await expect(port.page(7, 2, "asc")).rejects.toMatchObject({ operation: "get token" });
  });

  it("with 404 is an error, and not taken for metrics that are absent", async () => {
    const service = await startService();
    const { api } = clientOf(service);
    await api.surveys();
    service.token.value = "revoked";
    service.answers.set("/oauth/token/", () => ({ status: 404, json: {} }));

    await expect(toSurveyService(api).metrics(7, 1)).rejects.toMatchObject({ operation: "get token" });
  });
});
