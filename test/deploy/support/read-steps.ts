/** A code block of a step. */
export interface Block {
  language: string;
  code: string;
}

/**
 * The code blocks of each numbered step below a heading of a Markdown text, up to the next heading.
 *
 * @throws Error when there is no such heading
 */
export function readSteps(markdown: string, heading: string): Block[][] {
  return read(markdown, heading).slice(1);
}

/** As `readSteps`, where there are no steps or it does not matter. */
export function readBlocks(markdown: string, heading: string): Block[] {
  return read(markdown, heading).flat();
}

/** What stands before the first step comes first. */
function read(markdown: string, heading: string): Block[][] {
  const lines = markdown.split("\n");
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`there is no heading "${heading}"`);
  const steps: Block[][] = [[]];
  let open: Block | undefined;
  for (const line of lines.slice(start + 1)) {
    const text = line.replace(/^ {3}/, "");
    if (open !== undefined) {
      if (text === "```") open = undefined;
      else open.code += `${text}\n`;
    } else if (text.startsWith("```")) {
      open = { language: text.slice(3), code: "" };
      steps.at(-1)?.push(open);
    } else if (/^#+ /.test(line)) {
      break;
    } else if (/^\d+\. /.test(line)) {
      steps.push([]);
    }
  }
  return steps;
}
