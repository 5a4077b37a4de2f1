import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { AwsError } from "../aws-json.ts";
import { replaceFile } from "../data-folder.ts";
import { ACCOUNT, REGION } from "../services.ts";
import { createMatcher, type Matcher } from "./matcher.ts";

export const target = z.looseObject({
  Id: z.string().regex(/^[.\-_A-Za-z0-9]{1,64}$/),
  Arn: z.string().min(1).max(1600),
  Input: z.string().max(8192).optional(),
  InputPath: z.string().max(256).optional(),
  SqsParameters: z.looseObject({ MessageGroupId: z.string().optional() }).optional(),
});

const rule = z.object({
  name: z.string(),
  bus: z.string(),
  pattern: z.string(),
  state: z.enum(["ENABLED", "DISABLED"]),
  description: z.string().optional(),
  targets: z.array(target),
});

const bus = z.object({ name: z.string(), description: z.string().optional(), createdAt: z.number() });

const saved = z.object({ buses: z.array(bus), rules: z.array(rule) });

export type Target = z.infer<typeof target>;
export type Rule = z.infer<typeof rule>;
export type Bus = z.infer<typeof bus>;

export interface Registry {
  /** @param nameOrArn the default bus without one */
  bus(nameOrArn: string | undefined): Bus | undefined;
  addBus(bus: Bus): void;
  rules(busName: string): Rule[];
  /** @throws {AwsError} ResourceNotFoundException */
  rule(name: string, busNameOrArn: string | undefined): Rule;
  saveRule(rule: Rule): void;
  removeRule(rule: Rule): void;
  matcher(rule: Rule): Matcher;
  /** Whether any rule has it as a target. */
  isTarget(arn: string): boolean;
}

/** Buses, rules and targets, in one file that is replaced on every change. */
export function openRegistry(file: string): Registry {
  const state = existsSync(file) ? saved.parse(JSON.parse(readFileSync(file, "utf8"))) : { buses: [], rules: [] };
  const buses = new Map<string, Bus>([["default", { name: "default", createdAt: 0 }]]);
  for (const one of state.buses) buses.set(one.name, one);
  const rules = new Map(state.rules.map((one) => [keyOf(one), one]));
  const matchers = new Map<string, Matcher>();

  function save(): void {
    replaceFile(file, JSON.stringify({ buses: [...buses.values()], rules: [...rules.values()] }));
  }

  return {
    bus: (nameOrArn) => buses.get(busName(nameOrArn)),
    addBus(added) {
      buses.set(added.name, added);
      save();
    },
    rules: (name) => [...rules.values()].filter((one) => one.bus === name),
    rule(name, busNameOrArn) {
      const onBus = busName(busNameOrArn);
      const found = rules.get(keyOf({ name, bus: onBus }));
      if (found !== undefined) return found;
      throw new AwsError("ResourceNotFoundException", `Rule ${name} does not exist on EventBus ${onBus}.`);
    },
    saveRule(changed) {
      rules.set(keyOf(changed), changed);
      save();
    },
    removeRule(gone) {
      rules.delete(keyOf(gone));
      save();
    },
    matcher({ pattern }) {
      const known = matchers.get(pattern);
      if (known !== undefined) return known;
      const matcher = createMatcher(JSON.parse(pattern));
      matchers.set(pattern, matcher);
      return matcher;
    },
    isTarget: (arn) => [...rules.values()].some(({ targets }) => targets.some((one) => one.Arn === arn)),
  };
}

/** Requests name a bus by its name or by its ARN. */
function busName(nameOrArn: string | undefined): string {
  if (nameOrArn === undefined) return "default";
  const mark = ":event-bus/";
  const at = nameOrArn.indexOf(mark);
  return at < 0 ? nameOrArn : nameOrArn.slice(at + mark.length);
}

function keyOf({ name, bus: onBus }: { name: string; bus: string }): string {
  return `${onBus}/${name}`;
}

export function busArn(name: string): string {
  return `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${name}`;
}

export function ruleArn({ name, bus: onBus }: Pick<Rule, "name" | "bus">): string {
  return `arn:aws:events:${REGION}:${ACCOUNT}:rule/${onBus === "default" ? name : `${onBus}/${name}`}`;
}
