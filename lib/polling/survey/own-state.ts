import { StateRefusedError } from "../errors.ts";
import type { AccountState } from "../model/account.ts";

/**
 * Makes sure that the state of a source was built from the service that is polled: ids of one mean nothing to another.
 *
 * @throws StateRefusedError
 */
export function checkOwnState(
  { service: known }: Pick<AccountState, "service">,
  { source, service }: { source: { name: string }; service: string },
): void {
  if (known === undefined || known === service) return;
  throw new StateRefusedError(`the state of source "${source.name}" belongs to another survey service`, {
    hint: "Give the new service a source name of its own, or put the old `baseUrl` back.",
  });
}
