// The words of a text in any language, for the index, which makes the stems of English words itself.

import { segmentInParts } from './passages.ts'

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

/** The characters that are cut into words at a time. */
const PART = 256
/** Scripts that are written without spaces. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
/** Names in programs: `readFile`, `MAX_BYTES`. */
const CAMEL = /(?<=\p{Ll})(?=\p{Lu})|_/gu

/**
 * Returns the words of a text, separated by spaces and in lower case. Texts in scripts without spaces are cut into
 * words and into pairs of characters, because what is one word in a question may be two in a document.
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
  for (const { segment, isWordLike } of segmentInParts(segmenter, text.normalize('NFKC'), PART)) {
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

/** Chinese words that say nothing about the subject of a question; the index itself leaves out English ones. */
const STOP_WORDS = new Set(
  [
    '的 了 着 过 吗 呢 吧 啊 呀 么 得 地 之 是 在 有 没 没有 不 也 都 就 还 又 再 很 最 更 和 与 跟 或 或者 及 以及 而 但 但是',
    '如果 因为 所以 把 被 让 给 从 到 向 往 对 于 为 以 由 用 上 下 里 中 内 外 时 后 前 时候 以后 之后 以前 个 些 一个 一些 这 那',
    '这个 那个 这些 那些 哪 哪个 哪些 哪里 哪儿 什么 怎么 怎样 如何 怎么样 怎么办 为什么 为何 多少 几 谁 何时 是否 是不是',
    '有没有 能 能否 能不能 可以 可否 会 会不会 要 应 应该 需要 请 请问 我 你 您 他 她 它 我们 你们 他们 自己',
  ]
    .join(' ')
    .split(' '),
)

/** Returns the words of a question that count, each once; all of them if none counts. */
export function toQuestionWords(question: string): string[] {
  const words = [...new Set(toWords(question).split(' '))].filter(Boolean)
  const counting = words.filter((word) => !STOP_WORDS.has(word))
  return counting.length > 0 ? counting : words
}
