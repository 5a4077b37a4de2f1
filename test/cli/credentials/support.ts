import { PassThrough } from "node:stream";

/** A terminal that is none: what is typed is put into `input` as keys, and what it shows is in `shown`. */
export function fakeTerminal() {
  const rawModes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => void rawModes.push(mode),
  });
  const output = new PassThrough();
  const shown = { text: "" };
  output.setEncoding("utf8").on("data", (text: string) => {
    shown.text += text;
  });
  return { input, output, rawModes, shown };
}

/** Standard input of a command in a pipe. */
export function piped(text: string | Buffer): PassThrough {
  const input = new PassThrough();
  input.end(text);
  return input;
}
