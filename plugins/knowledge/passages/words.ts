// Words for the index: what a text is made of, whatever its language. Stems of English words are made by the index.

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

/** Scripts that are written without spaces. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
/** Names in programs: `readFile`, `MAX_BYTES`. */
const CAMEL = /(?<=\p{Ll})(?=\p{Lu})|_/gu

/**
 * Returns the words of a text, separated by spaces and in lower case. Texts in scripts without spaces are cut into words
 * and into pairs of characters, because what is one word in a question may be two in a document.
 */
export function toWords(text: string): string {
  const words: string[] = []
  let run: string[] = []
  const endRun = () => {
    const joined = run.join('')
    const characters = [...joined]
    for (let index = 0; index + 1 < characters.length; index += 1) {
      const pair = characters[index]! + characters[index + 1]!
      if (!run.includes(pair)) words.push(pair)
    }
    run = []
  }
  for (const { segment, isWordLike } of segmenter.segment(text.normalize('NFKC'))) {
    if (!isWordLike) {
      endRun()
      continue
    }
    if (UNSPACED.test(segment)) {
      run.push(segment)
      words.push(segment)
      continue
    }
    endRun()
    const parts = segment.split(CAMEL).filter(Boolean)
    words.push(segment.toLowerCase())
    if (parts.length > 1) words.push(...parts.map((part) => part.toLowerCase()))
  }
  endRun()
  return words.join(' ')
}
