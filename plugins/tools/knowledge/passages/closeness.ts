/** The words of a passage that are looked at together: about two sentences. */
const WINDOW = 40

/** A word of the question in a passage; `position` counts the words before it. */
interface Match {
  word: string
  position: number
}

/**
 * Sorts passages by how many words of a question they have close together, rare ones counting for more. Passages that
 * are equal in this keep their order.
 */
export function sortByCloseness<Passage extends { readonly words: string }>(
  passages: readonly Passage[],
  question: readonly string[],
): Passage[] {
  const questionWords = new Set(question)
  const matches = passages.map(({ words }) => findMatches(words, questionWords))
  const weights = weigh(questionWords, matches)
  const scores = new Map(passages.map((passage, index) => [passage, score(matches[index]!, weights)]))
  return [...passages].sort((a, b) => scores.get(b)! - scores.get(a)!)
}

function findMatches(words: string, questionWords: ReadonlySet<string>): Match[] {
  const matches: Match[] = []
  let position = 0
  for (const word of words.split(' ')) {
    if (questionWords.has(word)) matches.push({ word, position })
    position += 1
  }
  return matches
}

/** Returns the weight of each word: the fewer passages contain it, the larger. */
function weigh(questionWords: ReadonlySet<string>, matches: readonly Match[][]): Map<string, number> {
  const counts = new Map([...questionWords].map((word) => [word, 0]))
  for (const some of matches)
    for (const word of new Set(some.map(({ word }) => word))) counts.set(word, counts.get(word)! + 1)
  const toWeight = (count: number) => Math.log(1 + (matches.length + 1) / (count + 0.5))
  return new Map([...counts].map(([word, count]) => [word, toWeight(count)]))
}

/** Returns the largest total weight of different words in any window of a passage. */
function score(matches: readonly Match[], weights: ReadonlyMap<string, number>): number {
  const last = new Map<string, number>()
  let most = 0
  for (const { word, position } of matches) {
    last.set(word, position)
    let total = 0
    for (const [other, at] of last) if (at > position - WINDOW) total += weights.get(other)!
    most = Math.max(most, total)
  }
  return most
}
