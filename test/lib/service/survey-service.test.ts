import { describe, expect, it } from "vitest";
import { readRecord, type SurveyService } from "../../../lib/polling/index.ts";
import { toSurveyService } from "../../../lib/service/survey-service.ts";
import { startClient } from "../survey-api/support/service.ts";

const page = "/api/v3/surveys/7/responses/page/";

describe("the service port over the API client", () => {
  it("keeps records apart whose ids are too great for a number, though all else in them is the same", async () => {
    const { service, api } = await startClient();
    const body = '[{"responseId":9007199254740992,"completed":1},{"responseId":9007199254740993,"completed":1}]';
    service.answers.set(page, () => ({ body }));
    const read = await toSurveyService(api).page(7, 1, "desc");
    // What cannot be told by an id is told by its digest: of two that were the same one would be lost.
    const records = read.kind === "page" ? read.records.map((record) => readRecord(record)) : [];
    expect(records.map(({ responseId }) => responseId)).toEqual([undefined, undefined]);
    expect(new Set(records.map(({ digest }) => digest)).size).toBe(2);
  });

  it("takes 400 for the end of a list, but not on its first page", async () => {
    const { service, api } = await startClient();
    service.answers.set(page, () => ({ status: 400, json: {} }));
    const port = toSurveyService(api);
    expect(await port.page(7, 2, "asc")).toEqual({ kind: "none" });
    await expect(port.page(7, 1, "asc")).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  it.each<[number, string, (port: SurveyService) => Promise<unknown>]>([
    [400, "the end of the list", (port) => port.page(7, 2, "asc")],
    [404, "the end of the list", (port) => port.page(7, 2, "asc")],
    [404, "metrics that are absent", (port) => port.metrics(7, 1)],
  ])("does not take a token request that fails with %i for %s", async (status, _what, read) => {
    const { service, api } = await startClient();
    await api.surveys();
    service.token.value = "revoked";
    service.answers.set("/oauth/token/", () => ({ status, json: {} }));
    await expect(read(toSurveyService(api))).rejects.toMatchObject({ operation: "get token" });
  });
});
