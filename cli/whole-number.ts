import { InvalidArgumentError } from "@commander-js/extra-typings";

/** The value of a flag that is an id or a number of things. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("it must be a whole number");
  return Number(text);
}
