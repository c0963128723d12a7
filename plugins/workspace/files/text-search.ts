/**
 * Where a text occurs in another, from the left, without overlaps, at most `limit` times. Takes time linear in both
 * lengths, which `indexOf` does not: a text of one letter can keep that busy for minutes.
 */
export function occurrencesOf(sought: string, text: string, limit: number): number[] {
  const found: number[] = []
  const borders = bordersOf(sought)
  let matched = 0
  for (let at = 0; at < text.length && found.length < limit; at++) {
    const code = text.charCodeAt(at)
    while (matched > 0 && sought.charCodeAt(matched) !== code) matched = borders[matched - 1]!
    if (sought.charCodeAt(matched) === code) matched++
    if (matched === sought.length) {
      found.push(at + 1 - matched)
      matched = 0
    }
  }
  return found
}

/** For each beginning of a text the length of the longest shorter beginning that it ends with (Knuth, Morris, Pratt). */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let border = 0
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    while (border > 0 && text.charCodeAt(border) !== code) border = borders[border - 1]!
    if (text.charCodeAt(border) === code) border++
    borders[at] = border
  }
  return borders
}
