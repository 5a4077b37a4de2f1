import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandLine } from "../../lib/cli/run-command.ts";
import { parseCommandLine } from "../../lib/local/command-line.ts";
import { ioOf } from "../lib/cli/support/command.ts";
import { documents } from "./support/markdown.ts";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

/** A command of this project, as far as a pipe, a redirection or the end of the command that it stands in. */
const OWN = /\b(npx survey-poller|npm(?: --silent)? (?:run|start))\b([^|;&>)\n]*)/g;

/** What is wrong with the project's own commands in a block of shell lines; undefined for each that there is. */
function problemsOf(code: string): Promise<(string | undefined)[]> {
  // What stands for a name of the reader's.
  const given = code.replace(/\\\n\s*/g, " ").replace(/<[^<>\n]+>|…/g, "1");
  return Promise.all(
    [...given.matchAll(OWN)].map(([, program = "", rest = ""]) => {
      // The output of another command is a word.
      const words = (rest.replace(/\$\(.*/, "1").match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? []).map((word) =>
        word.replace(/^(['"])(.*)\1$/, "$2"),
      );
      return problemOf(program, words);
    }),
  );
}

async function problemOf(program: string, words: string[]): Promise<string | undefined> {
  const [first = "", ...others] = words;
  try {
    // By the command's own definitions: nothing of a verb's work is done.
    if (program === "npx survey-poller") await commandLine(() => Promise.resolve(), words, ioOf().io);
    else if (program.endsWith("run") && !(first in scripts)) return `there is no script "${first}"`;
    else if (program.endsWith("start") && first !== "") {
      if (first !== "--") return 'flags of npm start stand behind "--"';
      parseCommandLine(others);
    }
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code === "commander.helpDisplayed" ? undefined : message;
  }
}

describe("the project's own commands in the documents", () => {
  const blocks = documents.flatMap(({ fenced }) => fenced.filter(({ language }) => language === "sh"));

  it("are ones that there are", async () => {
    const found = await Promise.all(
      blocks.map(async ({ place, code }) => (await problemsOf(code)).map((problem) => [place, problem])),
    );
    expect(found.flat().length).toBeGreaterThan(40);
    expect(found.flat().filter(([, problem]) => problem !== undefined)).toEqual([]);
  });

  it.each(["npm run nothing", "npm start -- --tick 1", "echo $(npx survey-poller status --stak SurveyPoller)"])(
    "would be refused: %s",
    async (text) => {
      expect(await problemsOf(text)).toEqual([expect.any(String)]);
    },
  );
});
