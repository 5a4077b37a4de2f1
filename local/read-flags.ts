import { parseArgs } from "node:util";
import { UsageError } from "../cli/errors.ts";
import { nearestName } from "../lib/config/edit-distance.ts";

/** The flags of a command, as `parseArgs` of Node takes them. */
export type FlagOptions = Readonly<Record<string, { type: "string" | "boolean"; short?: string }>>;

export type Flags<Options extends FlagOptions> = {
  [Name in keyof Options]?: Options[Name]["type"] extends "string" ? string : boolean;
};

/**
 * Reads flags, each at most once, and nothing else. `help` is what lists them, such as "npm start -- --help".
 *
 * @throws UsageError naming the flag that is wrong, and never its value
 */
export function readFlags<Options extends FlagOptions>(args: string[], options: Options, help: string): Flags<Options> {
  const wrong = (message: string): UsageError => new UsageError(message, { hint: `${help} lists the flags.` });
  // Not strict: its messages would come one at a time and without a suggestion.
  const { values, tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind === "positional") throw wrong(`unexpected argument "${token.value}"`);
    if (token.kind !== "option") continue;
    if (seen.has(token.name)) throw wrong(`--${token.name} is given twice`);
    seen.add(token.name);
    const known = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (known === undefined) {
      const nearest = nearestName(token.name, Object.keys(options));
      throw wrong(`unknown flag ${token.rawName}${nearest === undefined ? "" : `, did you mean --${nearest}?`}`);
    }
    if (known.type === "string" && (token.value === undefined || token.value === "")) {
      throw wrong(`--${token.name} needs a value`);
    }
    if (known.type === "boolean" && token.value !== undefined) throw wrong(`--${token.name} takes no value`);
  }
  return values as Flags<Options>;
}
