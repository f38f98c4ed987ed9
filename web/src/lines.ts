/** Ends of lines: the editor has one kind, a file keeps its own. */

/** A text as the editor has it. */
export const plain = (text: string) => text.replace(/\r\n?/g, "\n");

/** A text of the editor as a file has it that said `before`: lines that stayed end as they did, others as most do there. */
export function ended(text: string, before: string): string {
  const ends = before.match(/\r\n|\r|\n/g) ?? [];
  const count = (end: string) => ends.filter(it => it === end).length;
  const usual = ["\n", "\r\n", "\r"].reduce((one, other) => (count(other) > count(one) ? other : one));
  const old = plain(before).split("\n"), lines = text.split("\n");
  const shorter = Math.min(old.length, lines.length);
  let head = 0, tail = 0;
  while (head < shorter && old[head] === lines[head]) head += 1;
  while (tail < shorter - head && old[old.length - 1 - tail] === lines[lines.length - 1 - tail]) tail += 1;
  const end = (at: number) => {
    if (at === lines.length - 1) return "";
    return (at < head ? ends[at] : at >= lines.length - tail ? ends[at - lines.length + old.length] : undefined) ?? usual;
  };
  return lines.map((line, at) => line + end(at)).join("");
}
