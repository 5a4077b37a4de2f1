import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { errorCode, oneLine, PollerError } from "../errors.ts";
import { describeFailure } from "../monitoring/log.ts";
import { answerAsCalled, asCalled } from "./called-as.ts";
import { CommandError, EXIT, type ExitCode, exitCodeOf, InterruptedError, UsageError } from "./errors.ts";
import type { Io } from "./io.ts";
import { packageVersion } from "./package.ts";
import { loadDataTarget } from "./target/open-target.ts";
import { type Act, toJson } from "./verb.ts";
import { verbs } from "./verbs/index.ts";
import { printableLine } from "./words.ts";

/** Milliseconds that a verb has after Ctrl-C to leave its work in order. */
const GRACE = 5_000;

const FOLDER = loadDataTarget === undefined ? "" : ", or the data folder of npm start (--data DIR)";
const ABOUT = `Asks, proves and mends a survey poller: a stack deployed by CDK (--stack NAME)${FOLDER}.
Data goes to standard output, talk to standard error. What changes something is a dry run without --yes.`;
const EXIT_CODES = `
Exit codes: 0 done or proved · 1 failed · 2 called wrongly · 3 cannot be proved now, try again later
            4 credentials · 5 something is unaccounted for · 130 interrupted, the state is safe`;

/** Runs one command line, and gives its exit code. Everything that it says goes to `given`, and nothing of it steers a terminal. */
export async function runCommand(args: readonly string[], given: Io): Promise<ExitCode> {
  const io: Io = {
    ...given,
    out: (line) => given.out(printableLine(line)),
    say: (line) => given.say(printableLine(asCalled(line, given.command))),
  };
  let exit: ExitCode = EXIT.done;
  const act: Act = async (options, work) => {
    const answer = await orInterrupted(work(io), io.signal);
    if (answer === undefined) return;
    if (answer.isDry === true) io.say("Dry run: nothing was changed. Add --yes to do it.");
    if (options.json === true) io.out(toJson(answerAsCalled(answer.data, io.command)));
    else for (const line of answer.text) io.out(asCalled(line, io.command));
    exit = answer.exit ?? EXIT.done;
  };
  try {
    await commandLine(act, args, io);
    return exit;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const failure = error instanceof CommanderError ? calledWrongly(error) : error;
    tellFailure(failure, args.includes("--json"), io);
    return exitCodeOf(failure);
  }
}

export async function commandLine(act: Act, args: readonly string[], io: Io): Promise<void> {
  const root = new Command("survey-poller")
    .description(ABOUT)
    .version(packageVersion())
    .addHelpText("after", EXIT_CODES);
  for (const make of verbs) root.addCommand(make(act));
  for (const command of [root, ...allOf(root)]) quietly(command, io);
  await root.parseAsync(args, { from: "user" });
}

function allOf(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return command.commands.flatMap((sub) => [sub, ...allOf(sub)]);
}

/** Errors are thrown, and told once. */
function quietly(command: CommandUnknownOpts, io: Io): void {
  command
    .exitOverride()
    .helpCommand(false)
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false, helpWidth: 108 })
    .configureOutput({
      writeOut: (text) => saying(asCalled(text, io.command), io.out),
      // The help of a command that lacks its verb.
      writeErr: (text) => saying(text, io.say),
      outputError: () => undefined,
    });
}

function saying(text: string, line: (line: string) => void): void {
  for (const one of text.replace(/\n$/, "").split("\n")) line(one);
}

/** Commander repeats what was typed, which may be a secret: a flag is named without its value, and a value not at all. */
function calledWrongly({ code, message }: CommanderError): UsageError {
  const hint = "survey-poller --help lists the verbs, and --help after a verb its flags.";
  if (code === "commander.help") return new UsageError("a verb is missing", { hint });
  const suggestion = /\(Did you mean (.*)\?\)/.exec(message)?.[1];
  // What was typed may have lines and quotes of its own.
  const [safe = ""] = message
    .replace(/^error: /, "")
    .replace(/('--?[\w-]+)=.*'/s, "$1'")
    .replace(/ (argument|value) '.*' is invalid( for argument '[^']*')?\. ?/s, " has a value that cannot be used: ")
    .replace(/^command-argument/, "an argument")
    .replace(/^unknown command '.*'/s, "there is no such verb")
    .replace(/^too many arguments.*$/s, "there are too many arguments")
    .split("\n");
  return new UsageError(suggestion === undefined ? safe : `${safe}, did you mean ${suggestion}?`, { hint });
}

/** The answer; or the end, where Ctrl-C came and the work has not ended since, or something has broken. */
async function orInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = Promise.withResolvers<never>();
  const broken = (): unknown => (signal.reason instanceof PollerError ? signal.reason : undefined);
  const wait = (): void => {
    if (broken() !== undefined) over.reject(broken());
    timer = setTimeout(() => over.reject(new InterruptedError()), GRACE);
  };
  signal.addEventListener("abort", wait);
  if (signal.aborted) wait();
  try {
    return await Promise.race([work, over.promise]);
  } catch (error) {
    throw signal.aborted ? (broken() ?? new InterruptedError()) : error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", wait);
  }
}

function tellFailure(error: unknown, asJson: boolean, io: Io): void {
  if (!asJson) {
    // The message of an error that is not the poller's own may repeat what it was given.
    io.say(oneLine(error, () => `It failed: unexpected ${errorCode(error)}.`));
    if (error instanceof CommandError && error.next !== undefined) io.say(`Next: ${error.next}`);
    return;
  }
  const own = error instanceof PollerError;
  const { code, message, hint } = own ? error : { ...describeFailure(error), hint: "" };
  const next = error instanceof CommandError ? (error.next ?? null) : null;
  io.out(toJson(answerAsCalled({ error: { code, message, hint, next } }, io.command)));
}
