import { unlistedText } from "../../target/chosen-surveys.ts";
import { readSource } from "../../target/state.ts";
import { allowed, type Check, warn } from "./check.ts";

/** Whether each survey that is to be polled by its id was there at the last tick. */
export const unlisted: Check = async ({ target, sources }) => {
  const lines = sources.map(({ name }) => {
    const check = sources.length === 1 ? "surveys" : `surveys of ${name}`;
    return allowed(check, "dynamodb:GetItem and dynamodb:Query", async () => {
      const { account } = await readSource(target, name);
      if (account.unlisted === undefined) return [];
      return warn(check, unlistedText(account.unlisted), "Nothing of them is polled until the list shows them.");
    });
  });
  return (await Promise.all(lines)).flat();
};
