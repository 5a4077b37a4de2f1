import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { givenCredentials } from "../../../cli/credentials/given.ts";
import { fakeTerminal, piped } from "./support.ts";

const credentials = { clientId: "me", clientSecret: "hunter2" };

function given(text: string | Buffer, environment: Record<string, string> = {}, source = "main") {
  return givenCredentials({ source, secretId: "s", environment, input: piped(text), output: fakeTerminal().output });
}

describe("credentials from standard input", () => {
  it.each([
    ["JSON", '{"clientId":"me","clientSecret":"hunter2"}\n'],
    ["JSON with more in it", '\uFEFF{ "clientId": " me ", "clientSecret": "hunter2", "note": "ours" }'],
    ["two lines", "me\nhunter2\n"],
    ["two lines of Windows", "me\r\nhunter2\r\n"],
    ["two lines without an end", "  me\nhunter2"],
  ])("are read as %s", async (_form, text) => {
    expect(await given(text)).toEqual({ credentials, from: "standard input" });
  });

  it.each([
    ["nothing", ""],
    ["one line", "hunter2"],
    ["three lines", "me\nhunter2\nmore"],
    ["broken JSON", '{"clientId":"me","clientSecret":"hunter2"'],
    ["JSON with a field that is missing", '{"clientSecret":"hunter2"}'],
    ["JSON with a number", '{"clientId":7,"clientSecret":"hunter2"}'],
    ["an empty id", '{"clientId":" ","clientSecret":"hunter2"}'],
    ["a placeholder", "…\nhunter2"],
    ["a control character", "me\nhunter2\u0007"],
    ["something long", `me\n${"hunter2".repeat(400)}`],
    ["a wrong file", "hunter2".repeat(20_000)],
  ])("are refused when they are %s, and nothing of them is repeated", async (_what, text) => {
    const error: unknown = await given(text).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "BAD_USAGE", hint: expect.stringMatching(/\.$/) });
    expect(inspect(error, { depth: 9 })).not.toContain("hunter2");
  });
});

describe("credentials from the environment", () => {
  const environment = { SURVEY_CLIENT_ID: "me", SURVEY_CLIENT_SECRET: "hunter2" };

  it("go before standard input, which may never end", async () => {
    const { input, output } = fakeTerminal();
    const outcome = await givenCredentials({ source: "main", secretId: "s", environment, input, output });
    expect(outcome).toEqual({ credentials, from: "the environment" });
  });

  it("are those of the source where it has some of its own", async () => {
    const all = { ...environment, SURVEY_CLIENT_ID_EU_2: "eu", SURVEY_CLIENT_SECRET_EU_2: "secret-eu" };
    expect((await given("", all, "eu-2")).credentials).toEqual({ clientId: "eu", clientSecret: "secret-eu" });
    expect((await given("", all, "main")).credentials).toEqual(credentials);
  });

  it("are refused when they are half there", async () => {
    await expect(given("", { SURVEY_CLIENT_ID: "me" })).rejects.toThrow("SURVEY_CLIENT_SECRET is missing");
    await expect(given("", { SURVEY_CLIENT_SECRET: "hunter2" })).rejects.toThrow("SURVEY_CLIENT_ID is missing");
  });
});
