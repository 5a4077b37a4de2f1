import { BY_NPX } from "../../cli/called-as.ts";
import { targetOver } from "../../cli/target/data-target.ts";
import { quoted } from "../../cli/words.ts";
import type { Demo, LiveConsole } from "../../console/console.ts";
import { oneLine } from "../../errors.ts";
import type { CommandLine } from "../command-line.ts";
import { readLastRun } from "./last-run.ts";

export interface LivePageOptions {
  line: Pick<CommandLine, "console" | "port" | "data">;
  /** Folder with the state. */
  folder: string;
  polled: string;
  demo: Demo | undefined;
  say(line: string): void;
}

/** The live page as a run needs it. */
export type LivePage = Pick<LiveConsole, "event" | "close">;

const NONE: LivePage = { event: () => undefined, close: async () => undefined };

/** Starts the live page over the state of a run, and says where it is. No run fails because nobody can look at it. */
export async function startLivePage({ line, folder, polled, demo, say }: LivePageOptions): Promise<LivePage> {
  const run = readLastRun(folder);
  if (!line.console || run === undefined) return NONE;
  try {
    // Loaded when it is wanted: a run without it starts sooner.
    const { startConsole } = await import("../../console/console.ts");
    const page = await startConsole({
      port: line.port,
      polled,
      command: BY_NPX,
      flags: `--data ${quoted(line.data)}`,
      mayAct: true,
      elsewhere: null,
      demo,
      folder,
    });
    say(`live page: ${page.url}`);
    const io = { signal: new AbortController().signal, environment: process.env };
    page.ready(targetOver({ data: line.data, folder, run }, io));
    return page;
  } catch (error) {
    say(`there is no live page: ${oneLine(error, (cause) => String(cause))}`);
    return NONE;
  }
}
