import { UsageError } from "../flags.ts";

/** Takes the place of data-target.ts in the published package, which has no AWS of its own to open a data folder with. */
export function openDataTarget(data: string): never {
  throw new UsageError(`the data folder ${data} cannot be opened by the installed command`, {
    hint: "Run npx survey-poller in the checkout whose npm start made it, or give --stack NAME for a deployed poller.",
  });
}
