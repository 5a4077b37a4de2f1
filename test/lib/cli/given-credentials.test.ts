import { PassThrough } from "node:stream";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { askHidden, givenCredentials } from "../../../lib/cli/given-credentials.ts";

/** A terminal that is none: what is typed is put into `input` as keys, and what it shows is in `shown`. */
function fakeTerminal() {
  const rawModes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => void rawModes.push(mode),
  });
  const talk = new PassThrough();
  const shown = { text: "" };
  talk.setEncoding("utf8").on("data", (text: string) => {
    shown.text += text;
  });
  return { input, talk, rawModes, shown };
}

/** Standard input of a command in a pipe. */
function piped(text: string | Buffer): PassThrough {
  const input = new PassThrough();
  input.end(text);
  return input;
}

const credentials = { clientId: "me", clientSecret: "hunter2" };

function given(text: string | Buffer, environment: Record<string, string> = {}, source = "main") {
  return givenCredentials({ source, secretId: "s" }, { environment, input: piped(text), talk: fakeTerminal().talk });
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
    ["a control character", "me\nhunter2\u0007"],
  ])("are refused when they are %s, and nothing of them is repeated", async (_what, text) => {
    const error: unknown = await given(text).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "BAD_USAGE", hint: expect.stringMatching(/\.$/) });
    expect(inspect(error, { depth: 9 })).not.toContain("hunter2");
  });
});

describe("credentials from the environment", () => {
  const environment = { SURVEY_CLIENT_ID: "me", SURVEY_CLIENT_SECRET: "hunter2" };

  it("go before standard input, which may never end", async () => {
    const outcome = await givenCredentials({ source: "main", secretId: "s" }, { environment, ...fakeTerminal() });
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

const questions = ["client id: ", "client secret: "];

describe("what is typed at a hidden prompt", () => {
  it("is given back and never shown; the terminal is as before afterwards", async () => {
    const { rawModes, shown, ...terminal } = fakeTerminal();
    const asked = askHidden(questions, terminal);
    terminal.input.write("me\r");
    terminal.input.write("hunterX\u007f2\r");

    expect(await asked).toEqual(["me", "hunter2"]);

    expect(shown.text).toBe("client id: \nclient secret: \n");
    expect(rawModes).toEqual([true, false]);
  });

  it("may be pasted in one piece", async () => {
    const { input, talk } = fakeTerminal();
    const asked = askHidden(questions, { input, talk });
    input.write("me\rhunter2\r");
    expect(await asked).toEqual(["me", "hunter2"]);
  });

  it.each([
    ["Ctrl-C", "hunt\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("is dropped by %s", async (_key, keys) => {
    const { rawModes, shown, ...terminal } = fakeTerminal();
    const asked = askHidden(questions, terminal);
    terminal.input.write("me\r");
    terminal.input.write(keys);
    await expect(asked).rejects.toMatchObject({ code: "CANCELLED", hint: "Nothing was written." });
    expect(rawModes.at(-1)).toBe(false);
    expect(shown.text).not.toContain("hunt");
  });
});
