import { type Comment, parseSync } from "oxc-parser";

/** One comment, or the line comments below each other that make one. */
export interface CommentBlock {
  line: number;
  text: string;
  isDocstring: boolean;
}

/** Words of a sentence, at most. */
const MOST_WORDS = 30;

/** Words that the glossary has replaced. */
const OLD_WORDS =
  /\b(sweep\w*|swept|look-?backs?|scrub\w*|spill\w*|chas(?:e|es|ed|ing)|peek\w*|carr(?:y|ies|ied|ying)|pieces?|by itself|by themselves)\b/i;

/** A docstring begins with the thing that it describes. */
const NO_SUBJECT =
  /^(But|What|That|It|Its|They|Their|Them|These|Those|This|Such|He|She|His|Her|Who|Whoever|Whatever)\b/;

/** The comments of a source file. */
export function commentsIn(file: string, source: string): CommentBlock[] {
  const blocks: (CommentBlock & { end: number; isLine: boolean })[] = [];
  for (const comment of parseSync(file, source).comments) {
    const last = blocks.at(-1);
    const isLine = comment.type === "Line";
    if (last?.isLine && isLine && /^\s*\n\s*$/.test(source.slice(last.end, comment.start))) {
      last.text += `\n${comment.value.trim()}`;
      last.end = comment.end;
      continue;
    }
    blocks.push({
      line: source.slice(0, comment.start).split("\n").length,
      text: textOf(comment),
      isDocstring: comment.type === "Block" && comment.value.startsWith("*"),
      end: comment.end,
      isLine,
    });
  }
  return blocks;
}

function textOf({ type, value }: Comment): string {
  if (type === "Line") return value.trim();
  return value
    .replace(/^\*/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim();
}

/** Each rule that a comment breaks, in words. */
export function faultsOf({ text, isDocstring }: CommentBlock): string[] {
  const prose = proseOf(text);
  const [beginning] = (isDocstring && NO_SUBJECT.exec(prose)) || [];
  const [word] = OLD_WORDS.exec(prose) ?? [];
  const long = sentencesOf(prose).filter((sentence) => wordsOf(sentence) > MOST_WORDS);
  return [
    ...(beginning === undefined ? [] : [`begins with "${beginning}"`]),
    ...(word === undefined ? [] : [`has the old word "${word}"`]),
    ...long.map((sentence) => `has a sentence of ${wordsOf(sentence)} words: ${sentence.slice(0, 60)}…`),
  ];
}

/** A comment without directives to tools, code and tables. */
function proseOf(text: string): string {
  return text
    .replace(/```[\s\S]*?```/g, "")
    .replace(/@example[\s\S]*?(?=\n@|$)/g, "")
    .replace(/`[^`]*`/g, "code")
    .split("\n")
    .filter((line) => !/^(\||biome-ignore|@ts-)/.test(line))
    .join("\n")
    .trim();
}

function sentencesOf(prose: string): string[] {
  return prose
    .split(/\n\s*\n|\n\s*[-*] |\n@/)
    .flatMap((part) => part.replace(/\s+/g, " ").split(/(?<=[.!?:])\s+(?=[A-Z("0-9]|code)/));
}

function wordsOf(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;
}
