import {
  CancelReplayCommand,
  DescribeReplayCommand,
  DescribeRuleCommand,
  type EventBridgeClient,
  ListRulesCommand,
  StartReplayCommand,
} from "@aws-sdk/client-eventbridge";
import { errorCode } from "../../../lib/errors.ts";
import { CommandError } from "../../errors.ts";
import { UsageError } from "../../flags.ts";
import type { Stretch } from "../../moments.ts";
import { askingAws } from "../../target/aws-failure.ts";
import type { ReplayState } from "./answer.ts";

type Client = Pick<EventBridgeClient, "send">;

/** A request to EventBridge. */
export interface ReplayRequest extends Stretch {
  name: string;
  archive: string;
  bus: string;
  rule: string | null;
}

const STATES_AT_END: ReadonlySet<string> = new Set(["COMPLETED", "CANCELLED", "FAILED"]);

export function hasEnded({ state }: Pick<ReplayState, "state">): boolean {
  return state !== null && STATES_AT_END.has(state);
}

/**
 * The ARN of a rule on the bus.
 *
 * @throws UsageError that names the rules there are
 */
export async function ruleArn(client: Client, busName: string, name: string): Promise<string> {
  return askingAws("the rules could not be looked at", async () => {
    try {
      const { Arn } = await client.send(new DescribeRuleCommand({ Name: name, EventBusName: busName }));
      if (Arn !== undefined) return Arn;
    } catch (error) {
      if (errorCode(error) !== "ResourceNotFoundException") throw error;
    }
    const { Rules = [] } = await client.send(new ListRulesCommand({ EventBusName: busName }));
    const names = Rules.flatMap((rule) => rule.Name ?? []).join(", ");
    throw new UsageError(`there is no rule of that name on the bus ${busName}`, {
      hint: names === "" ? "Nobody subscribes to it." : `Its rules: ${names}.`,
    });
  });
}

/** Starts a replay; its name can be used once. */
export async function startReplay(
  client: Client,
  { name, archive, bus, rule, from, to }: ReplayRequest,
): Promise<void> {
  await askingAws("the replay could not be started", async () => {
    try {
      await client.send(
        new StartReplayCommand({
          ReplayName: name,
          EventSourceArn: archive,
          EventStartTime: new Date(from),
          EventEndTime: new Date(to),
          Destination: { Arn: bus, ...(rule === null ? {} : { FilterArns: [rule] }) },
        }),
      );
    } catch (error) {
      if (errorCode(error) !== "ResourceAlreadyExistsException") throw error;
      throw new UsageError("there is a replay of that name already", { hint: "Give another --name." });
    }
  });
}

/** How far a replay has come. */
export async function describeReplay(client: Client, name: string): Promise<ReplayState> {
  return askingAws("the replay could not be looked at", async () => {
    try {
      const replay = await client.send(new DescribeReplayCommand({ ReplayName: name }));
      return {
        name,
        archive: replay.EventSourceArn ?? "",
        bus: replay.Destination?.Arn ?? "",
        rule: replay.Destination?.FilterArns?.[0] ?? null,
        state: replay.State ?? null,
        reason: replay.StateReason ?? null,
        from: replay.EventStartTime?.getTime() ?? 0,
        to: replay.EventEndTime?.getTime() ?? 0,
        lastReplayed: replay.EventLastReplayedTime?.getTime() ?? null,
      };
    } catch (error) {
      if (errorCode(error) !== "ResourceNotFoundException") throw error;
      throw notThere(error);
    }
  });
}

export async function cancelReplay(client: Client, name: string): Promise<void> {
  await askingAws("the replay could not be cancelled", async () => {
    try {
      await client.send(new CancelReplayCommand({ ReplayName: name }));
    } catch (error) {
      if (errorCode(error) === "ResourceNotFoundException") throw notThere(error);
      if (errorCode(error) !== "IllegalStatusException") throw error;
      throw new CommandError("REPLAY_ENDED", "the replay is not running", {
        hint: "--watch and its name say how it has ended.",
        cause: error,
      });
    }
  });
}

function notThere(cause: unknown): CommandError {
  const hint = "EventBridge forgets a replay after 90 days. `aws events list-replays` names those that it knows.";
  return new CommandError("REPLAY_NOT_FOUND", "there is no replay of that name", { hint, cause });
}
