import { z } from "zod";
import { AwsError, type Operation, operation } from "../aws-json.ts";
import { page } from "../paging.ts";
import { createMatcher, InvalidEventPatternError } from "./matcher.ts";
import { type Bus, busArn, type Registry, type Rule, ruleArn, target } from "./registry.ts";
import { parseInputPath } from "./target-input.ts";

const MAX_TARGETS = 5;

const name = z.string().regex(/^[.\-_A-Za-z0-9]{1,64}$/);
const onBus = { EventBusName: z.string().optional() };
const paging = { Limit: z.int().min(1).max(100).optional(), NextToken: z.string().optional() };

const createBusInput = z.looseObject({
  Name: z.string().regex(/^[/.\-_A-Za-z0-9]{1,256}$/),
  Description: z.string().optional(),
});
const putRuleInput = z.looseObject({
  Name: name,
  EventPattern: z.string().max(4096).optional(),
  ScheduleExpression: z.string().optional(),
  State: z.enum(["ENABLED", "DISABLED"]).default("ENABLED"),
  Description: z.string().optional(),
  ...onBus,
});
const ruleInput = z.looseObject({ Name: name, ...onBus });
const listRulesInput = z.looseObject({ NamePrefix: z.string().optional(), ...onBus, ...paging });
const putTargetsInput = z.looseObject({ Rule: name, Targets: z.array(target).min(1).max(100), ...onBus });
const removeTargetsInput = z.looseObject({ Rule: name, Ids: z.array(z.string()).min(1).max(100), ...onBus });
const listTargetsInput = z.looseObject({ Rule: name, ...onBus, ...paging });

/** @param now epoch milliseconds */
export function ruleOperations(registry: Registry, now: () => number): Record<string, Operation> {
  function bus(nameOrArn: string | undefined): Bus {
    const found = registry.bus(nameOrArn);
    if (found !== undefined) return found;
    throw new AwsError("ResourceNotFoundException", `Event bus ${nameOrArn} does not exist.`);
  }

  function createBus({ Name, Description }: z.infer<typeof createBusInput>): unknown {
    if (registry.bus(Name) !== undefined) {
      throw new AwsError("ResourceAlreadyExistsException", `Event bus ${Name} already exists.`);
    }
    registry.addBus({ name: Name, createdAt: now() / 1000, ...(Description && { description: Description }) });
    return { EventBusArn: busArn(Name) };
  }

  function putRule(input: z.infer<typeof putRuleInput>): unknown {
    const { name: busName } = bus(input.EventBusName);
    const before = registry.rules(busName).find((rule) => rule.name === input.Name);
    const rule: Rule = {
      name: input.Name,
      bus: busName,
      pattern: checkedPattern(input),
      state: input.State,
      targets: before?.targets ?? [],
      ...(input.Description === undefined ? {} : { description: input.Description }),
    };
    registry.saveRule(rule);
    return { RuleArn: ruleArn(rule) };
  }

  function deleteRule(input: z.infer<typeof ruleInput>): unknown {
    const rule = registry.rules(bus(input.EventBusName).name).find((one) => one.name === input.Name);
    if (rule === undefined) return {};
    if (rule.targets.length > 0) {
      throw new AwsError("ValidationException", "Rule can't be deleted since it has targets.");
    }
    registry.removeRule(rule);
    return {};
  }

  function listRules(input: z.infer<typeof listRulesInput>): unknown {
    const rules = registry
      .rules(bus(input.EventBusName).name)
      .filter((rule) => rule.name.startsWith(input.NamePrefix ?? ""))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    const { items, ...next } = page(rules, input.Limit, input.NextToken);
    return { Rules: items.map(shownRule), ...next };
  }

  function putTargets(input: z.infer<typeof putTargetsInput>): unknown {
    const rule = registry.rule(input.Rule, input.EventBusName);
    const added = new Map(input.Targets.map((one) => [one.Id, one]));
    for (const one of added.values()) checkTarget(one);
    const targets = [...rule.targets.filter(({ Id }) => !added.has(Id)), ...added.values()];
    if (targets.length > MAX_TARGETS) {
      throw new AwsError("LimitExceededException", `A rule can have at most ${MAX_TARGETS} targets.`);
    }
    registry.saveRule({ ...rule, targets });
    return { FailedEntryCount: 0, FailedEntries: [] };
  }

  function removeTargets(input: z.infer<typeof removeTargetsInput>): unknown {
    const rule = registry.rule(input.Rule, input.EventBusName);
    registry.saveRule({ ...rule, targets: rule.targets.filter(({ Id }) => !input.Ids.includes(Id)) });
    return { FailedEntryCount: 0, FailedEntries: [] };
  }

  function listTargets(input: z.infer<typeof listTargetsInput>): unknown {
    const { targets } = registry.rule(input.Rule, input.EventBusName);
    const { items, ...next } = page(targets, input.Limit, input.NextToken);
    return { Targets: items, ...next };
  }

  return {
    CreateEventBus: operation(createBusInput, createBus),
    DeleteRule: operation(ruleInput, deleteRule),
    DescribeEventBus: operation(z.looseObject({ Name: z.string().optional() }), ({ Name }) => shownBus(bus(Name))),
    DescribeRule: operation(ruleInput, ({ Name, EventBusName }) => shownRule(registry.rule(Name, EventBusName))),
    ListRules: operation(listRulesInput, listRules),
    ListTargetsByRule: operation(listTargetsInput, listTargets),
    PutRule: operation(putRuleInput, putRule),
    PutTargets: operation(putTargetsInput, putTargets),
    RemoveTargets: operation(removeTargetsInput, removeTargets),
  };
}

