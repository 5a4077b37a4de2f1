import type { Row } from "./support/measure.ts";

// One part of the bench: see main.ts.

const { run } = (await import(`./parts/${process.argv[2]}.ts`)) as { run: () => Promise<Row[]> };
process.send?.(await run(), () => process.exit(0));
