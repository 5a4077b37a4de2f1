/** What stands in backticks in the first cell of each row of the tables whose first column has this heading. */
export function firstCells(text: string, heading: string): string[] {
  return text.split(/\n(?!\|)/).flatMap((block) => {
    const [head = "", , ...rows] = block.split("\n").filter((line) => line.startsWith("|"));
    const cell = (row: string): string => row.split("|")[1] ?? "";
    if (cell(head).trim() !== heading) return [];
    return rows.flatMap((row) => [...cell(row).matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? ""));
  });
}
