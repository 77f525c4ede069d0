// Splits a stream into lines.

/** Returns a function that receives the parts of a stream and calls `line` for each complete line. */
export function lineSplitter(line: (text: string) => void): (part: string) => void {
  let rest = "";
  return (part) => {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(line);
  };
}
