import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { PollerError } from "../../lib/errors.ts";

/** Somebody who was asked has ended it, by Ctrl-C or Ctrl-D. */
export class CancelledError extends PollerError {
  readonly code = "CANCELLED";
}

/** Where a person types, and where the questions are shown. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

/** Asks one question after the other; of what is typed nothing is shown, not even how long it is. */
export async function askHidden(questions: readonly string[], { input, output }: Terminal): Promise<string[]> {
  // What the editor of the line would show goes nowhere; it reads the terminal in raw mode, in which nothing else shows it.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  lines.on("SIGINT", () => lines.close());
  const answers: string[] = [];
  try {
    output.write(questions[0] ?? "");
    // As they come: two lines that are pasted together are two answers.
    for await (const line of lines) {
      output.write("\n");
      if (answers.push(line) === questions.length) return answers;
      output.write(questions[answers.length] ?? "");
    }
  } finally {
    lines.close();
  }
  output.write("\n");
  throw new CancelledError("cancelled", { hint: "Nothing was written." });
}
