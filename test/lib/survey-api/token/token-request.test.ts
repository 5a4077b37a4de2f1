import { describe, expect, it } from "vitest";
import { clientOf, inTurn, startService, TOKEN } from "../support/service.ts";

const endpoint = "/oauth/token/";

describe("an answer to the token request", () => {
  it.each([
    ['{"error":"no such plan","status":1}', "{ error: string(12), status: number }"],
    ['{"token":null}', "{ token: null }"],
    ['[{"access_token":""}]', "array(1) of { access_token: string(0) }"],
    ["[]", "array(0)"],
    ["null", "null"],
    ['"no"', "string(2)"],
    ["Unauthorized", "text, 12 characters"],
  ])("that holds no token, %s, is told as that, and not asked for again", async (body, excerpt) => {
    const service = await startService();
    service.answers.set(endpoint, () => ({ body }));
    await expect(clientOf(service).api.surveys()).rejects.toMatchObject({
      code: "UNREADABLE_BODY",
      operation: "get token",
      message: `get token: the answer holds no token: ${excerpt}`,
      hint: expect.stringContaining("`baseUrl`"),
      attempts: 1,
      retryable: false,
    });
  });

  it.each([
    ["empty", "", "empty"],
    ["blank", " \n", "empty"],
    ["a page before the service", "<html>hunter2</html>", "HTML, 20 characters"],
    ["an object that was cut off in its token", '{"token":"aaaaaaaaaaaaaaa.bbbbbbb', "broken JSON, 33 characters"],
    ["an object without its end", '{"token":"aaa.bbb.ccc"', "broken JSON, 22 characters"],
    ["a list without its end", '["aaa.bbb.ccc"', "broken JSON, 14 characters"],
    ["a text without its end", '"aaa.bbb.ccc', "text, 12 characters"],
  ])("that is %s is asked for again", async (_name, body, excerpt) => {
    const service = await startService();
    service.answers.set(endpoint, inTurn({ body }, { json: { token: TOKEN } }));
    expect(await clientOf(service).api.surveys()).toEqual([{ surveyId: 1 }]);
    expect(service.tokenRequests()).toBe(2);
    expect(service.data()).toHaveLength(1);

    service.answers.set(endpoint, () => ({ body }));
    await expect(clientOf(service).api.surveys()).rejects.toMatchObject({
      code: "UNREADABLE_BODY",
      message: `get token: the answer holds no token: ${excerpt}`,
      attempts: 3,
      retryable: true,
    });
  });
});
