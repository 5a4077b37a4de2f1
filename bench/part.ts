import type { Findings } from "./support/row.ts";

// One part of the bench: see main.ts.

const { run } = (await import(`./parts/${process.argv[2]}.ts`)) as { run: (...names: string[]) => Promise<Findings> };
const findings = await run(...process.argv.slice(3));
process.send?.(findings, () => process.exit(0));
