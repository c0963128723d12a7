// Tells if a text says only what a person has written. What a page or a document wants remembered is in other words.

import { fold, toWords } from '#plugin-api'

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

/** English words that a note may add to the person's words: they say nothing by themselves. */
const ENGLISH = new Set(
  toWords(
    `a an the this that these those it its he she they them their theirs his her hers him i me my mine we us our you your
    and or of in on at to for from with by as about is are was were be been being am has have had having do does did will
    would can could ca wo s m d ll re ve person people user users person's name named called calls likes like liked
    prefers prefer preferred prefers wants want wanted needs need needed uses use used using lives live living works work
    working knows know speaks speak owns own thing things also who which when there here where`,
  ),
)

/** Chinese words of the same kind. */
const CHINESE = new Set(
  `用户 使用者 对方 他 她 它 他们 我 我们 你 您 自己 其 该 这 那 的 地 得 了 着 过 是 为 在 有 和 与 及 或 也 于 对 把 被 从 到 给 以 以及 而 并 且
  一个 一名 一位 一只 个 名 位 只 人 名字 姓名 名为 叫 叫做 称为 喜欢 喜爱 偏好 偏爱 更 希望 想 想要 要 需要 使用 用 住 住在 居住 居住在 位于
  工作 从事 会 能 可以 拥有 关于 時 时 时候`
    .match(/\S+/g)!
    .map(fold),
)

/** Ends of sentences, which points within addresses and numbers are not. */
const SENTENCE_ENDS = /(?<=[.!?;])\s+|(?<=[。！？；])|\n+/u

/** A text that is negated must come from words that are, and the other way round. */
const NEGATIONS =
  /(?<!\p{L})(?:not|no|never|nor|none|nothing|nobody|neither|without|cannot)(?!\p{L})|n['’]t(?!\p{L})|[不没沒无無未勿]/gu

/** Texts between spaces and characters of Chinese, Japanese and Korean. */
const PIECES = /[^\s\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}、。，；：！？（）“”‘’《》「」…]+/gu
const EDGES = /^[^\p{L}\p{N}@#+]+|[^\p{L}\p{N}%]+$/gu
/** The pieces that mean something else if one character differs: numbers, addresses, handles, names of files. */
const EXACT = /[\p{N}@#_/\\]|[\p{L}\p{N}][.:][\p{L}\p{N}]/u

const isNegated = (words: string) => fold(words).search(NEGATIONS) >= 0

const listExact = (text: string): string[] =>
  (text.match(PIECES) ?? []).map((piece) => piece.replace(EDGES, '')).filter((piece) => EXACT.test(piece))

/**
 * True if the words of a text are words that the person has written, in any form and order, besides words that say nothing
 * by themselves; numbers, addresses and handles must be there exactly.
 */
export function hasOnlyOwnWords(text: string, said: readonly string[]): boolean {
  const note = text.normalize('NFKC')
  const plain = fold(note).replace(NEGATIONS, ' ')
  const sentences = said.flatMap((words) => words.normalize('NFKC').split(SENTENCE_ENDS))
  const written = plain === fold(note) ? sentences.filter((words) => !isNegated(words)) : sentences
  const exact = new Set(written.flatMap(listExact))
  if (!listExact(note).every((piece) => exact.has(piece))) return false
  if (plain !== fold(note) && !written.some(isNegated)) return false
  const own = new Set(written.flatMap((words) => [...toWords(words), ...toWords(fold(words))]))
  for (const { segment, isWordLike } of segmenter.segment(plain)) {
    if (!isWordLike || CHINESE.has(segment)) continue
    if (!toWords(segment).every((word) => own.has(word) || ENGLISH.has(word))) return false
  }
  return true
}
