import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { AwsError, type Operation, operation } from "../aws-json.ts";
import { replaceFile } from "../data-folder.ts";
import { ACCOUNT, REGION } from "../services.ts";
import { createMatcher, InvalidEventPatternError, type Matcher } from "./matcher.ts";

const name = z.string().regex(/^[.\-_A-Za-z0-9]{1,64}$/);
/** A queue gets whole events: no other target, and no option, is offered here. */
const target = z.strictObject({ Id: name, Arn: z.string().regex(/^arn:aws:sqs:/) });
const rule = z.object({
  name: z.string(),
  bus: z.string(),
  pattern: z.string(),
  state: z.enum(["ENABLED", "DISABLED"]),
  targets: z.array(target),
});
const bus = z.object({ name: z.string(), createdAt: z.number() });
const saved = z.object({ buses: z.array(bus), rules: z.array(rule) });
type Rule = z.infer<typeof rule>;
type Bus = z.infer<typeof bus>;

/** What requests about a rule have in common. */
const ofRule = { Rule: name, EventBusName: z.string().optional() };
const named = { Name: name, EventBusName: z.string().optional() };

export type Rules = ReturnType<typeof openRules>;

/** Buses, rules and targets, in one file that is replaced on every change. Events go to queues, whole. */
export function openRules(file: string) {
  const state = existsSync(file) ? saved.parse(JSON.parse(readFileSync(file, "utf8"))) : { buses: [], rules: [] };
  const buses = new Map<string, Bus>([["default", { name: "default", createdAt: 0 }]]);
  for (const one of state.buses) buses.set(one.name, one);
  const rules = new Map(state.rules.map((one) => [keyOf(one), one]));
  const matchers = new Map<string, Matcher>();

  function save(): void {
    replaceFile(file, JSON.stringify({ buses: [...buses.values()], rules: [...rules.values()] }));
  }

  function saveRule(changed: Rule): void {
    rules.set(keyOf(changed), changed);
    save();
  }

  function findBus(nameOrArn: string | undefined): Bus {
    const found = buses.get(busName(nameOrArn));
    if (found !== undefined) return found;
    throw new AwsError("ResourceNotFoundException", `Event bus ${nameOrArn} does not exist.`);
  }

  function findRule(ruleName: string, nameOrArn: string | undefined): Rule {
    const found = rules.get(keyOf({ name: ruleName, bus: busName(nameOrArn) }));
    if (found !== undefined) return found;
    throw new AwsError("ResourceNotFoundException", `Rule ${ruleName} does not exist on EventBus ${nameOrArn}.`);
  }

  function matcherOf(pattern: string): Matcher {
    const matcher = matchers.get(pattern) ?? createMatcher(JSON.parse(pattern));
    matchers.set(pattern, matcher);
    return matcher;
  }

  const operations: Record<string, Operation> = {
    CreateEventBus: operation(z.looseObject({ Name: z.string().regex(/^[/.\-_A-Za-z0-9]{1,256}$/) }), ({ Name }) => {
      if (buses.has(Name)) throw new AwsError("ResourceAlreadyExistsException", `Event bus ${Name} already exists.`);
      buses.set(Name, { name: Name, createdAt: Date.now() / 1000 });
      save();
      return { EventBusArn: busArn(Name) };
    }),
    DescribeEventBus: operation(z.looseObject({ Name: z.string().optional() }), ({ Name }) => {
      const found = findBus(Name);
      return { Name: found.name, Arn: busArn(found.name), CreationTime: found.createdAt };
    }),
    PutRule: operation(
      z.looseObject({ ...named, EventPattern: z.string().max(4096), State: rule.shape.state.default("ENABLED") }),
      ({ Name, EventBusName, EventPattern, State }) => {
        const key = { name: Name, bus: findBus(EventBusName).name };
        checkPattern(EventPattern);
        const targets = rules.get(keyOf(key))?.targets ?? [];
        const changed: Rule = { ...key, pattern: EventPattern, state: State, targets };
        saveRule(changed);
        return { RuleArn: ruleArn(changed) };
      },
    ),
    DeleteRule: operation(z.looseObject(named), ({ Name, EventBusName }) => {
      const key = keyOf({ name: Name, bus: findBus(EventBusName).name });
      if ((rules.get(key)?.targets.length ?? 0) > 0) {
        throw new AwsError("ValidationException", "Rule can't be deleted since it has targets.");
      }
      rules.delete(key);
      save();
    }),
    ListRules: operation(
      z.looseObject({ NamePrefix: z.string().default(""), EventBusName: z.string().optional() }),
      ({ EventBusName, NamePrefix }) => {
        const onThis = [...rules.values()].filter((one) => one.bus === findBus(EventBusName).name);
        const shown = onThis.filter((one) => one.name.startsWith(NamePrefix)).map(shownRule);
        return { Rules: shown.sort((one, other) => (one.Name < other.Name ? -1 : 1)) };
      },
    ),
    PutTargets: operation(
      z.looseObject({ ...ofRule, Targets: z.array(target).min(1).max(100) }),
      ({ Rule, EventBusName, Targets }) => {
        const found = findRule(Rule, EventBusName);
        const byId = new Map([...found.targets, ...Targets].map((one) => [one.Id, one]));
        saveRule({ ...found, targets: [...byId.values()] });
        return { FailedEntryCount: 0, FailedEntries: [] };
      },
    ),
    RemoveTargets: operation(
      z.looseObject({ ...ofRule, Ids: z.array(z.string()).min(1).max(100) }),
      ({ Rule, EventBusName, Ids }) => {
        const found = findRule(Rule, EventBusName);
        saveRule({ ...found, targets: found.targets.filter(({ Id }) => !Ids.includes(Id)) });
        return { FailedEntryCount: 0, FailedEntries: [] };
      },
    ),
    ListTargetsByRule: operation(z.looseObject(ofRule), ({ Rule, EventBusName }) => ({
      Targets: findRule(Rule, EventBusName).targets,
    })),
  };

  return {
    operations,
    /** The queues that an event on this bus goes to, by their ARNs. Undefined where there is no such bus. */
    targetsOf(nameOrArn: string | undefined) {
      const found = buses.get(busName(nameOrArn));
      if (found === undefined) return undefined;
      const isFor = (event: object) => (one: Rule) =>
        one.bus === found.name && one.state === "ENABLED" && matcherOf(one.pattern)(event);
      const targets = (event: object): string[] =>
        [...rules.values()].filter(isFor(event)).flatMap((one) => one.targets.map(({ Arn }) => Arn));
      return { bus: found.name, targets };
    },
  };
}

/** Requests name a bus by its name or by its ARN. */
function busName(nameOrArn = "default"): string {
  return nameOrArn.split(":event-bus/").at(-1) ?? nameOrArn;
}

function keyOf({ name: ruleName, bus: onBusName }: { name: string; bus: string }): string {
  return `${onBusName}/${ruleName}`;
}

function busArn(ofName: string): string {
  return `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${ofName}`;
}

function ruleArn(of: Rule): string {
  return `arn:aws:events:${REGION}:${ACCOUNT}:rule/${of.bus === "default" ? of.name : keyOf(of)}`;
}

function shownRule(of: Rule) {
  return { Name: of.name, Arn: ruleArn(of), EventPattern: of.pattern, State: of.state, EventBusName: of.bus };
}

function checkPattern(text: string): void {
  try {
    createMatcher(JSON.parse(text));
  } catch (error) {
    if (error instanceof InvalidEventPatternError) throw new AwsError("InvalidEventPatternException", error.message);
    throw new AwsError("InvalidEventPatternException", "Event pattern is not valid. Reason: it is not JSON.");
  }
}
