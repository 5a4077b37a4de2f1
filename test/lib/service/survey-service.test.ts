import { describe, expect, it } from "vitest";
import { readRecord } from "../../../lib/polling/index.ts";
import { toSurveyService } from "../../../lib/service/survey-service.ts";
import { clientOf, startService } from "../survey-api/support/service.ts";

const page = "/api/v3/surveys/7/responses/page/";
const one = "/api/v3/surveys/7/responses/1/";

describe("the service port over the API client", () => {
  it("gives what was read, and judges nothing of it", async () => {
    const service = await startService();
    const odd = [{ responseId: "seven" }, 8, null];
    service.answers.set("/api/v3/surveys/", () => ({ json: odd }));
    service.answers.set(page, () => ({ json: odd }));
    service.answers.set(`${one}metrics/`, () => ({ json: [{ "31": { metricId: "31" }, odd: true }] }));
    service.answers.set(`${one}metadata/`, () => ({ json: [{ ip: 7 }] }));
    const port = toSurveyService(clientOf(service).api);

    expect(await port.surveys()).toEqual([{}, 8, null]);
    expect(await port.page(7, 3, "desc")).toEqual({ kind: "page", records: odd });
    expect(await port.metrics(7, 1)).toEqual({ kind: "found", body: { "31": { metricId: "31" }, odd: true } });
    expect(await port.metadata(7, 1)).toEqual({ kind: "found", body: { ip: 7 } });
  });

  it("gives of the survey list what polling reads, as it was read", async () => {
    const service = await startService();
    const survey = {
      surveyId: "7",
      responses: -1,
      correct: null,
      unpaidResponses: { odd: 1 },
      created: 1_700_000_000,
      name: 5,
    };
    service.answers.set("/api/v3/surveys/", () => ({
      json: [{ ...survey, defaultName: "x", url: "y" }, { surveyId: 8 }],
    }));
    expect(await toSurveyService(clientOf(service).api).surveys()).toEqual([survey, { surveyId: 8 }]);
  });

  it("gives the records of a single response, in whatever form they come", async () => {
    const service = await startService();
    const answers = [{ questionId: 1 }, { questionId: 2 }];
    service.answers.set(one, () => ({ json: [{ responseId: 1, answers }] }));
    const port = toSurveyService(clientOf(service).api);
    expect(await port.response(7, 1)).toEqual({
      kind: "found",
      body: answers.map((answer) => ({ responseId: 1, ...answer })),
    });

    service.answers.set(one, () => ({ json: { nothing: "of the kind" } }));
    await expect(port.response(7, 1)).rejects.toMatchObject({ code: "UNREADABLE_BODY" });
  });

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

  it("takes 404 for absence, and 400 for the end of a list but on its first page", async () => {
    const service = await startService();
    for (const path of [one, `${one}metrics/`, `${one}metadata/`, page]) {
      service.answers.set(path, () => ({ status: 404, json: {} }));
    }
    const port = toSurveyService(clientOf(service).api);
    expect(await port.metrics(7, 1)).toEqual({ kind: "absent" });
    expect(await port.metadata(7, 1)).toEqual({ kind: "absent" });
    expect(await port.response(7, 1)).toEqual({ kind: "absent" });
    expect(await port.page(7, 1, "asc")).toEqual({ kind: "none" });

    service.answers.set(page, () => ({ status: 400, json: {} }));
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
