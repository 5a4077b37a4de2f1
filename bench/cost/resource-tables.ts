import type { Price } from "./resources.ts";
import { total } from "./resources.ts";

const line = (cells: (string | number)[]): string => `| ${cells.join(" | ")} |`;
const dollars = (value: number): string => value.toFixed(2);

/** Everything that a stack holds, dearest first, and its sums. */
export function resourceTable(prices: readonly Price[]): string {
  const sums = (name: string, some: readonly Price[]): string =>
    line([`**${name}**`, "", `**${dollars(total(some))}**`, `**${dollars(total(some, "withFreeTier"))}**`, ""]);
  return [
    line(["", "number", "$", "with the free tier", "what is paid for"]),
    line(["---", "---:", "---:", "---:", "---"]),
    ...prices.map(({ what, count, dollars: all, withFreeTier, counted }) =>
      line([what, count, dollars(all), dollars(withFreeTier), counted]),
    ),
    sums("together", prices),
    sums(
      "of this monitoring",
      prices.filter(({ isMonitoring }) => isMonitoring),
    ),
  ].join("\n");
}