function checkedPattern({ EventPattern, ScheduleExpression }: z.infer<typeof putRuleInput>): string {
  if (ScheduleExpression !== undefined) {
    throw new AwsError("ValidationException", "Rules with a schedule do not run here: only event patterns do.");
  }
  if (EventPattern === undefined) {
    throw new AwsError("ValidationException", "Parameter(s) EventPattern or ScheduleExpression must be specified.");
  }
  try {
    createMatcher(JSON.parse(EventPattern));
    return EventPattern;
  } catch (error) {
    if (error instanceof InvalidEventPatternError) throw new AwsError("InvalidEventPatternException", error.message);
    throw new AwsError("InvalidEventPatternException", "Event pattern is not valid. Reason: it is not JSON.");
  }
}

function checkTarget({ Id, Arn, Input, InputPath, ...options }: z.infer<typeof target>): void {
  if (!Arn.startsWith("arn:aws:sqs:")) {
    throw new AwsError("ValidationException", `Target ${Id}: only SQS queues are delivered to here, not ${Arn}.`);
  }
  if ("InputTransformer" in options) {
    throw new AwsError("ValidationException", `Target ${Id}: InputTransformer is not offered here; InputPath is.`);
  }
  if (Input !== undefined && InputPath !== undefined) {
    throw new AwsError("ValidationException", `Only one of Input and InputPath can be given for target ${Id}.`);
  }
  if (InputPath !== undefined && parseInputPath(InputPath) === undefined) {
    throw new AwsError("ValidationException", `Invalid InputPath for target ${Id}.`);
  }
}

function shownBus({ name: busName, description, createdAt }: Bus): unknown {
  return {
    Name: busName,
    Arn: busArn(busName),
    ...(description === undefined ? {} : { Description: description }),
    ...(createdAt === 0 ? {} : { CreationTime: createdAt, LastModifiedTime: createdAt }),
  };
}

function shownRule(rule: Rule): unknown {
  return {
    Name: rule.name,
    Arn: ruleArn(rule),
    EventPattern: rule.pattern,
    State: rule.state,
    EventBusName: rule.bus,
    ...(rule.description === undefined ? {} : { Description: rule.description }),
  };
}
