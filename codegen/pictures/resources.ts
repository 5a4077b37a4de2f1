// Pictures what a synthesized template holds: who refers to whom, and what the function may use.

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
}

export interface TemplateJson {
  Resources?: Record<string, Resource>;
}

/** Types that only let others do their work. */
const NOT_DRAWN =
  /^AWS::(IAM|Logs|SSM|Lambda::(Permission|EventInvokeConfig)|S3::BucketPolicy|SQS::QueuePolicy|CDK)|TopicPolicy$|EventBusPolicy$/;

/** Types whose members are drawn as one, by the name of that one. The runbook has each alarm, docs/events.md each kind of event. */
const TOGETHER = new Map([
  ["AWS::CloudWatch::Alarm", "alarms"],
  ["AWS::EventSchemas::Schema", "schemas"],
]);

/** The type of resource to which such a group has an arrow. */
const TOLD = new Map([
  ["AWS::CloudWatch::Alarm", "AWS::SNS::Topic"],
  ["AWS::EventSchemas::Schema", "AWS::EventSchemas::Registry"],
]);

/** Mermaid text of the resources of one source with the defaults. */
export function resourcePicture({ Resources = {} }: TemplateJson): string {
  const ofType = (type: string): Resource[] => Object.values(Resources).filter(({ Type }) => Type === type);
  const drawn = new Map(
    Object.entries(Resources).filter(([, { Type }]) => !NOT_DRAWN.test(Type) && !TOGETHER.has(Type)),
  );
  const edges = new Set<string>();
  for (const [name, { Properties }] of drawn) {
    for (const other of referredBy(Properties)) if (drawn.has(other) && other !== name) edges.add(edge(name, other));
  }
  for (const [user, used] of permissions(Resources)) if (drawn.has(used)) edges.add(edge(user, used));
  const groups = [...TOGETHER].flatMap(([type, name]) => {
    const members = ofType(type);
    for (const { Properties } of members)
      for (const other of referredBy(Properties))
        if (drawn.get(other)?.Type === TOLD.get(type)) edges.add(`${name} --> ${short(other)}`);
    return members.length === 0 ? [] : [`${name}["${members.length} ${name}<br/>${type.replace("AWS::", "")}"]`];
  });
  const nodes = [...drawn].map(
    ([name, { Type }]) => `${short(name)}["${label(name)}<br/>${Type.replace("AWS::", "")}"]`,
  );
  return ["flowchart LR", ...[...[...nodes, ...groups].sort(), ...[...edges].sort()].map((line) => `  ${line}`)].join(
    "\n",
  );
}

const edge = (from: string, to: string): string => `${short(from)} --> ${short(to)}`;

/** A logical name without the hash that the CDK puts at its end. */
function short(name: string): string {
  return name.replace(/[0-9A-F]{8}$/, "");
}

function label(name: string): string {
  return short(name)
    .replace(/^Poller/, "")
    .replace(/Resource$/, "");
}

/** Logical names in Ref and Fn::GetAtt, at any depth. */
function referredBy(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referredBy);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "Ref" && typeof inner === "string") return [inner];
    if (key === "Fn::GetAtt") return [String(Array.isArray(inner) ? inner[0] : inner)];
    return referredBy(inner);
  });
}

/** Pairs of a function, or schedule, and a resource that its role may use. */
function permissions(resources: Record<string, Resource>): [string, string][] {
  const holders = Object.entries(resources).filter(([, { Type }]) =>
    /^AWS::(Lambda::Function|Scheduler::Schedule)$/.test(Type),
  );
  const policies = Object.values(resources).filter(({ Type }) => Type === "AWS::IAM::Policy");
  return holders.flatMap(([holder, { Properties }]) => {
    const roles = referredBy(Properties).filter((name) => resources[name]?.Type === "AWS::IAM::Role");
    const own = policies.filter((policy) => referredBy(policy.Properties?.Roles).some((role) => roles.includes(role)));
    const used = own.flatMap((policy) => referredBy(policy.Properties?.PolicyDocument));
    return used.map((name): [string, string] => [holder, name]);
  });
}
