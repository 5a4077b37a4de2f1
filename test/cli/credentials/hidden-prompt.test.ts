import { describe, expect, it } from "vitest";
import { askHidden } from "../../../cli/credentials/given.ts";
import { fakeTerminal } from "./support.ts";

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
    const { input, output } = fakeTerminal();
    const asked = askHidden(questions, { input, output });
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
