import { Stack, Token, TokenComparison } from "aws-cdk-lib";
import type { IEventBus } from "aws-cdk-lib/aws-events";
import type { Construct } from "constructs";
import { type Config, ConfigError } from "../lib/config/index.ts";

/** The parts of a configuration that are made beside the bus, in the bus's own account. */
export function companionsOf({ bus, webhooks, subscribers }: Config): string[] {
  const { accounts, organizationId } = subscribers;
  return [
    ...(bus.archive ? ["bus.archive"] : []),
    ...(webhooks.length > 0 ? ["webhooks"] : []),
    ...(accounts.length > 0 || organizationId !== undefined ? ["subscribers"] : []),
  ];
}

/**
 * Archives, rules and policies of a bus can be made in its own account only. A rule made here would name a bus of this account, if there is one, and
 * never match: lost in silence. Where a stack does not know its account they cannot be compared.
 *
 * @throws ConfigError that names all of `asked`, when there is any and the bus is in another account
 */
export function refuseOnForeignBus(scope: Construct, bus: IEventBus | undefined, asked: readonly string[]): void {
  if (bus === undefined || asked.length === 0) return;
  if (Token.compareStrings(bus.env.account, Stack.of(scope).account) !== TokenComparison.DIFFERENT) return;
  throw new ConfigError(
    asked.map((path) => ({ path, message: "cannot be had of a bus in another account" })),
    { hint: "Switch it off here, and make it in the account of the bus." },
  );
}
