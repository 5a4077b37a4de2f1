import type { Inventory } from "./found.ts";

/** One line for each thing that is there, with what is in it. */
export function inventoryLines({ stack, buses, rules, archives, tables, buckets, secrets }: Inventory): string[] {
  const groups = (stack?.resources ?? []).filter(({ ResourceType }) => ResourceType === "AWS::Logs::LogGroup");
  return [
    ...(stack === undefined
      ? []
      : [
          `stack ${stack.name}: ${stack.resources.length} resources${stack.isProtected ? ", protected against termination" : ""}`,
          ...groups.map(({ PhysicalResourceId }) => `log group ${PhysicalResourceId}`),
        ]),
    ...secrets.map((name) => `secret ${name}`),
    ...buses.map((name) => `bus ${name}`),
    ...rules.map(({ bus, name }) => `rule ${name} on bus ${bus}, made by others`),
    ...archives.map(({ name, holds, isOwn }) => `archive ${name}: ${holds}${isOwn ? "" : ", made by others"}`),
    ...tables.map(({ name, holds }) => `table ${name}: ${holds}, and its backups of the last 35 days`),
    ...buckets.map(({ name, holds }) => `bucket ${name}: ${holds}`),
  ];
}

/** Resources of others in the stack: they would be deleted with it. */
export function strangersIn({ stack }: Inventory): string[] {
  return (stack?.resources ?? []).flatMap(({ LogicalResourceId = "", ResourceType }) =>
    LogicalResourceId.startsWith("Poller") || ResourceType === "AWS::CDK::Metadata" ? [] : [LogicalResourceId],
  );
}
